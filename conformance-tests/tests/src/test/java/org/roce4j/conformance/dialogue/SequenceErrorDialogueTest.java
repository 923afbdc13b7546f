package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.Dialogue.ms;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.QpState;

/** Rc-transport 4, check 1: PSNs at, behind and ahead of the expected one. */
@Holds(Rule.SEQUENCE_NAK)
class SequenceErrorDialogueTest extends DialogueFixture {
  SequenceErrorDialogueTest() {
    super(rc().minRnrTimer(1));
  }

  private void from(int firstPsn) {
    begin(rc().psns(1, firstPsn));
  }

  private PacketDraft write(int psn) {
    return peer.write(psn, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq();
  }

  @Test
  @DisplayName("the NAK acknowledges everything before it")
  void putsTheNakInPlaceOfTheAck() {
    d.says(write(0), write(2));
    d.hears(here.sequenceNak(1, 1));
    d.hearsNothing();
  }

  @Test
  @DisplayName("packets that overtook each other in one batch: a NAK only for what still lacks")
  void saysNoNakForWhatCameAgainInTheSameBatch() {
    d.says(write(1), write(0), write(1));
    d.hears(here.ack(1, 2));
    d.hearsNothing();
    d.says(write(3), write(2));
    d.hears(here.sequenceNak(3, 3));
    d.hearsNothing();
    d.says(write(3));
    d.hears(here.ack(3, 4));
    d.says(write(6), write(5), write(4), write(5));
    d.hears(here.sequenceNak(6, 6));
    d.hearsNothing();
  }

  @Test
  @DisplayName("R4: an RNR NAK of the same batch takes the place of the sequence NAK")
  @Holds(Rule.R4)
  void saysTheRnrNakInPlaceOfTheSequenceNak() {
    d.says(write(1), peer.send(0).bytes(0, 8).ackReq());
    d.hears(here.rnrNak(0, 1, 0));
    d.hearsNothing();
    assertEquals(0, qp.counter(Counter.SENT_SEQUENCE_NAK));
  }

  @Test
  @DisplayName("R4: after an RNR NAK no sequence NAK until the expected PSN has come")
  @Holds(Rule.R4)
  void saysNoSequenceNakAfterAnRnrNak() {
    d.says(peer.send(0).bytes(0, 8).ackReq());
    d.hears(here.rnrNak(0, 1, 0));
    d.says(peer.send(1).bytes(0, 8).ackReq(), peer.send(2).bytes(0, 8).ackReq());
    d.hearsNothingUntil(ms(100));
    qp.postsReceive(1, 8);
    d.says(peer.send(0).bytes(0, 8).ackReq());
    d.hears(here.ack(0, 1));
    d.says(peer.send(2).bytes(0, 8).ackReq());
    d.hears(here.sequenceNak(1, 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 0x7fffff, 0x800000, 0xfffffe, 0xffffff})
  @DisplayName("the expected PSN is taken, wherever it lies, and the next one after the wrap too")
  @Holds(Rule.PSN_ORDER)
  void takesTheExpectedPsn(int firstPsn) {
    from(firstPsn);
    d.says(write(0), write(1), write(2));
    d.hears(here.ack(2, 3));
    qp.isIn(QpState.RTS);
    assertEquals(firstPsn + 3 & 0xffffff, qp.qp.query().rqPsn());
  }

  @Test
  @DisplayName("R4: nor does a duplicate make room for a sequence NAK after an RNR NAK")
  @Holds(Rule.R4)
  void staysSilentAfterAnRnrNakAndADuplicate() {
    qp.postsReceive(1, 10);
    d.says(peer.send(0).bytes(0, 10).ackReq(), peer.send(1).bytes(0, 10).ackReq());
    d.hears(here.rnrNak(1, 1, 1));
    d.hearsNothing();
    d.says(peer.send(0).bytes(0, 10).ackReq());
    d.hears(here.ack(0, 1));
    d.says(peer.send(2).bytes(0, 10).ackReq());
    d.hearsNothing();
  }
}
