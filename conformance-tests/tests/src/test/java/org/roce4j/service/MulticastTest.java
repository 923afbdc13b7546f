package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link MulticastContract} on every port. */
class MulticastTest {
  @Nested
  @EmulatedRdma
  class OnTheFabric extends MulticastContract {}

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends MulticastContract {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends MulticastContract {}

  @Nested
  @EmulatedRdma(transport = "linux", engines = 4)
  class OnSeveralEngines extends MulticastContract {}
}
