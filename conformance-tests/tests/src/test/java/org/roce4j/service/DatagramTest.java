package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link DatagramContract} on every port. */
class DatagramTest {
  @Nested
  @EmulatedRdma
  class OnTheFabric extends DatagramContract {}

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends DatagramContract {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends DatagramContract {}

  @Nested
  @EmulatedRdma(transport = "linux", engines = 4)
  class OnSeveralEngines extends DatagramContract {}
}
