package org.roce4j.engine.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Transport;

/** Segmentation: no byte twice, no byte left out, the right opcode on each packet. */
class SegmentationTest {
  @Property(tries = 500)
  void cutsIntoFullPacketsAndOneRest(
      @ForAll @LongRange(min = 1, max = 200_000) long length,
      @ForAll @IntRange(max = 4) int mtuCode) {
    int pathMtu = 256 << mtuCode;
    int packets = Segmentation.packets(length, pathMtu);
    long total = 0;
    for (int i = 0; i < packets; i++) {
      int payload = Segmentation.payload(length, pathMtu, i);
      assertTrue(payload == pathMtu || (i == packets - 1 && payload > 0 && payload < pathMtu));
      assertEquals(total, Segmentation.payloadBetween(length, pathMtu, 0, i));
      assertEquals(payload, Segmentation.payloadBetween(length, pathMtu, i, i + 1L));
      total += payload;
    }
    assertEquals(length, total);
    assertEquals(length, Segmentation.payloadBetween(length, pathMtu, 0, packets));
  }

  @Test
  void anEmptyMessageTakesAPacket() {
    assertEquals(1, Segmentation.packets(0, 1024));
    assertEquals(0, Segmentation.payload(0, 1024, 0));
  }

  @Test
  void twoGibibytesTakeEightMillionPackets() {
    assertEquals(1 << 23, Segmentation.packets(1L << 31, 256));
    assertEquals(256, Segmentation.payload(1L << 31, 256, (1 << 23) - 1));
  }

  @ParameterizedTest
  @CsvSource({
    "SEND, RC_SEND_FIRST, RC_SEND_MIDDLE, RC_SEND_LAST, RC_SEND_ONLY",
    "SEND_WITH_IMM, RC_SEND_FIRST, RC_SEND_MIDDLE,"
        + " RC_SEND_LAST_WITH_IMMEDIATE, RC_SEND_ONLY_WITH_IMMEDIATE",
    "SEND_WITH_INV, RC_SEND_FIRST, RC_SEND_MIDDLE,"
        + " RC_SEND_LAST_WITH_INVALIDATE, RC_SEND_ONLY_WITH_INVALIDATE",
    "RDMA_WRITE, RC_RDMA_WRITE_FIRST, RC_RDMA_WRITE_MIDDLE, RC_RDMA_WRITE_LAST,"
        + " RC_RDMA_WRITE_ONLY",
    "RDMA_WRITE_WITH_IMM, RC_RDMA_WRITE_FIRST, RC_RDMA_WRITE_MIDDLE,"
        + " RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE",
  })
  void eachPacketBearsItsOpcode(
      WrOpcode request, Opcode first, Opcode middle, Opcode last, Opcode only) {
    assertEquals(first, Segmentation.opcode(Transport.RC, request, true, false));
    assertEquals(middle, Segmentation.opcode(Transport.RC, request, false, false));
    assertEquals(last, Segmentation.opcode(Transport.RC, request, false, true));
    assertEquals(only, Segmentation.opcode(Transport.RC, request, true, true));
  }
}
