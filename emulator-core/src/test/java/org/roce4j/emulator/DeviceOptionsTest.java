package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.roce4j.device.Refusals.refused;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.capture.CaptureExtent;

/** The options of a device: their ranges, and which are equal. */
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

  private List<UnaryOperator<DeviceOptions>> changes() {
    Gid gid = Gid.parse("10.0.0.1");
    return List.of(
        options -> options.withAddresses(List.of(gid)),
        options -> options.withPort(gid),
        options -> options.withTransport("netty"),
        options -> options.withEngines(2),
        options -> options.withUdpPort(1),
        options -> options.withActiveMtu(Mtu.MTU_256),
        options -> options.withSeed(1),
        options -> options.withFirstGidIndex(1),
        options -> options.withCheckIcrc(false),
        options -> options.withFaults(FaultPlan.parse("drop nth=3")),
        options -> options.withLimit(Limit.MAX_QP, 7),
        options -> options.withTrace(new EngineTrace() {}),
        options -> options.withCapture(Path.of("file"), usual.snaplen()),
        options -> options.withCapture(null, 96),
        options -> options.withCaptureExtent(new CaptureExtent(1, 2)));
  }

  /** Equal options give the same device within a process. */
  @Test
  void optionsAreEqualIfNothingDiffers() {
    List<DeviceOptions> different =
        new ArrayList<>(changes().stream().map(change -> change.apply(usual)).toList());
    different.add(usual);
    different.add(DeviceOptions.of("other"));
    assertEquals(different.size(), Set.copyOf(different).size());
    assertEquals(changes().getFirst().apply(usual), changes().getFirst().apply(usual));
    assertNotEquals(usual, null);
    assertNotEquals(usual, new Object());
  }

  @ParameterizedTest
  @CsvSource({"1, true", "65535, true", "0, false", "65536, false"})
  void aUdpPortIsInItsRange(int port, boolean allowed) {
    if (allowed) {
      assertEquals(port, usual.withUdpPort(port).udpPort());
    } else {
      refused(Errno.EINVAL, () -> usual.withUdpPort(port));
    }
  }

  @ParameterizedTest
  @CsvSource({"0, true", "255, true", "-1, false", "256, false"})
  void theFirstGidIndexIsInItsRange(int index, boolean allowed) {
    if (allowed) {
      assertEquals(index, usual.withFirstGidIndex(index).firstGidIndex());
    } else {
      refused(Errno.EINVAL, () -> usual.withFirstGidIndex(index));
    }
  }
}
