package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link UnreliableLossContract} on every port. */
class UnreliableLossTest {
  @Nested
  @EmulatedRdma(mtu = 1024, faults = UnreliableLossContract.FAULTS)
  class OnTheFabric extends UnreliableLossContract {}

  @Nested
  @EmulatedRdma(transport = "linux", mtu = 1024, faults = UnreliableLossContract.FAULTS)
  class OnPortLinux extends UnreliableLossContract {}

  @Nested
  @EmulatedRdma(transport = "netty", mtu = 1024, faults = UnreliableLossContract.FAULTS)
  class OnPortNetty extends UnreliableLossContract {}

  @Nested
  @EmulatedRdma(
      transport = "linux",
      engines = 4,
      mtu = 1024,
      faults = UnreliableLossContract.FAULTS)
  class OnSeveralEngines extends UnreliableLossContract {}
}
