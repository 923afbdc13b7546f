package org.roce4j.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.roce4j.conformance.bench.Expect;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;

/** Steps that several answers share. */
final class AnswerSteps {
  private AnswerSteps() {}

  /** Two connected ends. */
  record Ends(RdmaEnd near, RdmaEnd far) implements AutoCloseable {
    static Ends of(Context a, Context b, QpType type) {
      Ends ends = new Ends(new RdmaEnd(a, type), new RdmaEnd(b, type));
      RdmaEnd.connect(ends.near, ends.far, attr -> {});
      return ends;
    }

    /** Sends a message, which must arrive. */
    void work() {
      far.postReceive(901, 4096, 104);
      near.postSend(902, 0, 64);
      assertEquals(901, far.next().succeeded().wrId());
      assertEquals(902, near.next().succeeded().wrId());
    }

    @Override
    public void close() {
      try (far) {
        near.close();
      }
    }
  }

  /** The call fails with this errno; returns the words. */
  static String refused(Errno errno, Runnable call) {
    return Expect.refused(errno, call).getMessage();
  }

  /** The next event, not acknowledged. */
  static AsyncEvent event(RdmaEnd end, EventType type) {
    AsyncEvent event = end.context().getAsyncEvent();
    assertEquals(type, event.type());
    return event;
  }

  /** Drives a queue pair in RTS to the event that its send queue is drained. */
  static void drain(QueuePair qp) {
    qp.modify(new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true));
  }

  static SharedReceiveQueue srq(RdmaEnd end, int size) {
    return end.pd().createSrq(new SrqInitAttr(size, 1));
  }

  /**
   * A queue pair that receives from a shared queue, connected with a new queue pair of another end.
   */
  static QueuePair[] sharing(RdmaEnd from, RdmaEnd to, SharedReceiveQueue srq, QpType type) {
    QueuePair sender = from.createQp(type, null);
    QueuePair receiver = to.createQp(type, srq);
    QpBringUp.toRts(sender, RdmaEnd.toward(receiver));
    QpBringUp.toRts(receiver, RdmaEnd.toward(sender));
    return new QueuePair[] {sender, receiver};
  }

  /** The call returns only after the event was acknowledged. */
  static void returnsAfter(Runnable acknowledgement, Runnable destroy) {
    Thread thread = Thread.ofPlatform().daemon().start(destroy);
    while (thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING) {
      assertFalse(thread.getState() == Thread.State.TERMINATED, "it did not wait");
      Thread.onSpinWait();
    }
    acknowledgement.run();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
