package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.connect.RcPair;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;

/** Virtual networks of one process, such as those of parallel tests, do not wait for each other. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NetworksBesideEachOtherTest {
  private static final int NETWORKS = 8;

  @Test
  void eachKeepsItsOwnTime() throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(NETWORKS)) {
      List<Future<?>> all =
          IntStream.range(0, NETWORKS)
              .<Future<?>>mapToObj(i -> pool.submit(NetworksBesideEachOtherTest::play))
              .toList();
      for (Future<?> each : all) {
        each.get();
      }
    }
  }

  private static Void play() throws InterruptedException {
    try (AnyNetwork network = new AnyNetwork("fabric");
        Context context = network.device().open();
        RcPair pair = RcPair.connect(context, context)) {
      for (int i = 0; i < 10; i++) {
        Thread server = new Thread(() -> pair.server().send(pair.server().receiveString()));
        server.start();
        pair.client().send("beside");
        assertEquals("beside", pair.client().receiveString());
        server.join();
        Expect.refused(Errno.ETIMEDOUT, () -> pair.client().receive(Duration.ofSeconds(3)));
      }
      return null;
    }
  }
}
