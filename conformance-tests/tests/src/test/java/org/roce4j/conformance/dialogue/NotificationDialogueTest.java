package org.roce4j.conformance.dialogue;

import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;

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
