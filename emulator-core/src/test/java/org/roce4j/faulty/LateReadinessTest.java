package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.Planted;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WorkCompletions;

/**
 * A program that waits by {@link CompletionChannel#onEvent} alone is called for a completion that a
 * plan delays, by the clock of the plan.
 */
@Timeout(60)
class LateReadinessTest {
  private static final int TIMES = 20;
  private static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(30);

  /** A clock that stands still until it is started, also on a slow machine. */
  private static final class RealTime implements LongSupplier {
    private volatile Long beganNs;

    void begin() {
      beganNs = System.nanoTime();
    }

    @Override
    public long getAsLong() {
      Long began = beganNs;
      return began == null ? 0 : System.nanoTime() - began;
    }
  }

  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final WorkCompletions completions = new WorkCompletions(4);
  private final RealTime real = new RealTime();
  private final Semaphore called = new Semaphore(0);
  private EmulatedDevice beneath;
  private CompletionChannel channel;
  private CompletionQueue cq;
  private QueuePair qp;

  private void open(LongSupplier clock, boolean extended, String rule) {
    beneath = devices.device("faulty", Gid.parse("10.0.0.1"));
    beneath.rememberOrigins();
    Context context = FaultyDevice.around(beneath, VerbsFaults.parse(rule), clock).open();
    channel = context.createCompletionChannel();
    cq =
        extended
            ? context.createCqEx(new CqInitAttr().cqe(4).channel(channel))
            : context.createCq(4, null, channel, 0);
    qp =
        context
            .allocPd()
            .createQp(
                new QpInitAttr().qpType(QpType.UD).cq(cq).cap(new QpCapabilities(1, 4, 1, 1, 0)));
    QpBringUp.toRts(qp, QpBringUp.attributes());
    qp.modify(new QpAttr().qpState(QpState.ERR));
  }

  @ParameterizedTest
  @CsvSource({"true, false", "true, true", "false, false", "false, true"})
  void theHookIsCalledWhenTheCompletionComes(boolean virtual, boolean extended) throws Exception {
    LongSupplier clock = virtual ? devices.fabric()::nowNs : real;
    open(clock, extended, "late=30ms nth=1");
    channel.onEvent(called::release);
    cq.requestNotification(false);
    long postedNs = clock.getAsLong();
    post();
    take(); // the event of the completion beneath
    assertEquals(0, poll(extended), "it is late");

    real.begin();
    called.acquire();
    assertTrue(clock.getAsLong() - postedNs >= LATE_NS);
    take();
    assertEquals(1, poll(extended));
    cq.ackEvents(2);
    channel.onEvent(null);
    qp.close();
    cq.close();
    channel.close();
    assertTrue(
        beneath.openObjects().keySet().stream().noneMatch(CompletionChannel.class::isInstance),
        "the channel on which the plan waited is open");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHookThatIsSetLaterIsCalledToo(boolean virtual) throws Exception {
    open(virtual ? devices.fabric()::nowNs : real, false, "late=30ms nth=1");
    cq.requestNotification(false);
    post();
    take(); // the event of the completion beneath
    assertEquals(0, poll(false), "it is late");
    channel.onEvent(called::release);
    real.begin();
    called.acquire();
    take();
    assertEquals(1, poll(false));
  }

  /**
   * A hook that throws ends nothing: its exception is reported, and the hook is called for the next
   * completion.
   */
  @ParameterizedTest
  @EnumSource
  void oneThreadCallsForManyLateCompletions(Planted planted) throws Exception {
    open(devices.fabric()::nowNs, false, "late=1ms");
    Set<Thread> callers = ConcurrentHashMap.newKeySet();
    Queue<Throwable> told = new ConcurrentLinkedQueue<>();
    channel.onEvent(
        () -> {
          Thread caller = Thread.currentThread();
          boolean late = caller.getName().equals("roce4j-late");
          if (late) {
            callers.add(caller);
            caller.setUncaughtExceptionHandler((_, thrown) -> told.add(thrown));
          }
          called.release();
          if (late) {
            planted.raise();
          }
        });
    cq.requestNotification(false);
    long beganNs = System.nanoTime();
    for (int i = 0; i < TIMES; i++) {
      post();
      take();
      assertEquals(0, poll(false), "it is late");
      called.acquire();
      take();
      assertEquals(1, poll(false));
    }
    long tookNs = System.nanoTime() - beganNs;
    // A thread that is not woken looks after a second.
    assertTrue(tookNs < TimeUnit.SECONDS.toNanos(TIMES / 2), () -> tookNs / 1_000_000 + " ms");
    assertTrue(callers.size() <= TIMES / 2, () -> callers.size() + " threads");
    assertTrue(told.size() >= TIMES - 1, () -> told.size() + " of " + TIMES + " told");
  }

  /** The thread that calls hooks ends after a second without a late completion. */
  @Test
  void theHookIsCalledAgainAfterALongPause() throws Exception {
    AtomicLong clock = new AtomicLong();
    open(clock::get, false, "late=30ms");
    channel.onEvent(called::release);
    cq.requestNotification(false);
    for (int i = 0; i < 2; i++) {
      post();
      take();
      assertEquals(0, poll(false), "it is late");
      clock.addAndGet(LATE_NS);
      called.acquire();
      take();
      assertEquals(1, poll(false));
      endOfTheThread();
    }
    cq.ackEvents(4);
  }

  private static void endOfTheThread() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("roce4j-late")) {
        thread.join();
      }
    }
  }

  private void post() {
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      list.add().wrId(7);
      assertEquals(0, qp.postRecv(list));
    }
  }

  private void take() throws InterruptedException {
    called.drainPermits();
    assertSame(cq, channel.getCqEvent(0));
    assertNull(channel.getCqEvent(0));
    cq.requestNotification(false);
  }

  private int poll(boolean extended) {
    if (!extended) {
      return cq.poll(completions);
    }
    ExtendedCompletionQueue reading = (ExtendedCompletionQueue) cq;
    if (reading.startPoll() != 0) {
      return 0;
    }
    reading.endPoll();
    return 1;
  }
}
