package org.roce4j.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.manual.AnswerSteps.refused;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WrOpcode;

/** Chapter 6.1: shared receive queues. */
@DisplayName("Shared receive queues")
@EmulatedRdma
@Timeout(60)
class SharedReceiveQuestionsTest {
  private RdmaEnd near;
  private RdmaEnd far;
  private SharedReceiveQueue srq;

  @BeforeEach
  void open(Context a, Context b) {
    near = new RdmaEnd(a, QpType.RC);
    far = new RdmaEnd(b, QpType.RC);
    srq = AnswerSteps.srq(far, 16);
  }

  @AfterEach
  void close() {
    near.context().close();
    far.context().close();
  }

  private void receives(int count) {
    for (int i = 0; i < count; i++) {
      srq.postRecvOrThrow(far.receive(100 + i, 4096, 104));
    }
  }

  /** Sends a message, which takes a receive. */
  private void send(QueuePair[] pair) {
    SendRequestList request = near.request(1, WrOpcode.SEND, 0, 64);
    if (pair[0].qpType() == QpType.UD) {
      AddressHandle there = near.pd().createAh(AhAttr.roce(far.gid(), 0));
      request.ud(there, pair[1].qpNum(), QpBringUp.QKEY);
    }
    pair[0].postSendOrThrow(request);
    assertEquals(pair[1].qpNum(), far.next().succeeded().qpNum());
    near.next().succeeded();
  }

  private void armed(int limit) {
    srq.modify(new SrqAttr(0, 0, limit), SrqAttrMask.LIMIT);
  }

  private AsyncEvent limitReached() {
    AsyncEvent event = far.context().getAsyncEvent();
    assertEquals(EventType.SRQ_LIMIT_REACHED, event.type());
    assertSame(srq, event.srq());
    return event;
  }

  @DisplayName("What is an SRQ good for? (ten QPs and two receives, not ten times two)")
  @Test
  void fewer() {
    receives(2);
    for (int i = 0; i < 10; i++) {
      send(AnswerSteps.sharing(near, far, srq, QpType.RC));
      receives(1);
    }
  }

  @DisplayName("May one SRQ serve several QPs?")
  @Test
  void several() {
    receives(4);
    List<QueuePair[]> pairs =
        List.of(
            AnswerSteps.sharing(near, far, srq, QpType.RC),
            AnswerSteps.sharing(near, far, srq, QpType.RC));
    for (int i = 0; i < 4; i++) {
      send(pairs.get(i % 2));
    }
  }

  @DisplayName("May one SRQ serve QPs of different transport types?")
  @Test
  void types() {
    receives(3);
    for (QpType type : List.of(QpType.RC, QpType.UC, QpType.UD)) {
      send(AnswerSteps.sharing(near, far, srq, type));
    }
  }

  @DisplayName("How do I use srq_limit?")
  @Test
  void limit() {
    receives(3);
    QueuePair[] pair = AnswerSteps.sharing(near, far, srq, QpType.RC);
    armed(2);
    send(pair);
    assertNull(far.context().pollAsyncEvent(), "two are left");
    send(pair);
    limitReached().ack();
  }

  @DisplayName("Which attributes should an SRQ have? (the most requests, the most elements of one)")
  @Test
  void attributes() {
    SharedReceiveQueue sized = far.pd().createSrq(new SrqInitAttr(5, 1));
    int most = sized.query().maxWr();
    assertTrue(most >= 5);
    for (int i = 0; i < most; i++) {
      sized.postRecvOrThrow(far.receive(i, 0, 64));
    }
    assertEquals(Errno.ENOMEM.number(), sized.postRecv(far.receive(9, 0, 64)));
    try (RecvRequestList list = new RecvRequestList(1, 9)) {
      list.add().wrId(1);
      for (int i = 0; i <= srq.query().maxSge(); i++) {
        list.sge(far.region(), 64L * i, 64);
      }
      assertEquals(Errno.EINVAL.number(), srq.postRecv(list), "one element too many");
    }
  }

  @DisplayName("Which values may srq_context have?")
  @Test
  void userContext() {
    Object mine = new Object();
    assertSame(mine, far.pd().createSrq(new SrqInitAttr(mine, 1, 1, 0)).userContext());
  }

  @DisplayName("ibv_modify_srq() failed: what are the attributes now?")
  @Test
  void modifyFailed() {
    armed(3);
    limitReached().ack();
    receives(5);
    armed(4);
    SrqAttr before = srq.query();
    refused(
        Errno.EINVAL,
        () -> srq.modify(new SrqAttr(1, 0, 2), SrqAttrMask.MAX_WR | SrqAttrMask.LIMIT));
    assertEquals(before, srq.query());
  }

  @DisplayName("The SRQ is armed with X: may I change that to Y?")
  @Test
  void rearmed() {
    receives(3);
    QueuePair[] pair = AnswerSteps.sharing(near, far, srq, QpType.RC);
    armed(3);
    armed(1);
    assertEquals(1, srq.query().limit());
    send(pair);
    send(pair);
    assertNull(far.context().pollAsyncEvent());
    send(pair);
    limitReached().ack();
  }

  @DisplayName("May I keep values of ibv_query_srq()? (the sizes; the limit is 0 after its event)")
  @Test
  void kept() {
    receives(2);
    QueuePair[] pair = AnswerSteps.sharing(near, far, srq, QpType.RC);
    armed(2);
    SrqAttr before = srq.query();
    send(pair);
    limitReached().ack();
    assertEquals(new SrqAttr(before.maxWr(), before.maxSge(), 0), srq.query());
  }

  @DisplayName("ibv_destroy_srq() failed: what of its QPs?")
  @Test
  void destroyFailed() {
    receives(1);
    QueuePair[] pair = AnswerSteps.sharing(near, far, srq, QpType.RC);
    refused(Errno.EBUSY, srq::close);
    send(pair);
  }

  @DisplayName("ibv_destroy_srq() failed: can I know because of which QPs? (no; it says what kind)")
  @Test
  void destroyFailedBecauseOf() {
    AnswerSteps.sharing(near, far, srq, QpType.RC);
    String message = refused(Errno.EBUSY, srq::close);
    assertTrue(message.contains("queue pair"), message);
  }

  @DisplayName("May I destroy an SRQ that has outstanding requests?")
  @Test
  void destroyFilled() {
    receives(10);
    srq.close();
  }

  @DisplayName("I armed the limit and got no event yet: may I destroy the SRQ?")
  @Test
  void destroyArmed() {
    receives(5);
    armed(2);
    srq.close();
    assertNull(far.context().pollAsyncEvent());
  }

  @DisplayName("ibv_destroy_srq() does not return: why? (an event of it is not acknowledged)")
  @Test
  void destroyWaits() {
    armed(2);
    AsyncEvent event = limitReached();
    AnswerSteps.returnsAfter(event::ack, srq::close);
  }
}
