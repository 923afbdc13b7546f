package org.roce4j.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Assertions;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.InboundPacket.Verdict;

/** The decoder of datagrams. */
class InboundPacketFuzzTest {
  private final InboundPacket packet = new InboundPacket();

  @FuzzTest(maxDuration = "1m")
  void anyBytesAreJudgedAndWhatIsTakenLiesWithinThem(byte[] bytes) {
    if (bytes == null) {
      return;
    }
    // In the middle of a larger buffer, like a packet of a received train.
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length + 32).put(16, bytes);
    Verdict verdict = packet.decode(buffer, 16, bytes.length);
    if (verdict != Verdict.OK) {
      return;
    }
    int end = packet.payloadAt() + packet.payloadLength() + packet.padCount() + Icrc.SIZE;
    Assertions.assertEquals(16 + bytes.length, end);
    Assertions.assertTrue(packet.payloadAt() >= 16 && packet.payloadLength() >= 0);
    Assertions.assertEquals(bytes[0] & 0xff, packet.opcode().code());
    Assertions.assertTrue(packet.psn() >= 0 && packet.psn() <= 0xffffff);
    Assertions.assertTrue(packet.rethLength() >= 0);
  }
}
