package org.roce4j.conformance.dialogue;

import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WrOpcode;

/** Completion events (rc-transport 10): one per arming; solicited ones, and errors. */
@Holds(Rule.SOLICITED)
class NotificationDialogueTest extends DialogueFixture {
  NotificationDialogueTest() {
    super(rc());
  }

  private void receives(int psn, PacketDraft draft) {
    qp.postsReceive(psn, 10);
    d.says(draft.bytes(0, 10).ackReq());
    d.hears(here.ack(psn, psn + 1));
  }

  @Test
  @Holds(Rule.NOTIFICATION)
  void tellsOncePerArming() {
    receives(0, peer.send(0));
    qp.notNotified();
    qp.recvCq.requestNotification(false);
    qp.notNotified();
    receives(1, peer.send(1));
    qp.notified(qp.recvCq);
    receives(2, peer.send(2));
    qp.notNotified();
  }

  @Test
  @DisplayName("armed for solicited: only a packet with SE tells")
  void waitsForASolicitedPacket() {
    qp.recvCq.requestNotification(true);
    receives(0, peer.send(0));
    qp.notNotified();
    receives(1, peer.send(1).solicited());
    qp.notified(qp.recvCq);
  }

  @Test
  @DisplayName("armed for solicited: an error tells too, flushed requests as well")
  void tellsErrorsToWhoeverWaitsForSolicited() {
    qp.postsReceive(0, 10);
    qp.recvCq.requestNotification(true);
    qp.moves(QpState.ERR);
    qp.notified(qp.recvCq);
  }

  @Test
  @DisplayName("arming for any overrides arming for solicited")
  @Holds(Rule.NOTIFICATION)
  void tellsAnyWhenArmedForBoth() {
    qp.recvCq.requestNotification(false);
    qp.recvCq.requestNotification(true);
    receives(0, peer.send(0));
    qp.notified(qp.recvCq);
  }

  @Test
  @DisplayName("SE is set on the last packet of a SEND alone")
  void asksForAnEventWithTheLastPacket() {
    qp.posts(
        qp.request(1, WrOpcode.SEND)
            .flags(SendFlags.SIGNALED | SendFlags.SOLICITED)
            .sge(qp.region, 0, 300));
    d.hears(here.sendFirst(0).bytes(0, 256), here.sendLast(1).bytes(256, 300).ackReq().solicited());
  }

  @Test
  @DisplayName("a plain WRITE never bears SE, a WRITE with Immediate may")
  void asksForAnEventWithImmediateAlone() {
    int flags = SendFlags.SIGNALED | SendFlags.SOLICITED;
    qp.posts(qp.request(1, WrOpcode.RDMA_WRITE).flags(flags).remote(8, 7).sge(qp.region, 0, 10));
    qp.posts(
        qp.request(2, WrOpcode.RDMA_WRITE_WITH_IMM)
            .flags(flags)
            .remote(8, 7)
            .immediate(5)
            .sge(qp.region, 0, 10));
    d.hears(
        here.write(0, 8, 7, 10).bytes(0, 10).ackReq(),
        here.writeImmediate(1, 8, 7, 10, 5).bytes(0, 10).ackReq().solicited());
  }

  @Test
  @DisplayName("a completion queue that was armed is still armed when it has another size")
  @Holds(Rule.NOTIFICATION)
  void staysArmedWhenResized() {
    qp.recvCq.requestNotification(false);
    qp.recvCq.resize(8);
    receives(0, peer.send(0));
    qp.notified(qp.recvCq);
    qp.recvCq.requestNotification(true);
    qp.recvCq.resize(16);
    receives(1, peer.send(1));
    qp.notNotified();
    receives(2, peer.send(2).solicited());
    qp.notified(qp.recvCq);
  }
}
