package org.roce4j.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.AccessFlags;

class RegionTest {
  private static final MemorySegment MEMORY = Arena.ofAuto().allocate(4096);

  private final Domain domain = new Domain();
  private final Accessor qp = new Accessor(domain);
  private final KeyTable keys = new KeyTable(new SplittableRandom(1), 10, 10);

  @Provide
  Arbitrary<Long> numbers() {
    return Arbitraries.longs().edgeCases(edges -> edges.add(-1L, -8L, 0L, 1L, 4095L, 4096L, 4097L));
  }

  /** Ruling R17, with integers of any size as the oracle. */
  @Property(tries = 5000)
  void aRangeIsInsideAnotherAsWholeNumbersAre(
      @ForAll("numbers") long start,
      @ForAll("numbers") long extent,
      @ForAll("numbers") long offset,
      @ForAll("numbers") long length) {
    long va = start + offset;
    BigInteger from = unsigned(va);
    BigInteger first = unsigned(start);
    boolean inside =
        from.compareTo(first) >= 0
            && from.add(unsigned(length)).compareTo(first.add(unsigned(extent))) <= 0;
    assertEquals(inside, MemoryKey.within(va, length, start, extent));
  }

  private static BigInteger unsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }

  @Test
  void locatesByItsOwnAddressesWithTheRightsItHas() {
    Region region = keys.register(domain, MEMORY, 0x1000, AccessFlags.REMOTE_READ);
    assertEquals(0, region.locate(0x1000, 4096, AccessFlags.REMOTE_READ, qp));
    assertEquals(4096, region.locate(0x2000, 0, 0, qp));
    assertEquals(-1, region.locate(0x1000, 4097, AccessFlags.REMOTE_READ, qp));
    assertEquals(-1, region.locate(0xfff, 1, AccessFlags.REMOTE_READ, qp));
    assertEquals(-1, region.locate(0x1000, 1, AccessFlags.REMOTE_WRITE, qp));
    assertEquals(-1, region.locate(0x1000, 1, 0, new Accessor(new Domain())));
  }

  @Test
  void givesNoAccessOnceRemoved() {
    Region region = keys.register(domain, MEMORY, 0x1000, AccessFlags.REMOTE_READ);
    keys.remove(region);
    assertEquals(-1, region.locate(0x1000, 1, 0, qp));
  }

  @Test
  void followsReregistration() {
    Region region = keys.register(domain, MEMORY, 0x1000, AccessFlags.REMOTE_READ);
    Domain other = new Domain();
    region.reregister(other, AccessFlags.REMOTE_WRITE);
    assertEquals(-1, region.locate(0x1000, 1, 0, qp));
    assertEquals(-1, region.locate(0x1000, 1, AccessFlags.REMOTE_READ, new Accessor(other)));
    assertTrue(region.locate(0x1000, 1, AccessFlags.REMOTE_WRITE, new Accessor(other)) >= 0);
  }

  /** The address of a zero-based region may be aligned where its memory is not. */
  @ParameterizedTest
  @ValueSource(ints = {0, 4, 1})
  void eightBytesInOneAccessNeedMemoryAlignedToEight(int at) {
    MemorySegment memory = Arena.ofAuto().allocate(16, 8);
    int rights =
        AccessFlags.ZERO_BASED
            | AccessFlags.LOCAL_WRITE
            | AccessFlags.REMOTE_WRITE
            | AccessFlags.REMOTE_ATOMIC;
    Region region = keys.register(domain, memory.asSlice(at, 8), 0, rights);
    RemoteRange range = new RemoteRange(keys, qp);
    assertTrue(range.set(region.value(), 0, 8, 0));
    boolean aligned = at == 0;
    assertEquals(aligned, range.fetchAdd(1));
    assertEquals(aligned, range.compareSwap(1, 2));
    assertEquals(aligned, range.storeFrom(MEMORY, 0));
    assertEquals(-1, memory.mismatch(MemorySegment.ofArray(new byte[16])), "changes nothing");
  }
}
