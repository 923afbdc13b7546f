package org.roce4j.engine.datagram;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A datagram that has arrived: each field is another number. */
class InboundTest {
  @Test
  void whatThePortSetsIsRead() {
    ByteBuffer buffer = ByteBuffer.allocate(16);
    MemorySegment memory = MemorySegment.ofBuffer(buffer);
    Inbound in =
        new Inbound()
            .payload(buffer, memory, 1, 2)
            .source(3, 4, 5)
            .local(6, 7)
            .heardBy(8, 9)
            .network(10, 11)
            .icrc(IcrcVerdict.WRONG);
    assertSame(buffer, in.buffer());
    assertSame(memory, in.memory());
    assertEquals(
        List.of(1, 2, 5, 10, 11),
        List.of(in.at(), in.length(), in.sourcePort(), in.trafficClass(), in.hopLimit()));
    assertEquals(
        List.of(3L, 4L, 6L, 7L, 8L, 9L),
        List.of(
            in.sourceHigh(),
            in.sourceLow(),
            in.localHigh(),
            in.localLow(),
            in.heardHigh(),
            in.heardLow()));
    assertEquals(IcrcVerdict.WRONG, in.icrc());
  }

  @Test
  void whatNoPortHasSetIsUnknownAndItsIcrcRight() {
    Inbound in = new Inbound();
    assertEquals(-1, in.trafficClass());
    assertEquals(-1, in.hopLimit());
    assertEquals(IcrcVerdict.RIGHT, in.icrc());
  }
}
