package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link UnreliableConnectionContract} on every port. */
class UnreliableConnectionTest {
  @Nested
  @EmulatedRdma(mtu = 1024)
  class OnTheFabric extends UnreliableConnectionContract {}

  @Nested
  @EmulatedRdma(transport = "linux", mtu = 1024)
  class OnPortLinux extends UnreliableConnectionContract {}

  @Nested
  @EmulatedRdma(transport = "netty", mtu = 1024)
  class OnPortNetty extends UnreliableConnectionContract {}

  @Nested
  @EmulatedRdma(transport = "linux", engines = 4, mtu = 1024)
  class OnSeveralEngines extends UnreliableConnectionContract {}
}
