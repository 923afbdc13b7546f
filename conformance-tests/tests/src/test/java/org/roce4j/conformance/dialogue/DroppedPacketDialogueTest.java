package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.fabric.FabricFilter;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;
import org.roce4j.wire.Transport;

/** Rc-transport 4, check 0: what is dropped silently and counted, and what must be ignored. */
@Holds(Rule.PACKET_CHECKS)
class DroppedPacketDialogueTest extends DialogueFixture {
  DroppedPacketDialogueTest() {
    super(rc());
  }

  private PacketDraft write() {
    return peer.write(0, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq();
  }

  private void isDropped(Counter counter, PacketDraft draft) {
    d.says(draft);
    d.hearsNothing();
    assertEquals(1, qp.counter(counter));
    qp.isIn(QpState.RTS);
    qp.nothingLanded();
    d.says(write());
    d.hears(here.ack(0, 1));
  }

  @Test
  void dropsAnotherService() {
    ConnectedPackets wrong =
        new ConnectedPackets(Transport.UC, qp.qp.qpNum(), peer.requestPsn(), peer.responsePsn());
    isDropped(Counter.WRONG_SERVICE, wrong.write(0, qp.va(0), qp.region.rkey(), 8).bytes(0, 8));
  }

  @Test
  void dropsAWrongIcrc() {
    qp.fabric.filter((source, destination, buffer, at, length, n) -> FabricFilter.Verdict.CORRUPT);
    d.says(write());
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.ICRC_ERROR));
    qp.nothingLanded();
    qp.fabric.filter(null);
    d.says(write());
    d.hears(here.ack(0, 1));
  }

  @Test
  @DisplayName("a packet to another address of the device is not for a queue pair of this one")
  void dropsWhatIsSentToAnotherOfItsAddresses() {
    Gid another = Gid.parse("10.0.0.9");
    try (QpUnderTest both = rc().alsoAt(another).inRts()) {
      PacketDraft draft =
          both.peer.write(0, both.va(0), both.region.rkey(), 8).bytes(0, 8).ackReq();
      both.dialogue.says(draft.to(another));
      both.dialogue.hearsNothing();
      assertEquals(1, both.counter(Counter.WRONG_ADDRESS));
      both.dialogue.says(draft);
      both.dialogue.hears(both.here.ack(0, 1));
    }
  }
}
