package org.roce4j.conformance.dialogue;

import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.WcStatus;

/** Rulings R2 and R3: what an acknowledgement stands for, and what only data can answer. */
@Holds(Rule.R2)
class ImplicitAcknowledgementDialogueTest extends DialogueFixture {
  private static final long VA = 0x1000;
  private static final int RKEY = 77;

  ImplicitAcknowledgementDialogueTest() {
    super(rc());
  }

  @Test
  @DisplayName("R3: a READ is never blamed for the receiver that a later SEND did not find")
  @Holds(Rule.R3)
  void doesNotFailTheReadWithRnrRetryExceeded() {
    QpUnderTest impatient = rc().rnrRetry(0).retryCount(1).inRts();
    Dialogue talk = impatient.dialogue;
    impatient.postsRead(1, 100, VA, RKEY);
    impatient.postsSend(2, 10);
    ConnectedPackets it = impatient.here;
    talk.hears(it.read(0, VA, RKEY, 100), it.send(1).bytes(0, 10).ackReq());
    talk.says(impatient.peer.rnrNak(1, 14, 1));
    talk.hearsAt(Dialogue.ms(1.28), it.read(0, VA, RKEY, 100));
    talk.hears(it.send(1).bytes(0, 10).ackReq());
    talk.says(impatient.peer.readOnly(0, 1).bytes(0, 100), impatient.peer.rnrNak(1, 14, 1));
    impatient.sent(1, WcStatus.SUCCESS);
    impatient.sent(2, WcStatus.RNR_RETRY_EXC_ERR);
    impatient.close();
  }
}
