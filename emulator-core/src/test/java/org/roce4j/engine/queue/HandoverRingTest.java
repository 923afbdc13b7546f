package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;

class HandoverRingTest {
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(8192);
  private final Inbound taken = new Inbound();

  /** A datagram whose parts all follow from its number. */
  private static Inbound datagram(ByteBuffer buffer, int number, int length) {
    int at = number % 100;
    for (int i = 0; i < length; i++) {
      buffer.put(at + i, (byte) (number + i));
    }
    return new Inbound()
        .payload(buffer, MemorySegment.ofBuffer(buffer), at, length)
        .source(number + 1L, number + 2L, number & 0xffff)
        .local(number + 3L, number + 4L)
        .heardBy(number + 5L, number + 6L)
        .network(number % 3 - 1, number % 257 - 1)
        .icrc(number % 2 == 0 ? IcrcVerdict.RIGHT : IcrcVerdict.UNCHECKED);
  }

  private void assertFirst(HandoverRing ring, int number, int length) {
    ring.first(taken);
    assertEquals(length, taken.length());
    for (int i = 0; i < length; i++) {
      assertEquals((byte) (number + i), taken.buffer().get(taken.at() + i));
    }
    assertEquals(-1, taken.memory().mismatch(MemorySegment.ofBuffer(taken.buffer())));
    assertEquals(number + 1L, taken.sourceHigh());
    assertEquals(number + 2L, taken.sourceLow());
    assertEquals(number & 0xffff, taken.sourcePort());
    assertEquals(number + 3L, taken.localHigh());
    assertEquals(number + 4L, taken.localLow());
    assertEquals(number + 5L, taken.heardHigh());
    assertEquals(number + 6L, taken.heardLow());
    assertEquals(number % 3 - 1, taken.trafficClass());
    assertEquals(number % 257 - 1, taken.hopLimit());
    assertEquals(number % 2 == 0 ? IcrcVerdict.RIGHT : IcrcVerdict.UNCHECKED, taken.icrc());
  }

  /** A positive number puts as many datagrams in, a negative one takes as many out. */
  @Property(tries = 100)
  void givesBackWhatWasPutInInThatOrderAndRefusesWhatHasNoRoom(
      @ForAll @Size(max = 30) List<@IntRange(min = -300, max = 300) Integer> steps) {
    HandoverRing ring = new HandoverRing();
    ArrayDeque<Integer> model = new ArrayDeque<>();
    int next = 0;
    for (int step : steps) {
      for (int i = 0; i < step; i++, next++) {
        boolean room = model.size() < HandoverRing.SLOTS;
        assertEquals(room, ring.offer(datagram(buffer, next, 16 + next % 32)));
        if (room) {
          model.add(next);
        }
      }
      for (int i = 0; i < -step && !model.isEmpty(); i++) {
        int number = model.poll();
        assertFirst(ring, number, 16 + number % 32);
        ring.retire();
      }
      assertEquals(model.size(), ring.size());
    }
  }

  @Test
  void refusesWhatIsLongerThanAnyPacket() {
    HandoverRing ring = new HandoverRing();
    assertFalse(ring.offer(datagram(buffer, 0, HandoverRing.SLOT_BYTES + 1)));
    assertTrue(ring.offer(datagram(buffer, 2, HandoverRing.SLOT_BYTES)));
    assertEquals(1, ring.size());
    assertFirst(ring, 2, HandoverRing.SLOT_BYTES);
  }

  @Test
  void keepsTheOrderOfEachOfSeveralThatPutIn() throws Exception {
    int each = 20_000;
    HandoverRing ring = new HandoverRing();
    List<CompletableFuture<Void>> producers =
        List.of(
            CompletableFuture.runAsync(() -> produce(ring, 0, each)),
            CompletableFuture.runAsync(() -> produce(ring, 1, each)));
    int[] next = {0, 0};
    while (next[0] < each || next[1] < each) {
      if (ring.size() == 0) {
        Thread.onSpinWait();
        continue;
      }
      ring.first(taken);
      int producer = (int) taken.sourceHigh();
      assertEquals(next[producer]++, taken.sourceLow());
      assertEquals(taken.sourceLow(), taken.buffer().getLong(taken.at()));
      ring.retire();
    }
    for (CompletableFuture<Void> producer : producers) {
      producer.get(10, TimeUnit.SECONDS);
    }
    assertEquals(0, ring.size());
  }

  private static void produce(HandoverRing ring, int producer, int count) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(64);
    Inbound in = new Inbound().payload(bytes, MemorySegment.ofBuffer(bytes), 0, 64).local(0, 0);
    for (int i = 0; i < count; i++) {
      bytes.putLong(0, i);
      in.source(producer, i, 0);
      while (!ring.offer(in)) {
        Thread.onSpinWait();
      }
    }
  }
}
