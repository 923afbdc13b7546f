package org.roce4j.conformance.dialogue;

import static org.roce4j.conformance.dialogue.Dialogue.ms;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.WcStatus;

/** RNR NAKs from both sides: rulings R4, R8 and R14. */
@Holds(Rule.RECEIVE_RESOURCE)
class ReceiverNotReadyDialogueTest extends DialogueFixture {
  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  // ---- requester

  @Test
  @DisplayName("R8: rnr_retry 7 is endless")
  @Holds(Rule.R8)
  void neverGivesUp() {
    begin(rc().rnrRetry(7));
    qp.postsSend(1, 10);
    d.hears(send(0));
    for (int attempt = 1; attempt <= 1000; attempt++) {
      d.says(peer.rnrNak(0, 1, 0));
      d.hearsAt(attempt * ms(0.01), send(0));
    }
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
  }
}
