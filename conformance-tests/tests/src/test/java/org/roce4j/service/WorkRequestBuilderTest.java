package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link WorkRequestBuilderContract} on the virtual network and on sockets. */
class WorkRequestBuilderTest {
  @Nested
  @EmulatedRdma(devices = 1)
  class OnTheFabric extends WorkRequestBuilderContract {}

  @Nested
  @EmulatedRdma(transport = "linux", devices = 1)
  class OnPortLinux extends WorkRequestBuilderContract {}

  @Nested
  @EmulatedRdma(transport = "netty", devices = 1)
  class OnPortNetty extends WorkRequestBuilderContract {}
}
