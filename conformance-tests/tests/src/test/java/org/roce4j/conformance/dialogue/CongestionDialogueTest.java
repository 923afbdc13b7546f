package org.roce4j.conformance.dialogue;

import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;

/** Congestion marks (wire-format 8.3, 8.4): told to the sender, at most every 50 microseconds. */
@Holds(Rule.CONGESTION)
class CongestionDialogueTest extends DialogueFixture {

  CongestionDialogueTest() {
    super(rc());
  }

  private PacketDraft write(int psn) {
    return peer.write(psn, qp.va(0), qp.region.rkey(), 8).bytes(0, 8);
  }

  @Test
  @DisplayName("each queue pair has a rate of its own")
  void countsTheRatePerQueuePair() {
    QpUnderTest.Second other = qp.second();
    d.says(
        write(0).congested(),
        other.peer().write(0, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).congested());
    d.hears(here.congestionNotification(), other.here().congestionNotification());
  }
}
