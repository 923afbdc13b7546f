package org.roce4j.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** The engine's datagram input, past the ICRC. */
class EngineFuzzTest {
  @FuzzTest(maxDuration = "1m")
  void noDatagramsHarmADevice(byte[] bytes) {
    if (bytes != null) {
      try (DeviceUnderFire device = new DeviceUnderFire()) {
        device.fire(bytes);
        device.isUnharmed();
      }
    }
  }
}
