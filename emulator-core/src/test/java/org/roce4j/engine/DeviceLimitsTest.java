package org.roce4j.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.roce4j.device.Refusals.refused;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Errno;

/** The values of a device's limits, and what its engines share. */
class DeviceLimitsTest {
  @ParameterizedTest
  @EnumSource
  void aLimitHasItsNormalValueUntilItIsSet(Limit limit) {
    assertEquals(limit.normal(), DeviceLimits.DEFAULT.get(limit));
    DeviceLimits other = DeviceLimits.DEFAULT.with(limit, limit.normal() + 1L);
    assertEquals(limit.normal() + 1, other.get(limit));
    assertNotEquals(DeviceLimits.DEFAULT, other);
    assertNotEquals(other, new Object());
    assertEquals(DeviceLimits.DEFAULT, other.with(limit, limit.normal()));
    for (Limit each : Limit.values()) {
      if (each != limit) {
        assertEquals(each.normal(), other.get(each));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, Integer.MAX_VALUE})
  void aTestMaySetWhatNoConfigurationAllows(long value) {
    assertEquals(value, DeviceLimits.DEFAULT.with(Limit.MAX_QP, value).get(Limit.MAX_QP));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Integer.MAX_VALUE + 1L, Long.MIN_VALUE, Long.MAX_VALUE})
  void aValueThatIsNoCountIsRefused(long value) {
    refused(Errno.EINVAL, () -> DeviceLimits.DEFAULT.with(Limit.MAX_QP, value));
  }

  /** In units of the least window that a configuration allows. */
  @ParameterizedTest
  @CsvSource({"8, 1, 8", "8, 4, 2", "8, 8, 1", "8, 16, 1", "1, 1, 1", "1, 4, 1"})
  void enginesShareTheWindowDownToTheLeast(int window, int engines, int each) {
    long least = Limit.PATH_WINDOW_BYTES.least();
    assertEquals(each * least, limits(window * least).pathWindowBytes(engines));
  }

  @Test
  void aWindowBelowTheLeastIsEachEnginesOwn() {
    assertEquals(100, limits(100).pathWindowBytes(4));
  }

  private static DeviceLimits limits(long windowBytes) {
    return DeviceLimits.DEFAULT.with(Limit.PATH_WINDOW_BYTES, windowBytes);
  }
}
