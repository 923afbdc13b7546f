package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Waits without limit on a virtual network without further events: they last as long as another
 * thread may act, and are reported as endless if there is none. (The thread that creates the
 * network uses it, too, so these tests run on that thread.)
 */
@Timeout(60)
class FabricWaitTest {
  private final AnyNetwork network = new AnyNetwork(AnyNetwork.FABRIC);
  private final RcSide side = new RcSide(network.device(), 4096);

  /** A thread that has used the network and does not use it again until it is told to. */
  private static final class Slow {
    private final CountDownLatch go = new CountDownLatch(1);
    private final Thread thread;

    Slow(RcSide uses, Runnable then) throws InterruptedException {
      CountDownLatch used = new CountDownLatch(1);
      thread =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    uses.context.allocPd().close();
                    used.countDown();
                    awaitQuietly(go);
                    then.run();
                  });
      used.await();
    }

    void finish() throws InterruptedException {
      go.countDown();
      thread.join();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private CompletableFuture<CompletionQueue> waiting(RcSide on) {
    CompletableFuture<CompletionQueue> result = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                result.complete(on.channel.getCqEvent());
              } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
              }
            });
    return result;
  }

  private static Errno refusal(CompletableFuture<?> wait) {
    ExecutionException thrown =
        assertThrows(ExecutionException.class, () -> wait.get(30, TimeUnit.SECONDS));
    return assertInstanceOf(VerbsException.class, thrown.getCause()).errno();
  }

  /** The grace is two seconds of real time. */
  @Test
  void doesNotEndBecauseAnotherThreadIsSlow() throws Exception {
    FlushedQueue queue = new FlushedQueue(side);
    Slow other = new Slow(side, queue::announce);
    CompletableFuture<CompletionQueue> wait = waiting(side);
    assertThrows(TimeoutException.class, () -> wait.get(5, TimeUnit.SECONDS));
    other.finish();
    assertSame(queue.cq, wait.get(10, TimeUnit.SECONDS));
  }

  @Test
  void doesNotEndForAThreadThatComesLate() throws Exception {
    FlushedQueue queue = new FlushedQueue(side);
    Thread late =
        Thread.ofPlatform()
            .daemon()
            .unstarted(
                () -> {
                  LockSupport.parkNanos(200_000_000);
                  queue.announce();
                });
    late.start();
    assertSame(queue.cq, side.channel.getCqEvent());
  }

  @Test
  void isToldToBeEndlessWhenNoOtherThreadHasUsedTheNetwork() {
    VerbsException endless = refused(Errno.ETIMEDOUT, side.channel::getCqEvent);
    assertTrue(endless.getMessage().contains("would block for ever"), endless.getMessage());
    assertTrue(
        endless.getMessage().contains("is armed (requestNotification)"), endless.getMessage());
  }

  @Test
  void isToldToBeEndlessWhenEveryOtherThreadHasEndedOrWaitsToo() throws Exception {
    try (RcSide peer = new RcSide(network.device(), 4096)) {
      new Slow(side, () -> {}).finish();
      CompletableFuture<CompletionQueue> wait = waiting(peer);
      refused(Errno.ETIMEDOUT, side.channel::getCqEvent);
      assertEquals(Errno.ETIMEDOUT, refusal(wait));
    }
  }

  @Test
  void endsThoughTheThreadThatLetTimePassHasLeft() throws Exception {
    CountDownLatch begin = new CountDownLatch(1);
    List<Long> ends = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (long ms : new long[] {10, 30, 20, 40}) {
      CompletionChannel own = side.context.createCompletionChannel();
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    awaitQuietly(begin);
                    own.getCqEvent(TimeUnit.MILLISECONDS.toNanos(ms));
                    ends.add(ms);
                  }));
    }
    begin.countDown();
    for (Thread thread : threads) {
      thread.join(20_000);
    }
    assertEquals(Set.of(10L, 20L, 30L, 40L), Set.copyOf(ends));
  }

  /** Other virtual threads compute on every carrier for longer than a thread may be busy. */
  @Test
  void doesNotTimeOutBeforeAVirtualThreadThatWaitsForACarrier() throws Exception {
    FlushedQueue queue = new FlushedQueue(side);
    int carriers = Runtime.getRuntime().availableProcessors();
    CountDownLatch computing = new CountDownLatch(carriers);
    try (ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> acts =
          virtual.submit(
              () -> {
                side.context.allocPd().close();
                for (int i = 0; i < carriers; i++) {
                  virtual.execute(() -> compute(computing, TimeUnit.SECONDS.toNanos(5)));
                }
                while (computing.getCount() > 0) {
                  Thread.yield();
                }
                queue.announce();
              });
      assertSame(queue.cq, side.channel.getCqEvent(TimeUnit.SECONDS.toNanos(1)));
      acts.get();
    }
  }

  private static void compute(CountDownLatch computing, long forNs) {
    computing.countDown();
    for (long start = System.nanoTime(); System.nanoTime() - start < forNs; ) {
      Thread.onSpinWait();
    }
  }

  /** At once: not when the grace for the other thread is over. */
  @Test
  void endsWhenTheNetworkIsClosed() throws Exception {
    Slow other = new Slow(side, () -> {});
    CompletableFuture<CompletionQueue> wait = waiting(side);
    LockSupport.parkNanos(100_000_000); // meanwhile the wait finds that nothing is left to happen
    network.close();
    assertEquals(Errno.ENODEV, refusal(wait.orTimeout(1500, TimeUnit.MILLISECONDS)));
    other.finish();
  }

  /** A wait that makes the network run satisfies another thread's wait, and then waits itself. */
  @Test
  void endsByWhatAnotherThreadsWaitMakesHappen() throws Exception {
    RcSide a = new RcSide(network.device(), 4096);
    RcSide b = new RcSide(network.device(), 4096);
    RcSide.connect(a, b, 14, 7);
    for (int round = 0; round < 20; round++) {
      b.cq.requestNotification(false);
      b.receive(1, 0, 64);
      CompletableFuture<CompletionQueue> first = waiting(b);
      CompletableFuture<CompletionQueue> second = waiting(side);
      FlushedQueue end = new FlushedQueue(side);
      a.send(1, 0, 64);
      assertSame(b.cq, first.get(20, TimeUnit.SECONDS));
      b.cq.ackEvents(1);
      end.announce();
      assertSame(end.cq, second.get(20, TimeUnit.SECONDS));
      end.cq.ackEvents(1);
      assertEquals(List.of(1, 1), List.of(a.await(1).size(), b.await(1).size()));
    }
  }
}
