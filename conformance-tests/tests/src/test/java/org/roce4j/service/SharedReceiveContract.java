package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.junit.Completion;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * Three RC connections from the left device to the right one, whose queue pairs share one receive
 * queue.
 */
@Timeout(60)
abstract class SharedReceiveContract {
  private static final int CONNECTIONS = 3;

  private final QueuePair[] senders = new QueuePair[CONNECTIONS];
  private final QueuePair[] receivers = new QueuePair[CONNECTIONS];
  private End left;
  private End right;
  private SharedReceiveQueue srq;

  @BeforeEach
  void open(Context first, Context second) {
    left = new End(first);
    right = new End(second);
    srq = right.pd.createSrq(new SrqInitAttr(8, 1));
    for (int i = 0; i < CONNECTIONS; i++) {
      senders[i] = left.queuePair(QpType.RC, null);
      receivers[i] = right.queuePair(QpType.RC, srq);
      left.connect(senders[i], right, receivers[i]);
      right.connect(receivers[i], left, senders[i]);
    }
  }

  private void send(int connection, int wrId, int value) {
    left.fill(wrId, value, 100);
    left.request(wrId, WrOpcode.SEND, wrId, 100);
    left.post(senders[connection]);
  }

  private void postReceives(int from, int to) {
    for (int i = from; i < to; i++) {
      right.receive(srq, i, End.PIECE);
    }
  }

  @Test
  void messagesTakeTheReceivesInTheOrderOfTheirArrival() {
    postReceives(0, 6);
    for (int i = 0; i < 6; i++) {
      send(i % CONNECTIONS, i, i + 1);
      left.next(i);
      Completion received = right.next(i);
      assertEquals(receivers[i % CONNECTIONS].qpNum(), received.qpNum());
      right.assertReceived(i, 0, i + 1, 100);
    }
  }

  @Test
  void anEmptyQueueMakesTheSenderWaitUntilOneIsPosted() {
    send(0, 0, 5);
    while (left.counter("rcvd_rnr_err") == 0) {
      left.poll();
      right.poll();
    }
    left.assertNothing();
    postReceives(3, 4);
    right.next(3);
    left.next(0);
    right.assertReceived(3, 0, 5, 100);
    assertTrue(right.counter("send_rnr_err") >= 1);
    assertEquals(QpState.RTS, senders[0].state());
  }

  @Test
  void theLimitEventComesOnceForEachArming() {
    postReceives(0, 8);
    srq.modify(new SrqAttr(0, 0, 6), SrqAttrMask.LIMIT);
    assertEquals(new SrqAttr(8, 1, 6), srq.query());
    for (int i = 0; i < 2; i++) {
      send(0, i, 1);
      right.next(i);
    }
    assertNull(right.context.pollAsyncEvent(), "six are left, which is not below the limit");
    send(1, 2, 1);
    right.next(2);
    AsyncEvent event = right.event();
    assertEquals(EventType.SRQ_LIMIT_REACHED, event.type());
    assertSame(srq, event.srq());
    assertEquals(0, srq.query().limit(), "it is disarmed");
    send(2, 3, 1);
    right.next(3);
    assertNull(right.context.pollAsyncEvent());

    srq.modify(new SrqAttr(0, 0, 4), SrqAttrMask.LIMIT);
    send(0, 4, 1);
    right.next(4);
    assertEquals(EventType.SRQ_LIMIT_REACHED, right.event().type());
    assertNull(right.context.pollAsyncEvent());
  }

  @Test
  void aQueuePairThatFailsTakesNoReceiveWithItAndSaysThatItsLastWasTaken() {
    postReceives(0, 2);
    receivers[0].modify(new QpAttr().qpState(QpState.ERR));
    AsyncEvent event = right.event();
    assertEquals(EventType.QP_LAST_WQE_REACHED, event.type());
    assertSame(receivers[0], event.qp());
    receivers[0].modify(new QpAttr().qpState(QpState.ERR));
    assertNull(right.context.pollAsyncEvent());

    send(1, 0, 7);
    right.next(0);
    send(2, 1, 8);
    right.next(1);
    right.assertReceived(1, 0, 8, 100);
  }

  @Test
  void aQueuePairDestroyedUnderTrafficTakesNothingFromTheOthers() {
    underTraffic(QueuePair::close);
    for (int i = 1; i < CONNECTIONS; i++) {
      receivers[i].close();
    }
    srq.close();
  }

  @Test
  void soDoesOneThatIsReset() {
    underTraffic(qp -> qp.modify(new QpAttr().qpState(QpState.RESET)));
    assertEquals(QpState.RESET, receivers[0].state());
  }

  /** Every connection carries messages of several packets when the first receiver is destroyed. */
  private void underTraffic(Consumer<QueuePair> goes) {
    int messages = 2;
    postReceives(0, 8);
    for (int i = 0; i < CONNECTIONS; i++) {
      for (int m = 0; m < messages; m++) {
        int piece = i * messages + m;
        left.fill(piece, piece + 1, End.PIECE);
        left.request(piece, WrOpcode.SEND, piece, End.PIECE);
        left.post(senders[i]);
      }
    }
    while (right.counter("rcvd_pkts") == 0) {
      left.poll();
      right.poll();
    }
    goes.accept(receivers[0]);
    senders[0].modify(new QpAttr().qpState(QpState.ERR));
    int[] arrived = new int[CONNECTIONS];
    while (arrived[1] < messages || arrived[2] < messages) {
      left.poll();
      Completion received = right.next();
      assertEquals(WcStatus.SUCCESS, received.status(), received.toString());
      int i = received.qpNum() == receivers[1].qpNum() ? 1 : 2;
      if (received.qpNum() == receivers[i].qpNum()) {
        int value = i * messages + arrived[i]++ + 1;
        right.assertReceived((int) received.wrId(), 0, value, End.PIECE);
      }
    }
    send(1, 15, 9); // the rest of the requests serves the next message
    while (right.next().qpNum() != receivers[1].qpNum()) {
      // Completions of the destroyed queue pair from before its end.
    }
  }
}
