package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.robustness.FabricThreadsTest.Threads;

/**
 * Programs whose threads use several networks: virtual ones, and sockets beside them. A thread that
 * waits on one network is neither busy nor away for the others.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChainedNetworksTest {
  private static final int EXCHANGES = 100;
  private static final int PROGRAMS = 6;

  /** Without the networks' knowledge of each other each exchange took two seconds and more. */
  private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(120);

  /** A token goes round; each thread takes it from one network and sends it on the next. */
  @ParameterizedTest
  @CsvSource({
    "PLATFORM, CHANNEL, 0%, fabric fabric",
    "PLATFORM, CHANNEL, 5%, fabric fabric",
    "PLATFORM, CHANNEL_FOR_A_TIME, 5%, fabric fabric fabric",
    "PLATFORM, POLL, 5%, fabric fabric fabric",
    "VIRTUAL, CHANNEL, 0%, fabric fabric fabric",
    "VIRTUAL, CHANNEL_FOR_A_TIME, 5%, fabric fabric",
    "VIRTUAL, POLL, 5%, fabric fabric",
    "PLATFORM, CHANNEL, 0%, fabric linux",
    "PLATFORM, CHANNEL, 5%, fabric linux",
    "PLATFORM, CHANNEL_FOR_A_TIME, 5%, fabric linux fabric",
    "PLATFORM, POLL, 0%, fabric linux",
    "PLATFORM, CHANNEL_FOR_A_TIME, 0%, fabric netty",
    "VIRTUAL, CHANNEL, 0%, fabric linux",
    "VIRTUAL, CHANNEL_FOR_A_TIME, 5%, fabric netty",
    "VIRTUAL, POLL, 0%, fabric linux"
  })
  void aRingOfThreadsPassesATokenOn(
      Threads threads, NetworkLink.Waiting waiting, String loss, String networks) throws Exception {
    try (Links links = new Links(networks, loss, List.of(waiting));
        ExecutorService pool = threads.executor.get()) {
      assertSoon(List.of(pool), ring(links.all, EXCHANGES));
    }
  }

  /** A request on a network is served by a thread that asks on the next one. */
  @ParameterizedTest
  @CsvSource({
    "PLATFORM, CHANNEL, 0%, fabric fabric",
    "PLATFORM, CHANNEL, 5%, fabric fabric",
    "PLATFORM, CHANNEL_FOR_A_TIME, 5%, fabric fabric fabric",
    "PLATFORM, POLL, 0%, fabric fabric fabric",
    "VIRTUAL, CHANNEL, 0%, fabric fabric fabric",
    "VIRTUAL, CHANNEL_FOR_A_TIME, 5%, fabric fabric",
    "VIRTUAL, POLL, 5%, fabric fabric",
    "PLATFORM, CHANNEL, 0%, fabric linux",
    "PLATFORM, CHANNEL_FOR_A_TIME, 5%, fabric linux fabric",
    "PLATFORM, POLL, 0%, fabric linux",
    "PLATFORM, CHANNEL_FOR_A_TIME, 0%, fabric netty",
    "VIRTUAL, CHANNEL, 0%, fabric linux",
    "VIRTUAL, CHANNEL_FOR_A_TIME, 5%, fabric linux fabric"
  })
  void aServerAsksAnother(
      Threads threads, NetworkLink.Waiting waiting, String loss, String networks) throws Exception {
    try (Links links = new Links(networks, loss, List.of(waiting));
        ExecutorService pool = threads.executor.get()) {
      assertSoon(List.of(pool), chain(links.all, EXCHANGES));
    }
  }

  /**
   * Rings and chains of random networks, threads and ways to wait. {@code -Droce4j.threads.seed=N}
   * repeats one of them, {@code -Droce4j.threads.minutes=2} runs them for two minutes.
   */
  @Test
  @Timeout(value = 1, unit = TimeUnit.DAYS)
  void randomOnesEnd() throws Exception {
    Long only = Long.getLong("roce4j.threads.seed");
    long minutes = Long.getLong("roce4j.threads.minutes", 0);
    long first = only != null ? only : minutes > 0 ? System.currentTimeMillis() * 1000 : 1;
    long endNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
    long seed = first;
    do {
      try {
        randomOne(new SplittableRandom(seed));
      } catch (Exception | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
      seed++;
    } while (only == null && (seed < first + PROGRAMS || System.nanoTime() - endNs < 0));
    if (minutes > 0) {
      System.out.println((seed - first) + " random chains and rings have ended, from " + first);
    }
  }

  private static void randomOne(SplittableRandom random) throws Exception {
    List<String> transports = new ArrayList<>();
    for (int i = 2 + random.nextInt(3); i > 0; i--) {
      transports.add(
          List.of("fabric", "fabric", "fabric", "linux", "netty").get(random.nextInt(5)));
    }
    List<NetworkLink.Waiting> waiting = new ArrayList<>();
    transports.forEach(each -> waiting.add(NetworkLink.Waiting.values()[random.nextInt(3)]));
    String loss = List.of("0%", "1%", "5%").get(random.nextInt(3));
    try (ExecutorService platform = Threads.PLATFORM.executor.get();
        ExecutorService virtual = Threads.VIRTUAL.executor.get();
        Links links = new Links(String.join(" ", transports), loss, waiting)) {
      List<ExecutorService> pools = new ArrayList<>(List.of(platform, virtual));
      if (random.nextBoolean()) {
        pools.remove(random.nextInt(2));
      }
      boolean ring = random.nextBoolean();
      try {
        assertSoon(pools, ring ? ring(links.all, 25) : chain(links.all, 25));
      } catch (Exception | AssertionError e) {
        throw new AssertionError(
            (ring ? "ring " : "chain ") + transports + " " + waiting + " " + loss + " " + pools, e);
      }
    }
  }

  private static List<Runnable> ring(List<NetworkLink> links, int exchanges) {
    List<Runnable> parts = new ArrayList<>();
    CountDownLatch known = new CountDownLatch(links.size());
    for (int i = 0; i < links.size(); i++) {
      NetworkLink from = links.get((i + links.size() - 1) % links.size());
      NetworkLink to = links.get(i);
      boolean first = i == 0;
      parts.add(
          () -> {
            join(known, from, to);
            for (int round = 0; round < exchanges; round++) {
              if (first) {
                to.ask();
              }
              from.takeRequest();
              if (!first) {
                to.ask();
              }
            }
          });
    }
    return parts;
  }

  /**
   * A network waits a second at most for a thread that it does not know and that waits elsewhere:
   * all are known before the first one waits.
   */
  private static void join(CountDownLatch known, NetworkLink... links) {
    Stream.of(links).filter(Objects::nonNull).forEach(NetworkLink::join);
    known.countDown();
    try {
      known.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static List<Runnable> chain(List<NetworkLink> links, int exchanges) {
    List<Runnable> parts = new ArrayList<>();
    CountDownLatch known = new CountDownLatch(links.size() + 1);
    for (int i = 0; i <= links.size(); i++) {
      NetworkLink before = i == 0 ? null : links.get(i - 1);
      NetworkLink next = i == links.size() ? null : links.get(i);
      parts.add(
          () -> {
            join(known, before, next);
            for (int round = 0; round < exchanges; round++) {
              if (before != null) {
                before.takeRequest();
              }
              if (next != null) {
                next.ask();
                next.takeReply();
              }
              if (before != null) {
                before.reply();
              }
            }
          });
    }
    return parts;
  }

  /** Runs the parts on the executors in turn; a part that fails ends the others. */
  private static void assertSoon(List<ExecutorService> pools, List<Runnable> parts)
      throws Exception {
    long start = System.nanoTime();
    BlockingQueue<Future<Void>> ended = new LinkedBlockingQueue<>();
    for (int i = 0; i < parts.size(); i++) {
      new ExecutorCompletionService<>(pools.get(i % pools.size()), ended)
          .submit(parts.get(i), null);
    }
    try {
      for (int i = 0; i < parts.size(); i++) {
        ended.take().get();
      }
    } finally {
      pools.forEach(ExecutorService::shutdownNow);
    }
    long took = System.nanoTime() - start;
    assertTrue(took < LIMIT_NS, "it took " + took + " ns");
  }

  /** A connection on each network. */
  private static final class Links implements AutoCloseable {
    private final List<AnyNetwork> networks = new ArrayList<>();
    private final List<NetworkLink> all = new ArrayList<>();

    Links(String transports, String loss, List<NetworkLink.Waiting> waiting) {
      for (String transport : transports.split(" ")) {
        AnyNetwork network = new AnyNetwork(transport, "loss=" + loss);
        networks.add(network);
        all.add(new NetworkLink(network, waiting.get(all.size() % waiting.size())));
      }
    }

    @Override
    public void close() {
      all.forEach(NetworkLink::close);
      networks.forEach(AnyNetwork::close);
    }
  }
}
