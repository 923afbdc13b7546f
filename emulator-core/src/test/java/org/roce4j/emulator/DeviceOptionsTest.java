package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.device.Refusals.refused;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

class DeviceOptionsTest {
  private final DeviceOptions usual = DeviceOptions.of("any");

  @ParameterizedTest
  @EnumSource
  void aLimitIsSetByProgramAndConfigurationAlikeAndNoOtherWithIt(Limit limit) {
    int value = limit.most() - 1;
    Setting setting = Setting.of("limits." + limit.key()).orElseThrow();
    DeviceOptions configured = setting.change().apply(usual, Integer.toString(value));
    assertEquals(configured, usual.withLimit(limit, value));
    for (Limit other : Limit.values()) {
      int expected = other == limit ? value : DeviceLimits.DEFAULT.get(other);
      assertEquals(expected, configured.limits().get(other), other.key());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLimitThatNoDeviceCanHaveIsRefusedByName(Limit limit) {
    for (long value : new long[] {-1, 1L << 31}) {
      VerbsException refused = refused(Errno.EINVAL, () -> usual.withLimit(limit, value));
      assertEquals(limit.key(), refused.remedy().split(" ")[0]);
    }
  }
}
