package org.roce4j.conformance.dialogue;

import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Rulings R2 and R3: what an acknowledgement stands for, and what only data can answer. */
@Holds(Rule.R2)
class ImplicitAcknowledgementDialogueTest extends DialogueFixture {
  private static final long VA = 0x1000;
  private static final int RKEY = 77;
  private static final long TIMEOUT_14 = 4096L << 14;

  ImplicitAcknowledgementDialogueTest() {
    super(rc());
  }

  private PacketDraft read(int psn, int length) {
    return here.read(psn, VA, RKEY, length);
  }

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  @Test
  @DisplayName("a READ response acknowledges the requests before it")
  @Holds(Rule.IMPLIED_ACK)
  void aReadResponseAcknowledgesWhatPrecedesIt() {
    qp.postsSend(1, 10);
    qp.postsRead(2, 100, VA, RKEY);
    d.hears(send(0), read(1, 100));
    d.says(peer.readOnly(1, 2).bytes(0, 100));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.SUCCESS);
    qp.landed(100);
  }

  @Test
  @DisplayName("R2: a plain ACK of its own PSN does not complete a READ")
  void doesNotCompleteAReadByAnAck() {
    qp.postsRead(1, 100, VA, RKEY);
    d.hears(read(0, 100));
    d.says(peer.ack(0, 1));
    qp.nothingSent();
    d.hearsNothingUntil(TIMEOUT_14 - 1);
    d.hearsAt(TIMEOUT_14, read(0, 100));
    d.says(peer.readOnly(0, 1).bytes(0, 100));
    qp.sent(1, WcStatus.SUCCESS);
    qp.landed(100);
  }

  @Test
  @DisplayName("R2: an ACK beyond a READ without data acknowledges only what precedes the READ")
  void retriesTheReadThatAnAckPassedOver() {
    qp.postsSend(1, 10);
    qp.postsRead(2, 100, VA, RKEY);
    qp.postsSend(3, 10);
    d.hears(send(0), read(1, 100), send(2));
    d.says(peer.ack(2, 3));
    qp.sent(1, WcStatus.SUCCESS);
    qp.nothingSent();
    d.hears(read(1, 100), send(2));
    d.says(peer.readOnly(1, 3).bytes(0, 100), peer.ack(2, 3));
    qp.sent(2, WcStatus.SUCCESS);
    qp.sent(3, WcStatus.SUCCESS);
    qp.landed(100);
  }

  @Test
  @DisplayName("R3: an RNR NAK behind a READ without data restarts at the READ, after the wait")
  @Holds(Rule.R3)
  void restartsAtTheReadAfterAnRnrNak() {
    qp.postsRead(1, 100, VA, RKEY);
    qp.postsSend(2, 10);
    d.hears(read(0, 100), send(1));
    d.says(peer.rnrNak(1, 14, 1));
    d.hearsAt(Dialogue.ms(1.28), read(0, 100));
    d.hears(send(1));
    qp.nothingSent();
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

  @Test
  @DisplayName("R3: a fatal NAK for a later request does not complete the READ before it")
  @Holds(Rule.R3)
  void asksForTheReadBeforeItFailsTheLaterRequest() {
    qp.postsRead(1, 100, VA, RKEY);
    qp.postsWrite(2, 10, VA, RKEY);
    d.hears(read(0, 100), here.write(1, VA, RKEY, 10).bytes(0, 10).ackReq());
    d.says(peer.remoteAccessNak(1, 1));
    qp.nothingSent();
    d.hears(read(0, 100), here.write(1, VA, RKEY, 10).bytes(0, 10).ackReq());
    d.says(peer.readOnly(0, 1).bytes(0, 100), peer.remoteAccessNak(1, 1));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.REM_ACCESS_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("an ATOMIC_WRITE is completed by an empty READ response alone")
  void completesAnAtomicWriteByItsOwnResponse() {
    qp.posts(qp.request(1, WrOpcode.ATOMIC_WRITE).remote(VA, RKEY).sge(qp.region, 0, 8));
    d.hears(here.atomicWrite(0, VA, RKEY, 8).bytes(0, 8));
    d.says(peer.ack(0, 1));
    qp.nothingSent();
    d.says(peer.readOnly(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
  }
}
