package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the parts of a packet lie that is written. */
class OutboundPacketTest {
  private static final byte OLD = (byte) 0xee;

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 3", "2, 2", "3, 1", "4, 0", "5, 3", "4095, 1", "4096, 0"})
  void clearsThePadAndNothingElse(int payload, int pad) {
    Opcode opcode = Opcode.RC_SEND_ONLY;
    int at = 8;
    byte[] packet = new byte[at + OutboundPacket.size(opcode, payload) + 8];
    Arrays.fill(packet, OLD);
    OutboundPacket.zeroPad(ByteBuffer.wrap(packet), at, opcode, payload);
    int padAt = OutboundPacket.payloadAt(opcode, at) + payload;
    for (int i = 0; i < packet.length; i++) {
      assertEquals(i >= padAt && i < padAt + pad ? 0 : OLD, packet[i], "byte " + i);
    }
    assertEquals(padAt + pad, OutboundPacket.icrcAt(opcode, at, payload));
  }
}
