package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.wire.view.BothEnds.answer;
import static org.roce4j.wire.view.BothEnds.send;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.RocePacket;

/** Captures within a machine, whose ends have one address, and captures of IPv6. */
class OtherAddressesTest {
  @TempDir private Path directory;
  private BothEnds ends;

  private static List<String> states(View view) {
    return EndStates.of(view.connections().getFirst(), view).stream()
        .map(c -> (c.left() ? "left " : "right ") + (c.packet() + 1) + " " + c.state())
        .toList();
  }

  private static RocePacket local(RocePacket packet) {
    return RocePacket.of(
        Ipv4Header.of(0x7F000001, 0x7F000001, 0),
        0xC000,
        packet.bth(),
        packet.extensions(),
        packet.payload());
  }

  /** The addresses of its ends do not tell. */
  @Test
  void withinAMachineAPacketIsOfTheEndThatItDoesNotGoTo() throws IOException {
    ends = new BothEnds(directory);
    ends.lost(0, local(send(5)));
    ends.lost(100, local(answer(5, Aeth.ACK)));
    ends.close();
    assertEquals(
        List.of("left 1 RTS", "right 2 RTR"), states(View.read(List.of(ends.server), List.of())));
  }

  /** Whatever the flow label beside it is. */
  @Test
  void aRouterMarksTheTrafficClassOfIpv6() throws IOException {
    for (int marked : new int[] {0, 3}) {
      RocePacket packet =
          RocePacket.of(
              new Ipv6Header(marked, 3 - marked, 0, 64, 0, 1, 0, 2),
              0xC000,
              BaseHeader.of(Opcode.RC_SEND_ONLY, BothEnds.SERVER_QP, false, 5),
              List.of(),
              Bytes.NONE);
      ends = new BothEnds(directory);
      ends.passes(0, 100, packet);
      List<RuleJudgement> found = Judge.of(ends.ofClient().packets().getFirst(), Optional.empty());
      assertEquals(
          marked == 3,
          found.stream().anyMatch(each -> each.rule() == ProtocolRule.CONGESTION_MARK));
    }
  }
}
