package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link LeftToRightContract} on every port. */
class DatagramTest {
  @Nested
  @EmulatedRdma
  class OnTheFabric extends LeftToRightContract {}

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends LeftToRightContract {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends LeftToRightContract {}

  @Nested
  @EmulatedRdma(transport = "linux", engines = 4)
  class OnSeveralEngines extends LeftToRightContract {}
}
