package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** Threads that wait for an event while others close the awaited object or interrupt them. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndedThreadWaitsTest {
  private static final int THREADS = 4;

  /** A verb that blocks. */
  @FunctionalInterface
  private interface Wait {
    Object call();
  }

  /** Threads that block in a call. All but one must be parked; one may lead in a system call. */
  private static final class Waiters {
    final List<Thread> threads = new ArrayList<>();
    final List<CompletableFuture<Object>> results = new ArrayList<>();

    /** Whether each refused thread had its interrupt flag set. */
    volatile boolean stayInterrupted = true;

    Waiters(Wait wait) throws InterruptedException {
      CountDownLatch calling = new CountDownLatch(THREADS);
      for (int i = 0; i < THREADS; i++) {
        CompletableFuture<Object> result = new CompletableFuture<>();
        results.add(result);
        threads.add(
            Thread.ofPlatform()
                .daemon()
                .start(
                    () -> {
                      calling.countDown();
                      try {
                        result.complete(wait.call());
                      } catch (RuntimeException | Error e) {
                        stayInterrupted &= Thread.currentThread().isInterrupted();
                        result.completeExceptionally(e);
                      }
                    }));
      }
      calling.await();
      Poll.until(() -> threads.stream().filter(Waiters::blocks).count() >= THREADS - 1);
    }

    /** A thread in a system call looks as if it ran. */
    private static boolean blocks(Thread thread) {
      return switch (thread.getState()) {
        case WAITING, TIMED_WAITING, BLOCKED -> true;
        default -> false;
      };
    }

    /** Requires that all threads were refused with this errno. */
    void allGot(Errno errno) throws Exception {
      for (CompletableFuture<Object> result : results) {
        assertEquals(errno, refusal(result).errno());
      }
    }

    private static VerbsException refusal(CompletableFuture<Object> result)
        throws InterruptedException, TimeoutException {
      try {
        throw new AssertionError("no refusal but " + result.get(20, TimeUnit.SECONDS));
      } catch (ExecutionException e) {
        return assertInstanceOf(VerbsException.class, e.getCause());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric"})
  void closingTheContextEndsEveryWaitForAnAsyncEvent(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096)) {
      Waiters waiters = new Waiters(side.context::getAsyncEvent);
      side.context.close();
      waiters.allGot(Errno.ENODEV);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric"})
  void closingTheContextEndsEveryWaitForACompletion(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096);
        RcSide open = new RcSide(side.context.device(), 4096)) {
      Waiters waiters = new Waiters(side.channel::getCqEvent);
      side.context.close();
      waiters.allGot(Errno.EINVAL);
      assertNull(open.channel.getCqEvent(1), "the device's other contexts live on");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric"})
  void closingTheChannelEndsEveryWait(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096)) {
      Waiters waiters = new Waiters(side.channel::getCqEvent);
      side.qp.close();
      side.cq.close(); // The threads wait on: the channel may serve another queue.
      for (CompletableFuture<Object> result : waiters.results) {
        assertFalse(result.isDone());
      }
      side.channel.close();
      waiters.allGot(Errno.EINVAL);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric"})
  void anInterruptEndsAWaitTakesNoEventAlongAndStaysSet(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide a = new RcSide(network.device(), 4096);
        RcSide b = new RcSide(network.device(), 4096)) {
      RcSide.connect(a, b, 14, 7);
      b.receive(7, 0, 100);
      b.cq.requestNotification(false);
      Waiters waiters = new Waiters(b.channel::getCqEvent);
      waiters.threads.forEach(Thread::interrupt);
      waiters.allGot(Errno.EINTR);
      assertTrue(waiters.stayInterrupted);
      Waiters events = new Waiters(b.context::getAsyncEvent);
      events.threads.forEach(Thread::interrupt);
      events.allGot(Errno.EINTR);
      assertTrue(events.stayInterrupted);
      a.send(1, 0, 100);
      assertEquals(b.cq, b.channel.getCqEvent(20_000_000_000L));
      b.cq.ackEvents(1);
      assertEquals(7, b.await(1).getFirst().wrId());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric"})
  void anInterruptedThreadTakesWhatIsThereAndOnlyItsNextWaitEnds(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide a = new RcSide(network.device(), 4096);
        RcSide b = new RcSide(network.device(), 4096)) {
      RcSide.connect(a, b, 14, 7);
      b.receive(7, 0, 100);
      b.cq.requestNotification(false);
      a.send(1, 0, 100);
      a.await(1);
      Thread.currentThread().interrupt();
      assertEquals(b.cq, b.channel.getCqEvent());
      b.cq.ackEvents(1);
      assertEquals(7, b.await(1).getFirst().wrId());
      assertEquals(Errno.EINTR, assertThrows(VerbsException.class, b.channel::getCqEvent).errno());
      assertTrue(Thread.interrupted());
      assertNull(b.channel.getCqEvent(1), "one interrupt ends one wait");
    } finally {
      Thread.interrupted(); // of a failed test
    }
  }
}
