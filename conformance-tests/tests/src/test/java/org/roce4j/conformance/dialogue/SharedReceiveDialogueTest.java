package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.WcStatus;

/** A shared receive queue (rc-transport 5.1, 5.3). */
@Holds(Rule.SHARED_RECEIVE)
class SharedReceiveDialogueTest extends DialogueFixture {
  SharedReceiveDialogueTest() {
    super(rc().sharedReceiveQueue(16).minRnrTimer(1));
  }

  private void receives(int psn) {
    d.says(peer.send(psn).bytes(0, 10).ackReq());
    d.hears(here.ack(psn, psn + 1));
    qp.received(psn, 10);
  }

  private void arm(int limit) {
    qp.srq.modify(new SrqAttr(0, 0, limit), SrqAttrMask.LIMIT);
  }

  @Test
  @DisplayName("the limit: one event when fewer than that remain, then disarmed")
  @Holds(Rule.SRQ_LIMIT)
  void raisesTheLimitEventOnce() {
    for (int i = 0; i < 6; i++) {
      qp.postsReceive(i, 10);
    }
    arm(4);
    receives(0);
    receives(1);
    qp.noEvent();
    receives(2);
    qp.event(EventType.SRQ_LIMIT_REACHED);
    assertEquals(0, qp.srq.query().limit());
    receives(3);
    qp.noEvent();
    arm(4);
    receives(4);
    qp.event(EventType.SRQ_LIMIT_REACHED);
  }

  @Test
  @DisplayName("requests go to whoever's message comes first")
  void servesTwoQueuePairs() {
    QpUnderTest.Second other = qp.second();
    qp.postsReceive(1, 600);
    qp.postsReceive(2, 600);
    d.says(
        peer.sendFirst(0).bytes(0, 256),
        other.peer().sendFirst(0).bytes(0, 256),
        peer.sendLast(1).bytes(256, 300),
        other.peer().sendLast(1).bytes(256, 310));
    qp.received(1, 300);
    assertEquals(qp.qp.qpNum(), qp.lastCompletion().qpNum(0));
    qp.received(2, 310);
    assertEquals(other.qp().qpNum(), qp.lastCompletion().qpNum(0));
  }

  @Test
  @DisplayName("buffers are of the shared queue's domain, whatever that of the queue pair")
  @Holds(Rule.LOCAL_KEY)
  void takesBuffersOfItsOwnDomain() {
    ProtectionDomain other = qp.context.allocPd();
    QueuePair queuePair =
        other.createQp(
            new QpInitAttr()
                .qpType(QpType.UD)
                .sendCq(qp.sendCq)
                .recvCq(qp.recvCq)
                .srq(qp.srq)
                .cap(new QpCapabilities(1, 0, 1, 0, 0)));
    QpBringUp.to(QpState.RTR, queuePair, QpBringUp.attributes().qkey(5));
    DatagramPackets sender = new DatagramPackets(queuePair.qpNum(), QpUnderTest.PEER_QPN, 5, 0);
    qp.postsReceive(1, 50);
    d.says(sender.send(0).bytes(0, 10));
    qp.received(1, 50);
    qp.postsReceive(2, 50, other.registerMemory(qp.memory, AccessFlags.LOCAL_WRITE).lkey());
    d.says(sender.send(1).bytes(0, 10));
    qp.received(2, WcStatus.LOC_PROT_ERR);
  }
}
