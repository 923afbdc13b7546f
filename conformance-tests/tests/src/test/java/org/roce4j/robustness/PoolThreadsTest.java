package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.connect.Connection;
import org.roce4j.connect.Listener;
import org.roce4j.connect.RcPair;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpBringUp;

/**
 * Threads that existed before the virtual network, which does not know them: time waits for a
 * thread on its way, so that no retries end because a pool's worker was slow.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PoolThreadsTest {
  /** Work of a thread before its first verb, such as loading classes. */
  private static final long WORK_NS = 50_000_000;

  /** The source of a thread; all of them were started before a network was created. */
  enum Worker implements Executor {
    FIXED_POOL {
      private final ExecutorService pool = Executors.newFixedThreadPool(1, Worker::daemon);

      @Override
      public void execute(Runnable task) {
        pool.execute(task);
      }
    },
    COMMON_POOL {
      @Override
      public void execute(Runnable task) {
        ForkJoinPool.commonPool().execute(task);
      }
    },
    SUPPLY_ASYNC {
      @Override
      public void execute(Runnable task) {
        CompletableFuture<?> unused =
            CompletableFuture.supplyAsync(
                () -> {
                  task.run();
                  return null;
                });
      }
    },
    PARALLEL_STREAM {
      @Override
      public void execute(Runnable task) {
        ForkJoinPool.commonPool()
            .execute(() -> IntStream.range(0, 1).parallel().forEach(once -> task.run()));
      }
    },
    VIRTUAL_EXECUTOR {
      private final ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();

      @Override
      public void execute(Runnable task) {
        virtual.execute(task);
      }
    },
    OLD_VIRTUAL_THREAD {
      private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

      {
        Thread.ofVirtual().start(this::serve);
      }

      private void serve() {
        while (true) {
          try {
            tasks.take().run();
          } catch (InterruptedException e) {
            return;
          }
        }
      }

      @Override
      public void execute(Runnable task) {
        tasks.add(task);
      }
    };

    private static Thread daemon(Runnable work) {
      return Thread.ofPlatform().daemon().unstarted(work);
    }

    /** Runs a task and completes with its result. */
    final CompletableFuture<Void> submit(Runnable task) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      execute(
          () -> {
            try {
              task.run();
              done.complete(null);
            } catch (Throwable e) {
              done.completeExceptionally(e);
            }
          });
      return done;
    }
  }

  /** The sender's only retry would end after a millisecond of virtual time. */
  @ParameterizedTest
  @EnumSource
  void aWorkerOfAPoolIsWaitedFor(Worker worker) {
    worker.submit(() -> {}).join();
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        RcSide leader = new RcSide(network.device("leader", Gid.parse("10.0.0.1")), 4096);
        RcSide follower = new RcSide(network.device("follower", Gid.parse("10.0.0.2")), 4096)) {
      QpBringUp.toRts(leader.qp, RcSide.attributes(follower.gid, follower.qp.qpNum()).rnrRetry(1));
      QpBringUp.toRts(follower.qp, RcSide.attributes(leader.gid, leader.qp.qpNum()));
      CompletableFuture<Void> follows =
          worker.submit(
              () -> {
                work();
                follower.receive(1, 0, 64);
                LeaderAndFollower.await(follower);
              });
      assertEquals(0, leader.send(1, 0, 64));
      LeaderAndFollower.await(leader);
      follows.join();
    }
  }

  /** Both ends run in pools, and the thread that waits for them has used the network, too. */
  @ParameterizedTest
  @EnumSource
  void aServerInAPoolAcceptsItsClient(Worker worker) {
    worker.submit(() -> {}).join();
    try (FabricDevices network = new FabricDevices(FabricOptions.parse("seed=1 loss=5%"));
        Context server = network.device("server", Gid.parse("10.0.0.1")).open();
        Context client = network.device("client", Gid.parse("10.0.0.2")).open();
        Listener listener = Connection.listen(server, 0)) {
      CompletableFuture<Connection> served = new CompletableFuture<>();
      CompletableFuture<Void> serves =
          worker.submit(
              () -> {
                work();
                Connection end = listener.accept();
                served.complete(end);
                end.send("you said: " + end.receiveString());
              });
      try (Connection end = Connection.connect(client, "127.0.0.1", listener.port())) {
        end.send("hello");
        assertEquals("you said: hello", end.receiveString());
        serves.join();
      } finally {
        served.join().close();
      }
    }
  }

  /** The pool starts the task after a delay; until then no thread is awake. */
  @Test
  void aDelayedTaskOfTheCommonPoolIsWaitedFor() {
    Executor later = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS);
    CompletableFuture.runAsync(() -> {}, later).join();
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        Context left = network.device("left", Gid.parse("10.0.0.1")).open();
        Context right = network.device("right", Gid.parse("10.0.0.2")).open();
        RcPair pair = RcPair.connect(left, right)) {
      for (int i = 0; i < 10; i++) {
        var sends = CompletableFuture.runAsync(() -> pair.client().send("late"), later);
        assertEquals("late", pair.server().receiveString());
        sends.join();
      }
    }
  }

  /** While it was delayed, no thread was awake that could come. */
  @Test
  void aDelayedTaskIsWaitedForFromItsBeginningToItsFirstVerb() {
    Executor later = CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);
    CompletableFuture.runAsync(() -> {}, later).join();
    for (int i = 0; i < 4; i++) {
      try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
          Context left = network.device("left", Gid.parse("10.0.0.1")).open();
          Context right = network.device("right", Gid.parse("10.0.0.2")).open();
          RcPair pair = RcPair.connect(left, right)) {
        var sends =
            CompletableFuture.runAsync(
                () -> {
                  work();
                  pair.client().send("late");
                },
                later);
        assertEquals("late", pair.server().receiveString());
        sends.join();
      }
    }
  }

  /** The thread does not use the network, which cannot know this. */
  @Test
  void aThreadThatWorksElsewhereHoldsNobodyUp() throws Exception {
    List<Thread> busy =
        IntStream.range(0, 2)
            .mapToObj(
                i -> Thread.ofPlatform().daemon().start(PoolThreadsTest::workUntilInterrupted))
            .toList();
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        RcSide waits = new RcSide(network.device("waits", Gid.parse("10.0.0.1")), 4096)) {
      Shortest.of(
          10,
          6_000_000_000L,
          () -> {
            for (int i = 0; i < 40; i++) {
              assertNull(waits.channel.getCqEvent(1_000_000_000L));
            }
          });
    } finally {
      busy.forEach(Thread::interrupt);
    }
    for (Thread each : busy) {
      each.join();
    }
  }

  private static void work() {
    long endNs = System.nanoTime() + WORK_NS;
    while (System.nanoTime() - endNs < 0) {
      Thread.onSpinWait();
    }
  }

  private static void workUntilInterrupted() {
    while (!Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
  }
}
