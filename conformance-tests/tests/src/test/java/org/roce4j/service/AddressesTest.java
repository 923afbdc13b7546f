package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link AddressesContract} on every port. */
class AddressesTest {
  @Nested
  @EmulatedRdma
  class OnTheFabric extends AddressesContract {}

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends AddressesContract {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends AddressesContract {}

  @Nested
  @EmulatedRdma(transport = "linux", engines = 4)
  class OnSeveralEngines extends AddressesContract {}
}
