package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.verbs.Refusals.refused;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Errno;

/** Parts of a region, each on cache lines of its own and no further apart than that. */
class SlotsTest {
  @ParameterizedTest
  @CsvSource({"1, 64", "63, 64", "64, 64", "65, 128", "4096, 4096", "1073741824, 1073741824"})
  void partsStandBehindEachOther(int bytes, long stride) {
    Slots slots = new Slots(192, 16, bytes);
    for (int i = 0; i < 16; i++) {
      assertEquals(192 + i * stride, slots.offset(i));
      assertEquals(i, slots.slotOf(slots.wrId(i)));
    }
    assertEquals(192 + 16 * stride, slots.end());
  }

  @ParameterizedTest
  @CsvSource({"0", "7", "-1"})
  void requestsOfOthersAreRefused(long wrId) {
    refused(Errno.EINVAL, () -> new Slots(0, 16, 64).slotOf(wrId));
  }
}
