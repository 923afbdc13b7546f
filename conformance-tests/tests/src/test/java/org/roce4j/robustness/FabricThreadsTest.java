package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.junit.Completion;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/**
 * Several threads on a virtual network: time waits for all of them, so the program and not the
 * scheduler decides the result.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FabricThreadsTest {
  private static final int MESSAGES = 60;
  private static final int WRITES = 3 * RdmaEnd.DEPTH;

  /** The nightly run sets more. */
  private static final int RUNS = Integer.getInteger("roce4j.threads.runs", 4);

  /** The kind of a thread. */
  enum Threads {
    PLATFORM(() -> Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())),
    VIRTUAL(Executors::newVirtualThreadPerTaskExecutor),
    POOL(() -> Executors.newFixedThreadPool(3)),
    CACHED(Executors::newCachedThreadPool);

    final Supplier<ExecutorService> executor;

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

  /** Refused posts do not stop virtual time, because only time makes room in the queue. */
  @Test
  @Timeout(60)
  @EmulatedRdma
  void aThreadThatPostsUntilThereIsRoomLetsTimePass(Context near, Context far) throws Exception {
    try (RdmaEnd sender = new RdmaEnd(near, QpType.RC);
        RdmaEnd target = new RdmaEnd(far, QpType.RC)) {
      RdmaEnd.connect(sender, target, attributes -> {});
      MemoryRegion memory = target.region();
      Thread poster = Thread.ofPlatform().daemon().start(() -> postWrites(sender, memory));
      int completed = 0;
      while (completed < WRITES) {
        List<Completion> found = sender.poll();
        found.forEach(Completion::succeeded);
        completed += found.size();
      }
      poster.join();
    }
  }

  private static void postWrites(RdmaEnd sender, MemoryRegion target) {
    SendRequestList write = new SendRequestList(1, 1, 0);
    write.add().opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED).sge(sender.region(), 0, 8);
    write.remote(target.iova(), target.rkey());
    for (int posted = 0; posted < WRITES; ) {
      if (sender.qp().postSend(write) == 0) {
        posted++;
      } else {
        Thread.yield();
      }
    }
  }

  /** The two threads meet only in the network, under any scheduling. */
  @Test
  void whatTwoThreadsDoThatMeetInTheNetworkAloneTakesTheSameVirtualTimeEachTime() throws Exception {
    long first = virtualNs(Threads.PLATFORM, "loss=2% delay=3us", 7);
    for (int again = 0; again < RUNS; again++) {
      Threads kind = Threads.values()[again % 4];
      assertEquals(first, virtualNs(kind, "loss=2% delay=3us", 7), kind + " " + again);
    }
  }

  /** The thread is parked and has used the network, and its return cannot be foreseen. */
  @Test
  void whoIsParkedElsewhereHoldsNobodyUp() throws Exception {
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        RcSide waits = new RcSide(network.device("waits", Gid.parse("10.0.0.1")), 4096);
        RcSide parks = new RcSide(network.device("parks", Gid.parse("10.0.0.2")), 4096);
        ExecutorService pool = Executors.newFixedThreadPool(2)) {
      CountDownLatch used = new CountDownLatch(1);
      CountDownLatch over = new CountDownLatch(1);
      Future<?> parked =
          pool.submit(
              () -> {
                parks.poll();
                used.countDown();
                over.await();
                return null;
              });
      used.await();
      try {
        Shortest.of(20, 1_000_000_000, () -> events(waits, 100, 10_000_000_000L));
      } finally {
        over.countDown();
      }
      parked.get();
      assertTrue(network.fabric().nowNs() >= 1_000_000_000_000L);
    }
  }

  private static void events(RcSide waits, int count, long eachNs) {
    for (int i = 0; i < count; i++) {
      assertNull(waits.channel.getCqEvent(eachNs));
    }
  }

  /** A way in which a thread checks now and then from outside the network. */
  enum Looks {
    WITH_NAPS(() -> LockSupport.parkNanos(100_000)),
    WITH_YIELDS(Thread::yield);

    private final Runnable between;

    Looks(Runnable between) {
      this.between = between;
    }
  }

  /** On a busy machine such a thread is awake nearly always, because it waits for a processor. */
  @EnabledOnOs(OS.LINUX)
  @ParameterizedTest
  @EnumSource(Looks.class)
  void whoLooksNowAndThenHoldsNobodyUpOnABusyMachine(Looks looks) throws Exception {
    List<Process> busy = new ArrayList<>();
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        RcSide waits = new RcSide(network.device("waits", Gid.parse("10.0.0.1")), 4096);
        ExecutorService pool = Executors.newFixedThreadPool(1)) {
      waits.poll();
      for (int i = 0; i < 6 * Runtime.getRuntime().availableProcessors(); i++) {
        busy.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
      }
      Shortest.of(
          12,
          1_000_000_000L,
          () -> {
            Future<?> events = pool.submit(() -> events(waits, 20, 1_000_000));
            while (!events.isDone()) {
              looks.between.run();
            }
            events.get();
          });
    } finally {
      busy.forEach(Process::destroyForcibly);
    }
  }

  /** The sender's only retry would end after a millisecond of virtual time. */
  @ParameterizedTest
  @EnumSource(Threads.class)
  void whoComputesIsWaitedFor(Threads threads) throws Exception {
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        RcSide leader = new RcSide(network.device("leader", Gid.parse("10.0.0.1")), 4096);
        RcSide follower = new RcSide(network.device("follower", Gid.parse("10.0.0.2")), 4096);
        ExecutorService pool = threads.executor.get()) {
      QpBringUp.toRts(leader.qp, RcSide.attributes(follower.gid, follower.qp.qpNum()).rnrRetry(1));
      QpBringUp.toRts(follower.qp, RcSide.attributes(leader.gid, leader.qp.qpNum()));
      assertEquals(0, follower.receive(0, 0, 64));
      Future<?> follows =
          pool.submit(
              () -> {
                LeaderAndFollower.await(follower);
                long endNs = System.nanoTime() + 300_000_000;
                while (System.nanoTime() - endNs < 0) {
                  Thread.onSpinWait();
                }
                follower.receive(1, 0, 64);
                LeaderAndFollower.await(follower);
              });
      for (int i = 0; i < 2; i++) {
        assertEquals(0, leader.send(i, 0, 64));
        LeaderAndFollower.await(leader);
      }
      follows.get();
    }
  }

  /**
   * Each thread polls without waiting; a completion reaches one although the other finds nothing.
   */
  @ParameterizedTest
  @EnumSource(Threads.class)
  void whoPollsAloneLetsTimePassTogetherWithAllOthersThatPoll(Threads threads) throws Exception {
    try (FabricDevices network =
            new FabricDevices(FabricOptions.parse("seed=1 loss=10% delay=5us"));
        ExecutorService pool = threads.executor.get()) {
      RcSide a = new RcSide(network.device("a", Gid.parse("10.0.0.1")), 4096);
      RcSide b = new RcSide(network.device("b", Gid.parse("10.0.0.2")), 4096);
      RcSide.connect(a, b, 14, 7);
      List<Future<?>> both = new ArrayList<>();
      for (RcSide side : List.of(a, b)) {
        both.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < 50; i++) {
                    assertEquals(0, side.receive(i, 0, 64));
                    assertEquals(0, side.send(i, 0, 64));
                    assertEquals(2, side.await(2).size());
                  }
                }));
      }
      for (Future<?> each : both) {
        each.get();
      }
    }
  }

  /** As many threads poll as there are carriers; their sender comes later. */
  @Test
  void whoPollsOnAVirtualThreadLetsOtherVirtualThreadsRun() throws Exception {
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
      RcSide sender = new RcSide(network.device("sender", Gid.parse("10.0.0.1")), 4096);
      List<Future<?>> polling = new ArrayList<>();
      List<QueuePair> toEach = new ArrayList<>();
      for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
        RcSide side = new RcSide(network.device("polls" + i, Gid.ofIpv4(0x0a00_0002 + i)), 4096);
        toEach.add(sender.queuePair());
        RcSide.connect(toEach.getLast(), side.gid, side.qp.qpNum(), 14, 7);
        RcSide.connect(side.qp, sender.gid, toEach.getLast().qpNum(), 14, 7);
        assertEquals(0, side.receive(i, 0, 64));
        polling.add(
            virtual.submit(
                () -> {
                  while (side.poll().isEmpty()) {
                    Thread.onSpinWait();
                  }
                }));
      }
      LockSupport.parkNanos(300_000_000); // the network no longer expects another thread
      try (SendRequestList empty = new SendRequestList(1, 1, 0)) {
        empty.add().opcode(WrOpcode.SEND);
        virtual.submit(() -> toEach.forEach(qp -> assertEquals(0, qp.postSend(empty)))).get();
      }
      for (Future<?> each : polling) {
        each.get();
      }
    }
  }

  private static long virtualNs(Threads threads, String link, long seed) throws Exception {
    FabricOptions options = FabricOptions.parse("seed=" + seed + " " + link);
    try (FabricDevices network = new FabricDevices(options);
        LeaderAndFollower program =
            new LeaderAndFollower(
                new RcSide(network.device("leader", Gid.parse("10.0.0.1")), 4096),
                new RcSide(network.device("follower", Gid.parse("10.0.0.2")), 4096),
                MESSAGES);
        ExecutorService pool = threads.executor.get()) {
      program.run(pool, pool);
      return network.fabric().nowNs();
    }
  }
}
