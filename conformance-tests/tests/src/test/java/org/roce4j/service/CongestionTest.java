package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link CongestionContract} on every port, over IPv4 and IPv6. */
class CongestionTest {
  @Nested
  @EmulatedRdma(devices = 1)
  class OnTheFabric extends CongestionContract {}

  @Nested
  @EmulatedRdma(devices = 1, addresses = "::1")
  class OnTheFabricOverIpv6 extends CongestionContract {}

  @Nested
  @EmulatedRdma(transport = "linux", devices = 1)
  class OnPortLinux extends CongestionContract {}

  @Nested
  @EmulatedRdma(transport = "linux", devices = 1, addresses = "::1")
  class OnPortLinuxOverIpv6 extends CongestionContract {}

  @Nested
  @EmulatedRdma(transport = "netty", devices = 1)
  class OnPortNetty extends CongestionContract {}
}
