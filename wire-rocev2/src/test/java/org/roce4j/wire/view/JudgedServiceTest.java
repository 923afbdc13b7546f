package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Golden;

/** What the service of a packet means for its judgement, for every opcode. */
class JudgedServiceTest {
  static Stream<String> golden() {
    return Golden.packets().map(Golden.Vector::name).filter(name -> name.endsWith("/v4"));
  }

  /** Which rules a packet of a service shows, for every opcode. */
  @ParameterizedTest
  @MethodSource("golden")
  void whoRepairsALossIsItsService(String name) {
    Golden.Vector golden = Golden.packets().filter(v -> v.name().equals(name)).findAny().get();
    ByteBuffer packet = golden.bytes("ip_packet");
    SeenPacket lost =
        new SeenPacket(
            10, SeenPacket.NEVER, PacketFate.LOST, Bytes.copy(packet, 0, packet.limit()), "");
    View view = View.of("a lab", List.of(lost), List.of(), List.of());
    Set<ProtocolRule> shown =
        Judge.of(view.packets().getFirst(), Optional.empty()).stream()
            .map(RuleJudgement::rule)
            .collect(Collectors.toSet());
    boolean reliable = name.startsWith("RC_") || name.startsWith("XRC_");
    assertEquals(reliable, shown.contains(ProtocolRule.LOST), shown::toString);
    assertEquals(!reliable, shown.contains(ProtocolRule.LOST_UNREPAIRED), shown::toString);
    assertEquals(name.startsWith("UD_"), shown.contains(ProtocolRule.DATAGRAM), shown::toString);
    assertEquals(
        name.startsWith("UC_"),
        shown.contains(ProtocolRule.UNRELIABLE_CONNECTION),
        shown::toString);
  }
}
