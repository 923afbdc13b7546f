package org.roce4j.service;

import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link ExtendedCompletionQueueContract} on the virtual network and on sockets. */
class ExtendedCompletionQueueTest {
  @Nested
  @EmulatedRdma(devices = 1)
  class OnTheFabric extends ExtendedCompletionQueueContract {}

  @Nested
  @EmulatedRdma(transport = "linux", devices = 1)
  class OnPortLinux extends ExtendedCompletionQueueContract {}

  @Nested
  @EmulatedRdma(transport = "netty", devices = 1)
  class OnPortNetty extends ExtendedCompletionQueueContract {}
}
