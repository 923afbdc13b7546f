package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
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
}
