package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PsnTest {
  private static final int HALF = 1 << 23;

  @ParameterizedTest
  @CsvSource({
    "0,        0xFFFFFF,  1",
    "0xFFFFFF, 0,        -1",
    "0x800000, 0,        -1",
    "0x7FFFFF, 0,         1",
    "0,        0x800000, -1",
    "5,        5,         0"
  })
  void comparesAsTheReferenceSays(String a, String b, int sign) {
    assertEquals(sign, Integer.signum(Psn.compare(Integer.decode(a), Integer.decode(b))));
  }

  @Property
  void addingWrapsAndIsUndone(
      @ForAll @IntRange(max = Psn.MASK) int psn, @ForAll @IntRange(min = -HALF, max = HALF) int n) {
    int sum = Psn.add(psn, n);
    assertTrue(sum >= 0 && sum <= Psn.MASK);
    assertEquals(psn, Psn.add(sum, -n));
    assertEquals(Math.floorMod(psn + n, 1 << 24), sum);
  }

  @Property
  void whatIsAheadByLessThanHalfTheSpaceIsNewer(
      @ForAll @IntRange(max = Psn.MASK) int psn, @ForAll @IntRange(min = 1, max = HALF - 1) int n) {
    assertTrue(Psn.compare(Psn.add(psn, n), psn) > 0);
    assertTrue(Psn.compare(psn, Psn.add(psn, n)) < 0);
    assertEquals(n, Psn.distance(Psn.add(psn, n), psn));
    assertEquals(-n, Psn.distance(psn, Psn.add(psn, n)));
  }

  @Property
  void theExtendedPsnIsTheNearestWithTheseBits(
      @ForAll @LongRange(min = 0, max = 1L << 48) long reference,
      @ForAll @IntRange(max = Psn.MASK) int psn) {
    long extended = Psn.extend(reference, psn);
    assertEquals(psn, (int) extended & Psn.MASK);
    assertTrue(extended - reference >= -HALF && extended - reference < HALF);
    assertEquals(
        Integer.signum(Psn.compare(psn, (int) reference)), Long.signum(extended - reference));
  }

  @Property
  void extendingUndoesTruncatingAcrossTheWrap(
      @ForAll @LongRange(min = 0, max = 1L << 40) long reference,
      @ForAll @IntRange(min = -HALF, max = HALF - 1) int distance) {
    long wanted = reference + distance;
    assertEquals(wanted, Psn.extend(reference, (int) wanted & Psn.MASK));
  }
}
