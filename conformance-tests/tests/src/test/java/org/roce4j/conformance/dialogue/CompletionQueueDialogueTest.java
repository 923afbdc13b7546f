package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.dialogue.QpSetup.rc;
import static org.roce4j.conformance.dialogue.QpSetup.ud;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcStatus;

/** CQ overflow (rc-transport 5 and 10). */
@Holds(Rule.CQ_OVERFLOW)
class CompletionQueueDialogueTest extends DialogueFixture {
  private static final int QKEY = 0x1234;

  private void postsSends(int count) {
    for (int i = 0; i < count; i++) {
      qp.postsSend(i, 10);
      d.hears(here.send(i).bytes(0, 10).ackReq());
    }
  }

  @Test
  @DisplayName("a send CQ overflows: CQ_ERR and QP_FATAL, ERR; what it holds can still be polled")
  void failsWhenASendCompletionFindsNoRoom() {
    begin(rc().sendCqe(4));
    postsSends(5);
    d.says(peer.ack(4, 5));
    qp.isIn(QpState.ERR);
    qp.event(EventType.CQ_ERR);
    qp.event(EventType.QP_FATAL);
    qp.noEvent();
    for (int i = 0; i < 4; i++) {
      qp.sent(i, WcStatus.SUCCESS);
    }
    assertTrue(qp.sendCq.poll(qp.lastCompletion()) < 0, "the queue tells that it lost something");
    assertEquals(1, qp.counter(Counter.CQ_OVERFLOW));
  }

  @Test
  @DisplayName(
      "a datagram to a group overflows it: told with that datagram, though nothing follows")
  void failsWhenADatagramToAGroupFindsNoRoom() {
    Gid group = Gid.parse("239.1.2.3");
    begin(ud().qkey(QKEY).recvCqe(2));
    qp.qp.attachMulticast(group);
    DatagramPackets toAll = new DatagramPackets(0xffffff, QpUnderTest.PEER_QPN, QKEY, 0);
    for (int i = 0; i < 3; i++) {
      qp.postsReceive(i, GlobalRouteHeader.SIZE + 10);
      d.says(toAll.send(i).to(group).bytes(0, 10));
    }
    qp.isIn(QpState.ERR);
    qp.event(EventType.CQ_ERR);
    qp.event(EventType.QP_FATAL);
    qp.received(0, GlobalRouteHeader.SIZE + 10);
    qp.received(1, GlobalRouteHeader.SIZE + 10);
    qp.qp.detachMulticast(group);
  }

  @Test
  @DisplayName("what a verb flushes overflows it: told with that verb, though nothing follows")
  void failsWhenAFlushFindsNoRoom() {
    begin(rc().recvCqe(2));
    QpUnderTest.Second other = qp.second();
    for (int i = 0; i < 3; i++) {
      qp.postsReceive(i, 10);
    }
    qp.moves(QpState.ERR);
    assertEquals(QpState.ERR, other.qp().state());
    qp.event(EventType.CQ_ERR);
    qp.event(EventType.QP_FATAL); // of the other
    assertEquals(1, qp.counter(Counter.CQ_OVERFLOW));
  }

  @Test
  @DisplayName("other queue pairs of the CQ fail with it, but not one that is in RESET (R13)")
  void failsTheOtherQueuePairsOfTheQueue() {
    begin(rc().sendCqe(2));
    QpUnderTest.Second other = qp.second();
    QueuePair unused = qp.createQp();
    postsSends(3);
    d.says(peer.ack(2, 3));
    qp.isIn(QpState.ERR);
    assertEquals(QpState.ERR, other.qp().state());
    assertEquals(QpState.RESET, unused.state());
  }
}
