package org.roce4j.engine.qp;

import org.roce4j.engine.requester.Requester;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;

/**
 * SQD: requests that were started complete, others wait, and the program is told once if it asked
 * for that. Confined to the engine's owner.
 */
final class Drain {
  private final Requester requester;
  private final QpListener listener;

  /** Whether SQ_DRAINED was told, or is not to be. */
  private boolean notified;

  Drain(Requester requester, QpListener listener) {
    this.requester = requester;
    this.listener = listener;
  }

  /**
   * Refuses what has to wait until the queue is drained: to leave SQD, but for ERR and RESET, and
   * to change the path.
   *
   * @throws VerbsException EINVAL
   */
  void check(QpState from, QpState to, int mask) {
    boolean needsSilence =
        to != from ? to != QpState.ERR && to != QpState.RESET : (mask & QpAttrMask.AV) != 0;
    if (from == QpState.SQD && needsSilence && !requester.drained()) {
      throw new VerbsException(
          Errno.EINVAL,
          "the send queue is still draining; wait for SQ_DRAINED or for sq_draining to be 0");
    }
  }

  /** From RTS to SQD. */
  void begin(QpAttr attr, int mask) {
    notified = (mask & QpAttrMask.EN_SQD_ASYNC_NOTIFY) == 0 || !attr.enSqdAsyncNotify();
  }

  /** Something has completed in SQD: tells the program if that was the last. */
  void look() {
    if (!notified && requester.drained()) {
      notified = true;
      listener.event(EventType.SQ_DRAINED);
    }
  }
}
