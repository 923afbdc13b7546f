package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link SharedReceiveContract} on every port. */
class SharedReceiveTest {
  @Nested
  @EmulatedRdma
  class OnTheFabric extends SharedReceiveContract {}

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends SharedReceiveContract {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends SharedReceiveContract {}

  @Nested
  @EmulatedRdma(transport = "linux", engines = 4)
  class OnSeveralEngines extends SharedReceiveContract {}
}
