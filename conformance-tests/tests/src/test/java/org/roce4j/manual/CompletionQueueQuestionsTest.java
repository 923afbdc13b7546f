package org.roce4j.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.manual.AnswerSteps.refused;

import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.junit.Completion;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Chapter 5.4: completion queues. */
@DisplayName("Completion queues")
@EmulatedRdma
@Timeout(60)
class CompletionQueueQuestionsTest {
  /** A queue pair whose receives are flushed into a completion queue of its own. */
  private static QueuePair flushing(Context context, CompletionQueue cq, int receives) {
    QueuePair qp =
        context
            .allocPd()
            .createQp(
                new QpInitAttr()
                    .qpType(QpType.RC)
                    .cq(cq)
                    .cap(new QpCapabilities(1, Math.max(1, receives), 1, 1)));
    QpBringUp.to(QpState.INIT, qp, QpBringUp.attributes());
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      for (int i = 0; i < receives; i++) {
        qp.postRecvOrThrow(list.clear().add().wrId(i));
      }
    }
    return qp;
  }

  private static void flush(QueuePair qp) {
    qp.modify(new QpAttr().qpState(QpState.ERR));
  }

  private static int completions(CompletionQueue cq) {
    try (WorkCompletions all = new WorkCompletions(64)) {
      return cq.pollOrThrow(all);
    }
  }

  @DisplayName("What is a CQ good for? (it tells how each request has ended)")
  @Test
  void details(Context a, Context b) {
    try (AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      ends.far().postReceive(1, 0, 64);
      ends.near().postSend(2, 0, 10);
      Completion received = ends.far().next();
      assertEquals(1, received.wrId());
      assertEquals(WcStatus.SUCCESS, received.status());
      assertEquals(WcOpcode.RECV, received.opcode());
      assertEquals(10, received.bytes());
      assertEquals(ends.far().qp().qpNum(), received.qpNum());
    }
  }

  @DisplayName("May a QP have different CQs for its send and its receive queue?")
  @Test
  void two(Context a, Context b) {
    try (AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      CompletionQueue sends = a.createCq(4);
      CompletionQueue receives = a.createCq(4);
      QueuePair qp =
          ends.near()
              .pd()
              .createQp(new QpInitAttr().sendCq(sends).recvCq(receives).qpType(QpType.RC));
      assertSame(sends, qp.sendCq());
      assertSame(receives, qp.recvCq());
      QpBringUp.toRts(qp, RdmaEnd.toward(qp));
      qp.postRecvOrThrow(ends.near().receive(1, 0, 64));
      flush(qp);
      assertEquals(1, completions(receives));
      assertEquals(0, completions(sends));
      qp.postSendOrThrow(ends.near().request(2, WrOpcode.SEND, 0, 64));
      assertEquals(1, completions(sends));
      assertEquals(0, completions(receives));
      qp.close();
    }
  }

  @DisplayName("May several QPs have one CQ?")
  @Test
  void several(Context context) {
    CompletionQueue cq = context.createCq(8);
    for (int i = 0; i < 3; i++) {
      flush(flushing(context, cq, 2));
    }
    assertEquals(6, completions(cq));
  }

  @DisplayName("How large should a CQ be? (as many entries as requests may be outstanding)")
  @Test
  void size(Context context) {
    CompletionQueue cq = context.createCq(10);
    flush(flushing(context, cq, cq.cqe()));
    assertEquals(Math.min(64, cq.cqe()), completions(cq));
    assertNull(context.pollAsyncEvent(), "there is room for each");
  }

  @DisplayName("What if the CQ is too small? (CQ_ERR; here the completion is lost, poll says EIO)")
  @Test
  void overflow(Context context) {
    CompletionQueue cq = context.createCq(1);
    int size = cq.cqe();
    flush(flushing(context, cq, size + 1));
    AsyncEvent event = context.getAsyncEvent();
    assertEquals(EventType.CQ_ERR, event.type());
    assertSame(cq, event.cq());
    event.ack();
    assertEquals(size, completions(cq));
    refused(Errno.EIO, () -> completions(cq));
  }

  @DisplayName("Which values may cq_context have?")
  @Test
  void userContext(Context context) {
    Object mine = Set.of("anything");
    assertSame(mine, context.createCq(1, mine, null, 0).userContext());
    assertEquals(null, context.createCq(1).userContext());
  }

  @DisplayName("ibv_resize_cq() failed: what of its QPs?")
  @Test
  void resizeFailed(Context a, Context b) {
    try (AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      refused(Errno.EINVAL, () -> ends.near().cq().resize(a.queryDevice().maxCqe() + 1));
      ends.work();
    }
  }

  @DisplayName("ibv_resize_cq() failed: can I know how many completions there are? (no)")
  @Test
  void resizeFailedBelowFill(Context context) {
    CompletionQueue cq = context.createCq(16);
    flush(flushing(context, cq, 16));
    refused(Errno.EINVAL, () -> cq.resize(1));
    assertEquals(16, completions(cq), "by taking them alone");
  }

  @DisplayName("May I resize a CQ that has completions?")
  @Test
  void resizeFilled(Context context) {
    CompletionQueue cq = context.createCq(4);
    flush(flushing(context, cq, 3));
    cq.resize(40);
    assertTrue(cq.cqe() >= 40);
    assertEquals(3, completions(cq));
  }

  @DisplayName("I asked for a notification and got no event yet: may I resize the CQ?")
  @Test
  void resizeArmed(Context context) {
    CompletionChannel channel = context.createCompletionChannel();
    CompletionQueue cq = context.createCq(4, null, channel, 0);
    cq.requestNotification(false);
    cq.resize(8);
    flush(flushing(context, cq, 1));
    assertSame(cq, channel.getCqEvent());
    cq.ackEvents(1);
  }

  @DisplayName(
      "I made the CQ smaller and its size did not change: why? (what is asked is the least)")
  @Test
  void smaller(Context context) {
    CompletionQueue cq = context.createCq(100);
    cq.resize(10);
    assertTrue(cq.cqe() >= 10);
    flush(flushing(context, cq, 10));
    assertEquals(10, completions(cq));
  }

  @DisplayName("ibv_destroy_cq() failed: what of its QPs?")
  @Test
  void destroyFailed(Context a, Context b) {
    try (AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      refused(Errno.EBUSY, ends.near().cq()::close);
      ends.work();
    }
  }

  @DisplayName("ibv_destroy_cq() failed: can I know because of which QPs? (no; it says what kind)")
  @Test
  void destroyFailedBecauseOf(Context a, Context b) {
    try (AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      String message = refused(Errno.EBUSY, ends.near().cq()::close);
      assertTrue(message.contains("queue pair"), message);
    }
  }

  @DisplayName("May I destroy a CQ that has completions?")
  @Test
  void destroyFilled(Context context) {
    CompletionQueue cq = context.createCq(4);
    QueuePair other = flushing(context, cq, 3);
    flush(other);
    other.close();
    cq.close();
  }

  @DisplayName("I asked for a notification and got no event yet: may I destroy the CQ?")
  @Test
  void destroyArmed(Context context) {
    CompletionChannel channel = context.createCompletionChannel();
    CompletionQueue cq = context.createCq(4, null, channel, 0);
    cq.requestNotification(false);
    cq.close();
    channel.close();
  }

  @DisplayName("ibv_destroy_cq() does not return: why? (an event of it is not acknowledged)")
  @Test
  void destroyWaits(Context context) {
    CompletionQueue cq = context.createCq(1);
    QueuePair qp = flushing(context, cq, cq.cqe() + 1);
    flush(qp);
    AsyncEvent event = context.getAsyncEvent();
    assertEquals(EventType.CQ_ERR, event.type());
    qp.close();
    AnswerSteps.returnsAfter(event::ack, cq::close);
  }
}
