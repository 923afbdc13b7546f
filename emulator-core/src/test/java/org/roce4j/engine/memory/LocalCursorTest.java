package org.roce4j.engine.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.AccessFlags;

/** Gathering and scattering against a model that copies byte by byte. */
class LocalCursorTest {
  private static final int SIZE = 4096;
  private static final long VA = 0x10000;

  private final MemorySegment memory = Arena.ofAuto().allocate(SIZE);
  private final MemorySegment packet = Arena.ofAuto().allocate(SIZE);
  private final Domain domain = new Domain();
  private final KeyTable keys = new KeyTable(new SplittableRandom(1), 100, 100);
  private final Region region = keys.register(domain, memory, VA, AccessFlags.LOCAL_WRITE);
  private final LocalCursor cursor = new LocalCursor(keys, new Accessor(domain));

  /** Each entry is place * 64 + length; the cursor seeks to the start of the copies. */
  @Property(tries = 1000)
  void gathersAsIfByteByByte(
      @ForAll @Size(max = 6) List<@IntRange(max = 64 * 63 - 1) Integer> entries,
      @ForAll @Size(max = 5) List<@IntRange(max = 400) Integer> places,
      @ForAll @IntRange(max = 100) int bytes) {
    for (int i = 0; i < SIZE; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7 + (i >> 8)));
    }
    byte[] message = open(entries);
    for (int place : places) {
      int from = Math.min(place, message.length);
      int count = Math.min(bytes, message.length - from);
      cursor.seek(from);
      assertTrue(cursor.gather(packet, 5, count));
      assertEquals(from + count, cursor.position());
      byte[] expected = new byte[count];
      System.arraycopy(message, from, expected, 0, count);
      assertArrayEquals(expected, packet.asSlice(5, count).toArray(ValueLayout.JAVA_BYTE));
    }
    cursor.seek(message.length);
    assertFalse(cursor.gather(packet, 0, 1), "one byte beyond the end");
  }

  /** Opens the cursor on these entries; returns their bytes, in order. */
  private byte[] open(List<Integer> entries) {
    long[] list = new long[32];
    int total = entries.stream().mapToInt(entry -> entry % 64).sum();
    byte[] message = new byte[total];
    int at = 0;
    for (int i = 0; i < entries.size(); i++) {
      int start = entries.get(i) / 64 * 60;
      int length = entries.get(i) % 64;
      ScatterGather.set(list, 16 + 2 * i, VA + start, length, length == 0 ? 12345 : region.value());
      for (int b = 0; b < length; b++) {
        message[at++] = memory.get(ValueLayout.JAVA_BYTE, start + (long) b);
      }
    }
    cursor.open(list, 16, entries.size());
    return message;
  }

  @Property(tries = 500)
  void scattersInStepsAsIfAtOnce(
      @ForAll @Size(min = 1, max = 6) List<@IntRange(max = 63) Integer> lengths,
      @ForAll @Size(min = 1, max = 10) List<@IntRange(max = 50) Integer> steps) {
    memory.fill((byte) 0);
    byte[] expected = new byte[SIZE];
    long[] list = new long[16];
    int total = 0;
    for (int i = 0; i < lengths.size(); i++) {
      int start = (lengths.size() - i) * 100;
      ScatterGather.set(list, 2 * i, VA + start, lengths.get(i), region.value());
      for (int b = 0; b < lengths.get(i); b++) {
        expected[start + b] = (byte) ++total;
      }
    }
    cursor.open(list, 0, lengths.size());
    int done = 0;
    for (int i = 0; done < total; i++) {
      int step = Math.min(1 + steps.get(i % steps.size()), total - done);
      for (int b = 0; b < step; b++) {
        packet.set(ValueLayout.JAVA_BYTE, b, (byte) (done + b + 1));
      }
      assertTrue(cursor.scatter(packet, 0, step));
      done += step;
      assertEquals(done, cursor.position());
    }
    assertArrayEquals(expected, memory.toArray(ValueLayout.JAVA_BYTE));
  }

  private void opens(long address, int length, int lkey) {
    long[] list = new long[2];
    ScatterGather.set(list, 0, address, length, lkey);
    cursor.open(list, 0, 1);
  }

  @Test
  void refusesAnEntryThatLeavesTheRegionEvenBeforeItDoes() {
    opens(VA + SIZE - 8, 9, region.value());
    assertFalse(cursor.gather(packet, 0, 4));
    opens(VA - 1, 8, region.value());
    assertFalse(cursor.gather(packet, 0, 4));
    opens(-4, 8, region.value());
    assertFalse(cursor.gather(packet, 0, 4));
    opens(VA, -1, region.value());
    assertFalse(cursor.gather(packet, 0, 4), "4 GiB less one");
    opens(VA + SIZE - 8, 8, region.value());
    assertTrue(cursor.gather(packet, 0, 8));
  }

  @Test
  void refusesUnknownForeignAndUnboundKeys() {
    opens(VA, 8, region.value() ^ 1);
    assertFalse(cursor.gather(packet, 0, 8));
    Region foreign = keys.register(new Domain(), memory, VA, 0);
    opens(VA, 8, foreign.value());
    assertFalse(cursor.gather(packet, 0, 8));
    keys.remove(region);
    opens(VA, 8, region.value());
    assertFalse(cursor.gather(packet, 0, 8));
  }

  @Test
  void scattersOnlyWhereLocalWriteIsAllowed() {
    Region readable = keys.register(domain, memory, VA, AccessFlags.REMOTE_READ);
    opens(VA, 8, readable.value());
    assertTrue(cursor.gather(packet, 0, 8));
    opens(VA, 8, readable.value());
    assertFalse(cursor.scatter(packet, 0, 8));
  }

  @Test
  void reportsMemoryThatWasClosedAndDoesNotThrow() {
    Arena arena = Arena.ofShared();
    Region dead = keys.register(domain, arena.allocate(64), VA, AccessFlags.LOCAL_WRITE);
    arena.close();
    opens(VA, 8, dead.value());
    assertFalse(cursor.gather(packet, 0, 8));
    opens(VA, 8, dead.value());
    assertFalse(cursor.scatter(packet, 0, 8));
  }

  @Test
  void saysWhichElementWasRefused() {
    long[] list = new long[2 * ScatterGather.ENTRY_LONGS];
    ScatterGather.set(list, 0, VA, 8, region.value());
    ScatterGather.set(list, ScatterGather.ENTRY_LONGS, VA, 8, 7);
    cursor.open(list, 0, 2);
    assertFalse(cursor.gather(packet, 0, 9));
    String words = cursor.why(false);
    assertTrue(words.startsWith("element 1: lkey 0x7 names no region"), words);
    cursor.open(list, 0, 1);
    assertFalse(cursor.scatter(packet, 0, 9));
    assertEquals("its elements hold 8 bytes, fewer than came", cursor.why(true));
    Region readOnly = keys.register(domain, memory, VA, 0);
    ScatterGather.set(list, 0, VA, 8, readOnly.value());
    cursor.open(list, 0, 1);
    assertFalse(cursor.scatter(packet, 0, 8));
    words = cursor.why(true);
    assertTrue(words.endsWith("grants local reading only, LOCAL_WRITE is needed"), words);
    ScatterGather.set(list, 0, VA + 1, SIZE, readOnly.value());
    cursor.open(list, 0, 1);
    assertFalse(cursor.gather(packet, 0, 8));
    words = cursor.why(false);
    assertTrue(words.endsWith("4096 bytes at 0x10001 are not all in it"), words);
  }
}
