package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Gid;

/**
 * Several threads on a virtual network: time waits for all of them, so what happens is the
 * program's doing and not the scheduler's.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FabricThreadsTest {
  private static final int MESSAGES = 60;
  private static final int RUNS = Integer.getInteger("roce4j.threads.runs", 4);

  /** Where threads come from. */
  enum Threads {
    PLATFORM(() -> Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())),
    VIRTUAL(Executors::newVirtualThreadPerTaskExecutor),
    POOL(() -> Executors.newFixedThreadPool(3)),
    CACHED(Executors::newCachedThreadPool);

    private final Supplier<ExecutorService> executor;

    Threads(Supplier<ExecutorService> executor) {
      this.executor = executor;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PLATFORM, 0%",
    "PLATFORM, 1%",
    "PLATFORM, 5%",
    "POOL, 0%",
    "POOL, 1%",
    "POOL, 5%",
    "VIRTUAL, 0%",
    "VIRTUAL, 1%",
    "VIRTUAL, 5%",
    "CACHED, 1%"
  })
  void aLeaderAndAFollowerEnd(Threads threads, String loss) throws Exception {
    for (int seed = 0; seed < RUNS; seed++) {
      virtualNs(threads, "loss=" + loss, seed);
    }
  }

  /** Whatever the operating system does, the two meet only in the network. */
  @Test
  void whatTwoThreadsDoThatMeetInTheNetworkAloneTakesTheSameVirtualTimeEachTime() throws Exception {
    long first = virtualNs(Threads.PLATFORM, "loss=2% delay=3us", 7);
    for (int again = 0; again < RUNS; again++) {
      assertEquals(first, virtualNs(Threads.values()[again % 4], "loss=2% delay=3us", 7));
    }
  }

  private static long virtualNs(Threads threads, String link, long seed) throws Exception {
    FabricOptions options = FabricOptions.parse("seed=" + seed + " " + link);
    try (FabricDevices network = new FabricDevices(options);
        LeaderAndFollower program =
            new LeaderAndFollower(
                new Side(network.device("leader", Gid.parse("10.0.0.1")), 4096),
                new Side(network.device("follower", Gid.parse("10.0.0.2")), 4096),
                MESSAGES);
        ExecutorService pool = threads.executor.get()) {
      program.run(pool, pool);
      return network.fabric().nowNs();
    }
  }
}
