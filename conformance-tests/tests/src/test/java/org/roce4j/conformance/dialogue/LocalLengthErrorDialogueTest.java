package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.uc;

import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** R6: a message over the port's maximum of 2^31 bytes is not sent; the request fails locally. */
@Holds(Rule.R6)
class LocalLengthErrorDialogueTest {

  /** 2^31 + 2 bytes in two entries. */
  private static SendRequestList tooLong(QpUnderTest qp, WrOpcode opcode) {
    return qp.request(1, opcode)
        .remote(8, 7)
        .sge(qp.region.address(), Integer.MAX_VALUE, qp.region.lkey())
        .sge(qp.region.address(), 3, qp.region.lkey());
  }

  @Test
  @Holds(Rule.R15)
  void stopsTheSendQueueOfAnUnreliableOne() {
    try (QpUnderTest qp = uc().inRts()) {
      qp.posts(tooLong(qp, WrOpcode.SEND));
      qp.dialogue.hearsNothing();
      qp.sent(1, WcStatus.LOC_LEN_ERR);
      assertEquals(QpState.SQE, qp.qp.state());
    }
  }
}
