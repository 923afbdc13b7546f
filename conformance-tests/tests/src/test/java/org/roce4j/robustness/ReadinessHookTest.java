package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.WcStatus;

/**
 * Readiness hooks that behave well and badly: they throw, block, call back, destroy their object.
 * The contract of {@link CompletionChannel#onEvent} holds on every device.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadinessHookTest {
  private static final int EXCHANGES = 200;

  /** Exceptions of hooks, as they were reported. */
  private final ConcurrentLinkedQueue<Throwable> told = new ConcurrentLinkedQueue<>();

  private Thread.UncaughtExceptionHandler before;

  /** A mistake of the application, of the exception class that closed memory throws. */
  private static final class Mistake extends IllegalStateException {
    private static final long serialVersionUID = 1L;
  }

  @BeforeEach
  void listen() {
    before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> told.add(thrown));
  }

  @AfterEach
  void listenNoMore() {
    Thread.setDefaultUncaughtExceptionHandler(before);
  }

  /** Polls a side, which makes a virtual network run, until the condition holds. */
  private static void polling(RcSide side, BooleanSupplier condition) {
    Poll.until(
        () -> {
          assertEquals(List.of(), side.poll());
          return condition.getAsBoolean();
        });
  }

  /** Takes an event that must be there. */
  private static CompletionQueue take(CompletionChannel channel) {
    CompletionQueue cq = channel.getCqEvent(0);
    assertNotNull(cq, "there is no event");
    cq.ackEvents(1);
    return cq;
  }

  private static EventType take(Context context) {
    AsyncEvent event = context.pollAsyncEvent();
    assertNotNull(event, "there is no event");
    event.ack();
    return event.type();
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric", "linux-4", "fabric-4"})
  void whatAHookThrowsIsToldAndConcernsNoCallOfAnotherDevice(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide a = new RcSide(network.device(), 4096);
        RcSide b = new RcSide(network.device(), 4096);
        RcSide bystander = new RcSide(network.device(), 4096)) {
      RcSide.connect(a, b, 14, 7);
      for (RcSide side : List.of(a, b)) {
        side.channel.onEvent(
            () -> {
              throw new Mistake();
            });
      }
      for (int i = 1; i <= 3; i++) {
        int mistakes = 2 * i;
        a.cq.requestNotification(false);
        b.cq.requestNotification(false);
        assertEquals(0, b.receive(i, 0, 100));
        assertEquals(0, a.send(i, 0, 100));
        polling(bystander, () -> told.size() == mistakes);
        assertEquals(List.of(new RcSide.Completion(i, WcStatus.SUCCESS, 100)), b.await(1));
        assertEquals(WcStatus.SUCCESS, a.await(1).getFirst().status());
        assertSame(a.cq, take(a.channel));
        assertSame(b.cq, take(b.channel));
      }
      assertTrue(told.stream().allMatch(Mistake.class::isInstance), told.toString());
      assertEquals(QpState.RTS, a.qp.state());
      assertEquals(QpState.RTS, b.qp.state());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric", "linux-4", "fabric-4"})
  void aHookThatThrowsKeepsNoOtherFromBeingCalled(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport)) {
      RdmaDevice device = network.device();
      try (Context one = device.open();
          Context other = device.open()) {
        AtomicInteger calls = new AtomicInteger();
        for (Context context : List.of(one, other)) {
          context.onAsyncEvent(
              () -> {
                calls.incrementAndGet();
                throw new AssertionError("a hook's own mistake");
              });
        }
        ((EmulatedDevice) device).port(false); // one turn raises an event in both contexts
        Poll.until(() -> told.size() == 2);
        assertEquals(2, calls.get());
        assertEquals(EventType.PORT_ERR, take(one));
        assertEquals(EventType.PORT_ERR, take(other));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric", "linux-4", "fabric-4"})
  void aHookIsCalledOnTheEdgeFromNoEventToOneAndNotForEachEvent(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096)) {
      FlushedQueue first = new FlushedQueue(side);
      FlushedQueue second = new FlushedQueue(side);
      AtomicInteger calls = new AtomicInteger();
      side.channel.onEvent(calls::incrementAndGet);
      for (int edge = 1; edge <= 5; edge++) {
        int least = edge;
        first.announced();
        second.announced();
        assertSame(first.cq, take(side.channel));
        first.announced(); // the other event still waits
        assertSame(second.cq, take(side.channel));
        assertSame(first.cq, take(side.channel));
        assertNull(side.channel.getCqEvent(0));
        Poll.until(() -> calls.get() >= least);
      }
      assertEquals(5, calls.get(), "calls for fifteen events and five edges");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric", "linux-4", "fabric-4"})
  void theHookForAsynchronousEventsIsCalledOnTheEdgeToo(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport)) {
      EmulatedDevice device = (EmulatedDevice) network.device();
      try (Context context = device.open()) {
        AtomicInteger calls = new AtomicInteger();
        context.onAsyncEvent(calls::incrementAndGet);
        for (int edge = 1; edge <= 3; edge++) {
          int least = edge;
          device.port(false);
          device.port(true);
          context.allocPd().close();
          assertEquals(EventType.PORT_ERR, take(context));
          assertEquals(EventType.PORT_ACTIVE, take(context));
          Poll.until(() -> calls.get() >= least);
        }
        assertEquals(3, calls.get(), "calls for six events and three edges");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric"})
  void aHookThatIsSetWhileAnEventWaitsIsCalledAtOnce(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096)) {
      new FlushedQueue(side).announced();
      AtomicInteger calls = new AtomicInteger();
      side.channel.onEvent(calls::incrementAndGet);
      Poll.until(() -> calls.get() == 1);
      take(side.channel);
      AtomicInteger never = new AtomicInteger();
      side.channel.onEvent(never::incrementAndGet);
      side.channel.onEvent(null);
      new FlushedQueue(side).announced();
      take(side.channel);
      assertEquals(1, calls.get());
      assertEquals(0, never.get());
    }
  }

  /**
   * During the hook another thread executes verbs that own the engine, so the hook's thread holds
   * nothing. Netty's port has one thread, so there the hook itself executes them.
   */
  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric", "linux-4", "fabric-4"})
  void theThreadOfAHookHoldsNothing(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096);
        RcSide neighbour = new RcSide(network.device(), 4096)) {
      CompletableFuture<Thread> ran = new CompletableFuture<>();
      side.channel.onEvent(
          () -> {
            try {
              side.context.allocPd().close();
              Runnable verbs =
                  () -> {
                    side.context.allocPd().close();
                    neighbour.context.allocPd().close();
                  };
              if (!transport.equals("netty")) {
                CompletableFuture.runAsync(verbs).get(20, TimeUnit.SECONDS);
              }
              ran.complete(Thread.currentThread());
            } catch (Exception | Error e) {
              ran.completeExceptionally(e);
            }
          });
      new FlushedQueue(side).announced();
      Thread thread = ran.get(30, TimeUnit.SECONDS);
      boolean background = thread.getName().startsWith("roce4j-");
      switch (transport) {
        case "fabric", "fabric-4" -> assertSame(Thread.currentThread(), thread);
        case "netty" -> assertTrue(background, thread.getName());
        default -> assertTrue(background || thread == Thread.currentThread(), thread.getName());
      }
      assertEquals(List.of(), List.copyOf(told));
    }
  }

  /** A server and a client that run in their hooks alone. */
  private static final class Responder implements Runnable {
    private final RcSide side;
    private final int limit;
    private final Runnable finished;
    private final ThreadLocal<Boolean> running = ThreadLocal.withInitial(() -> false);
    final AtomicInteger received = new AtomicInteger();
    final AtomicBoolean nested = new AtomicBoolean();

    Responder(RcSide side, int limit, Runnable finished) {
      this.side = side;
      this.limit = limit;
      this.finished = finished;
    }

    @Override
    public void run() {
      if (running.get()) {
        nested.set(true);
      }
      running.set(true);
      synchronized (this) {
        CompletionQueue cq;
        while ((cq = side.channel.getCqEvent(0)) != null) {
          cq.ackEvents(1);
          cq.requestNotification(false);
          for (var batch = side.poll(); !batch.isEmpty(); batch = side.poll()) {
            batch.forEach(this::completed);
          }
        }
      }
      running.set(false);
    }

    private void completed(RcSide.Completion completion) {
      assertEquals(WcStatus.SUCCESS, completion.status());
      if (completion.wrId() == 7) {
        assertEquals(0, side.receive(7, 0, 64));
        if (received.incrementAndGet() <= limit) {
          assertEquals(0, side.send(1, 64, 64));
        } else {
          finished.run();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric", "linux-4", "fabric-4"})
  void hooksMayPollPostAndArmAndAreNotNested(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide a = new RcSide(network.device(), 4096);
        RcSide b = new RcSide(network.device(), 4096);
        RcSide waiting = new RcSide(network.device(), 4096)) {
      RcSide.connect(a, b, 14, 7);
      FlushedQueue end = new FlushedQueue(waiting);
      Responder client = new Responder(a, EXCHANGES, end::announce);
      Responder server = new Responder(b, Integer.MAX_VALUE, () -> {});
      for (Responder each : List.of(client, server)) {
        each.side.receive(7, 0, 64);
        each.side.channel.onEvent(each);
        each.side.cq.requestNotification(false);
      }
      assertEquals(0, a.send(1, 64, 64));
      assertSame(end.cq, waiting.channel.getCqEvent(), "this wait makes a virtual network run");
      end.cq.ackEvents(1);
      assertEquals(EXCHANGES + 1, client.received.get());
      assertEquals(EXCHANGES + 1, server.received.get());
      assertTrue(!client.nested.get() && !server.nested.get(), "a hook ran within a hook");
      assertEquals(List.of(), List.copyOf(told));
      a.channel.onEvent(null);
      b.channel.onEvent(null);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "fabric", "linux-4", "fabric-4"})
  void aHookMayDestroyAllThatItBelongsTo(String transport) throws Exception {
    for (int round = 0; round < 5; round++) {
      try (AnyNetwork network = new AnyNetwork(transport);
          RcSide a = new RcSide(network.device(), 4096);
          RcSide b = new RcSide(network.device(), 4096)) {
        RcSide.connect(a, b, 8, 1);
        CompletableFuture<Boolean> destroyed = new CompletableFuture<>();
        b.channel.onEvent(
            () -> {
              try {
                take(b.channel);
                b.qp.close();
                b.cq.close();
                b.channel.close();
                b.context.close();
                destroyed.complete(true);
              } catch (RuntimeException | Error e) {
                destroyed.completeExceptionally(e);
              }
            });
        b.cq.requestNotification(false);
        assertEquals(0, b.receive(1, 0, 64));
        assertEquals(0, a.send(1, 0, 64));
        assertEquals(1, a.await(1).size(), "it was acknowledged, or retried in vain");
        assertTrue(destroyed.get(20, TimeUnit.SECONDS));
      }
    }
    assertEquals(List.of(), List.copyOf(told));
  }

  /** A blocking hook blocks its own thread and no other. */
  @ParameterizedTest
  @ValueSource(strings = {"linux", "fabric", "linux-4", "fabric-4"})
  void aHookThatBlocksKeepsNoOtherThreadWaiting(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      RdmaDevice left = network.device();
      RdmaDevice right = network.device();
      try (RcSide side = new RcSide(left, 4096)) {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(1);
        side.channel.onEvent(() -> block(blocked, release));
        FlushedQueue queue = new FlushedQueue(side);
        List<Future<?>> pairs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          pairs.add(threads.submit(() -> exchange(left, right, blocked)));
        }
        Future<?> announced = threads.submit(queue::announce);
        try {
          Poll.until(() -> pairs.stream().filter(Future::isDone).count() >= 2);
        } finally {
          release.countDown();
        }
        announced.get(20, TimeUnit.SECONDS);
        for (Future<?> pair : pairs) {
          pair.get(20, TimeUnit.SECONDS);
        }
      }
    }
  }

  /** Exchanges messages before the hook blocks and while it blocks. */
  private static void exchange(RdmaDevice left, RdmaDevice right, CountDownLatch blocked) {
    try (RcSide a = new RcSide(left, 4096);
        RcSide b = new RcSide(right, 4096)) {
      RcSide.connect(a, b, 14, 7);
      for (int after = 0; after < 20; after += blocked.getCount() == 0 ? 1 : 0) {
        assertEquals(0, b.receive(1, 0, 64));
        assertEquals(0, a.send(1, 0, 64));
        assertEquals(1, b.await(1).size());
        assertEquals(1, a.await(1).size());
      }
    }
  }

  private static void block(CountDownLatch blocked, CountDownLatch release) {
    blocked.countDown();
    try {
      assertTrue(release.await(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
