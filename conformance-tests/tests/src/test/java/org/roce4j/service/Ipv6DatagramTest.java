package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link Ipv6DatagramContract} on every port. */
class Ipv6DatagramTest {
  @Nested
  @EmulatedRdma(devices = 1, addresses = "::1")
  class OnTheFabric extends Ipv6DatagramContract {}

  @Nested
  @EmulatedRdma(transport = "linux", devices = 1, addresses = "::1")
  class OnPortLinux extends Ipv6DatagramContract {}

  @Nested
  @EmulatedRdma(transport = "netty", devices = 1, addresses = "::1")
  class OnPortNetty extends Ipv6DatagramContract {}
}
