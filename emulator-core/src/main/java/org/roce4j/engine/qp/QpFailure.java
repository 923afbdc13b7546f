package org.roce4j.engine.qp;

import org.roce4j.engine.requester.SendSide;
import org.roce4j.engine.responder.ReceiveSide;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.engine.trace.Failure;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;

/**
 * The effects of a failed request on its queue pair: the next state, the flush, and the events. The
 * state is published before the first completion in error. Confined to the engine's owner.
 */
final class QpFailure implements SendSide.Verdicts, ReceiveSide.Verdicts {
  private final QpMachine qp;
  private final QpListener listener;
  private final EngineTrace trace;
  private final FailureLog log = new FailureLog();

  QpFailure(QpMachine qp, QpListener listener, EngineTrace trace) {
    this.qp = qp;
    this.listener = listener;
    this.trace = trace;
  }

  /** The reasons of failures. */
  FailureLog log() {
    return log;
  }

  @Override
  public void sendQueueFails(Failure failure) {
    log.sendFailed(failure);
    trace.requestFailed(qp.qpNum(), failure);
    qp.publish(qp.reliable() ? QpState.ERR : QpState.SQE);
  }

  @Override
  public void sendQueueFailed() {
    if (qp.reliable()) {
      qp.flush();
      tell(null);
    } else {
      qp.flushSends();
    }
  }

  @Override
  public void receiveQueueFails(String why) {
    log.refused(why);
    trace.requestRefused(qp.qpNum(), why);
    qp.publish(QpState.ERR);
  }

  @Override
  public void receiveQueueFailed(EventType event) {
    qp.flush();
    tell(event);
  }

  /** Moves to ERR and flushes every outstanding request, in order, exactly once. */
  void enterError(EventType event) {
    boolean already = qp.state() == QpState.ERR;
    log.because(
        event == EventType.QP_FATAL
            ? "a completion queue of it overflowed, or its shared receive queue failed"
            : "the program, or a plan of faults at the verbs, moved it to ERR, or its device"
                + " failed");
    qp.publish(QpState.ERR);
    qp.flush();
    if (!already) {
      tell(event);
    }
  }

  private void tell(EventType event) {
    if (event != null) {
      listener.event(event);
    }
    if (qp.sharesReceives()) {
      listener.event(EventType.QP_LAST_WQE_REACHED);
    }
  }
}
