package org.roce4j.engine.qp;

import org.roce4j.engine.requester.Requester;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;

/**
 * The state SQD: requests already started complete, others wait, and SQ_DRAINED is raised once if
 * the program asked for it. Confined to the engine's owner.
 */
final class Drain {
  private final Requester requester;
  private final QpListener listener;

  /** Whether SQ_DRAINED was raised, or was not asked for. */
  private boolean notified;

  Drain(Requester requester, QpListener listener) {
    this.requester = requester;
    this.listener = listener;
  }

  /**
   * Refuses changes that must wait until the queue is drained: transitions from SQD, except to ERR
   * and RESET, and changes of the path.
   *
   * @throws VerbsException EINVAL
   */
  void check(QpState from, QpState to, int mask) {
    boolean needsSilence =
        to != from ? to != QpState.ERR && to != QpState.RESET : (mask & QpAttrMask.AV) != 0;
    if (from == QpState.SQD && needsSilence && !requester.drained()) {
      throw Errno.EINVAL.refusal(
          "the send queue is still draining; wait for SQ_DRAINED or for sq_draining to be 0");
    }
  }

  /** The transition from RTS to SQD. */
  void begin(QpAttr attr, int mask) {
    notified = (mask & QpAttrMask.EN_SQD_ASYNC_NOTIFY) == 0 || !attr.enSqdAsyncNotify();
  }

  /** A request has completed in SQD: raises SQ_DRAINED if it was the last. */
  void look() {
    if (!notified && requester.drained()) {
      notified = true;
      listener.event(EventType.SQ_DRAINED);
    }
  }
}
