package org.roce4j.verbs.cm;

import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;

/** Brings an id's queue pair through its states with the attributes that the id knows. */
record QueuePairStates(ProviderId id, QueuePair qp) {

  /** To INIT; a datagram queue pair to RTS, which needs no peer. */
  void init() {
    if (qp.qpType() == QpType.UD) {
      qp.modify(id.initQpAttr(QpState.INIT));
      qp.modify(new QpAttr().qpState(QpState.RTR));
      qp.modify(new QpAttr().qpState(QpState.RTS).sqPsn(0));
    } else {
      qp.modify(id.initQpAttr(QpState.INIT));
    }
  }

  /**
   * Brings the queue pair to RTR and RTS with the agreed resources.
   *
   * @param responderResources {@link ConnParam#MAX_RESP_RES}: the agreed number
   * @param initiatorDepth {@link ConnParam#MAX_INIT_DEPTH}: the agreed number
   */
  void connect(int responderResources, int initiatorDepth) {
    qp.modify(id.initQpAttr(QpState.INIT)); // the rights, now that the resources are known
    QpAttr rtr = id.initQpAttr(QpState.RTR);
    qp.modify(
        responderResources == ConnParam.MAX_RESP_RES
            ? rtr
            : rtr.maxDestRdAtomic(responderResources));
    QpAttr rts = id.initQpAttr(QpState.RTS);
    qp.modify(initiatorDepth == ConnParam.MAX_INIT_DEPTH ? rts : rts.maxRdAtomic(initiatorDepth));
  }

  /** To ERR. */
  void error() {
    qp.modify(new QpAttr().qpState(QpState.ERR));
  }

  /** Brings the queue pair to ERR while another failure is being reported. */
  void errorQuietly() {
    try {
      error();
    } catch (VerbsException e) {
      // The queue pair or its device is gone, and with it what was to stop.
    }
  }
}
