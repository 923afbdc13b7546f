package org.roce4j.verbs.cm;

import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
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
    if (responderResources != ConnParam.MAX_RESP_RES && reads(rtr)) {
      rtr.maxDestRdAtomic(responderResources);
    }
    qp.modify(rtr);
    QpAttr rts = id.initQpAttr(QpState.RTS);
    if (initiatorDepth != ConnParam.MAX_INIT_DEPTH && reads(rts)) {
      rts.maxRdAtomic(initiatorDepth);
    }
    qp.modify(rts);
  }

  /** A service without READs, such as UC, has no number of them. */
  private static boolean reads(QpAttr attr) {
    return (attr.mask() & (QpAttrMask.MAX_DEST_RD_ATOMIC | QpAttrMask.MAX_QP_RD_ATOMIC)) != 0;
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
