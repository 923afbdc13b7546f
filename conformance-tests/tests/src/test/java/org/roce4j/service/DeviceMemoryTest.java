package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link DeviceMemoryContract} on the virtual network and on sockets. */
class DeviceMemoryTest {
  @Nested
  @EmulatedRdma(devices = 1)
  class OnTheFabric extends DeviceMemoryContract {}

  @Nested
  @EmulatedRdma(transport = "linux", devices = 1)
  class OnPortLinux extends DeviceMemoryContract {}
}
