package org.roce4j.service;

import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;
import org.roce4j.junit.EmulatedRdma;

/** {@link RateLimitContract} in virtual and in real time. */
class RateLimitTest {
  @Nested
  @EmulatedRdma(devices = 1)
  class OnTheFabric extends RateLimitContract {
    @Override
    void judge(Supplier<Run> runs, int burst) {
      exactly(runs.get().times(), burst);
    }
  }

  @Nested
  @EmulatedRdma(transport = "linux", devices = 1)
  class OnPortLinux extends RateLimitContract {
    @Override
    void judge(Supplier<Run> runs, int burst) {
      about(runs, burst);
    }
  }
}
