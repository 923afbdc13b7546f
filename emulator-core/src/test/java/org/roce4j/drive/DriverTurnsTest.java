package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.device.Device;
import org.roce4j.engine.Planted;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Opcode;

/**
 * Events at each step of a driver's turn. The background threads of drivers for any thread are not
 * started, so that none repairs an omission.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DriverTurnsTest {
  private static final int DEPTH = PlayedDevice.DEPTH;
  private static final long ACK_TIMEOUT_NS = PlayedDevice.ACK_TIMEOUT_NS;

  @AutoClose private final Arena arena = Arena.ofShared();
  private PlayedDevice played;
  private List<PlayedPort> ports;
  private Device device;
  private DeviceDriver driver;
  private Context context;

  private void open(boolean anyThread, int engines) {
    open(anyThread, engines, 1);
  }

  private void open(boolean anyThread, int engines, int maxTrain) {
    open(anyThread, engines, maxTrain, EngineTrace.NONE);
  }

  private void open(boolean anyThread, int engines, int maxTrain, EngineTrace trace) {
    played = new PlayedDevice(anyThread, engines, maxTrain, trace);
    ports = played.ports;
    device = played.device;
    driver = played.driver;
    context = played.context;
  }

  private QueuePair connected(int engine) {
    return PlayedDevice.connected(context, engine);
  }

  private void post(QueuePair qp, int count) {
    played.post(qp, count);
  }

  private static void asAnother(Runnable what) {
    PlayedDevice.asAnother(what);
  }

  /** The ACK timer of a request that was posted in the leader's turn bounds the leader's sleep. */
  @Test
  void theLeaderSleepsNoLongerThanUntilATimerOfItsOwnTurn() {
    open(true, 1);
    QueuePair qp = connected(0);
    PlayedPort port = ports.getFirst();
    AtomicBoolean over = new AtomicBoolean();
    port.whenAsked =
        () -> { // stops spinning, and leads from the next turn on
          port.clock.addAndGet(1_000_000);
          port.whenAsked = () -> asAnother(() -> post(qp, 1));
        };
    Thread leader =
        Thread.ofPlatform().start(() -> driver.whole().await(over::get, Long.MAX_VALUE));
    while (port.sleepsSoFar().isEmpty()) {
      Thread.onSpinWait();
    }
    over.set(true);
    port.wakeup();
    asAnother(() -> join(leader));
    assertEquals(1, port.sent.get());
    assertTrue(port.sleeps.getFirst() <= ACK_TIMEOUT_NS, port.sleeps::toString);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A datagram for another engine is handled, even if a request was posted in that turn. */
  @Test
  void theNeighbourRunsAlsoWhenAnotherTurnFollows() {
    open(true, 2);
    QueuePair here = connected(0);
    QueuePair there = connected(1);
    RecvRequestList receives = new RecvRequestList(arena, 1, 1);
    assertEquals(0, there.postRecv(receives.add()));
    ports.getFirst().arrives(Opcode.RC_SEND_ONLY, there.qpNum(), 0, 0);
    ports.getFirst().whenAsked = () -> asAnother(() -> post(here, 1));
    driver.each().getFirst().advance();
    assertEquals(1, ports.getFirst().sent.get());
    assertEquals(1, ports.getLast().sent.get(), "the acknowledgement");
    assertTrue(driver.each().getLast().engine.tryTake(), "the neighbour is free");
  }

  /** A thread's call on a device concerns each of its engines. */
  @Test
  void aDeviceOfSeveralEnginesRunsEach() {
    open(true, 2);
    List<PlayedPort> timed = new ArrayList<>();
    ports.forEach(port -> port.whenTimed = () -> timed.add(port));
    driver.whole().advance();
    assertEquals(List.of(1, 1), ports.stream().map(port -> port.looks.get()).toList());
    timed.clear();
    driver.whole().doorbell();
    assertEquals(Set.copyOf(ports), Set.copyOf(timed));
    timed.clear();
    driver.whole().exclusively(timed::clear);
    assertEquals(Set.copyOf(ports), Set.copyOf(timed), "what the verb has caused is sent");
  }

  /** Other threads post whenever it has sent, and their polls find the engine held. */
  @Test
  void aThreadThatSendsForOthersTakesInForThem() {
    open(true, 1);
    QueuePair qp = connected(0);
    PlayedPort port = ports.getFirst();
    port.whenSent =
        () -> {
          if (port.sent.get() < 20) {
            asAnother(() -> post(qp, 1));
          }
        };
    port.arrives(Opcode.RC_ACKNOWLEDGE, qp.qpNum(), 0, 0x1f << 24 | 1);
    post(qp, 1);
    assertEquals(20, port.sent.get());
    assertEquals(1, device.engine(0).counters().get(Counter.RECEIVED_ACKS));
  }

  /** The datagram is handled when the neighbour is free, by the thread that frees it. */
  @Test
  void aNeighbourThatIsBusyRunsAfterwards() {
    open(true, 2);
    QueuePair there = connected(1);
    assertEquals(0, there.postRecv(new RecvRequestList(arena, 1, 1).add()));
    ports.getFirst().arrives(Opcode.RC_SEND_ONLY, there.qpNum(), 0, 0);
    Set<Thread> users = ConcurrentHashMap.newKeySet();
    ports.getLast().whenTimed = () -> users.add(Thread.currentThread());
    ports.getLast().whenAsked = () -> asAnother(() -> driver.each().getFirst().advance());
    driver.each().getLast().advance();
    assertEquals(Set.of(Thread.currentThread()), users);
    assertEquals(1, ports.getLast().sent.get(), "the acknowledgement");
  }

  @Test
  void whatWasPostedIsSentBeforeTheEnd() {
    open(true, 1);
    QueuePair qp = connected(0);
    post(qp, DEPTH);
    int before = ports.getFirst().sent.get();
    assertTrue(before < DEPTH, () -> "a turn has its bounds: " + before);
    driver.close();
    assertEquals(DEPTH, ports.getFirst().sent.get());
  }

  @Test
  void whoDoesNotWaitHasATurnNevertheless() {
    open(true, 1);
    PlayedPort port = ports.getFirst();
    assertFalse(driver.whole().await(() -> port.looks.get() > 1, 0));
    assertTrue(driver.whole().await(() -> port.looks.get() > 1, 0));
    assertTrue(driver.whole().await(() -> true, Long.MAX_VALUE));
    assertEquals(2, port.looks.get(), "what holds already needs no turn");
  }

  @Test
  void whoDoesNotWaitIsNotInterrupted() {
    open(true, 1);
    Thread.currentThread().interrupt();
    assertFalse(driver.whole().await(() -> false, 0));
    assertFalse(driver.whole().await(() -> false, -1));
    assertTrue(Thread.interrupted());
    driver.close();
    assertFalse(driver.whole().await(() -> false, 0), "nor told of the end");
  }

  /** More than one turn may send. */
  @Test
  void theLeaderSendsAllThatWasPostedBeforeItSleeps() {
    open(true, 1);
    QueuePair qp = connected(0);
    PlayedPort port = ports.getFirst();
    post(qp, DEPTH);
    port.whenAsked = () -> port.clock.addAndGet(1_000_000); // stops spinning
    AtomicBoolean over = new AtomicBoolean();
    Thread leader =
        Thread.ofPlatform().start(() -> driver.whole().await(over::get, Long.MAX_VALUE));
    PlayedDevice.until(port::hasSleeper);
    int sent = port.sent.get();
    over.set(true);
    port.wakeup();
    join(leader);
    assertEquals(DEPTH, sent);
  }

  /** A thread that comes late finds the answer and the expired timer together. */
  @Test
  void whatHasArrivedCountsBeforeATimer() {
    open(true, 1);
    QueuePair qp = connected(0);
    post(qp, 1);
    ports.getFirst().clock.addAndGet(2 * ACK_TIMEOUT_NS);
    ports.getFirst().arrives(Opcode.RC_ACKNOWLEDGE, qp.qpNum(), 0, 0x1f << 24 | 1);
    driver.each().getFirst().take();
    driver.each().getFirst().cycle.run();
    driver.each().getFirst().release();
    assertEquals(0, device.engine(0).counters().get(Counter.ACK_TIMEOUT));
    assertEquals(1, ports.getFirst().sent.get());
  }

  /** A reply leaves alone only if the thread polls: it comes back for the acknowledgement. */
  @ParameterizedTest
  @CsvSource({"false,1,2", "false,2,1", "true,1,2", "true,2,1"})
  void theAcknowledgementWaitsForAThreadThatHasPolledSinceItPosted(
      boolean held, int polls, int sent) {
    open(true, 1);
    QueuePair qp = connected(0);
    assertEquals(0, qp.postRecv(new RecvRequestList(arena, 1, 1).add()));
    EngineDriver engine = driver.each().getFirst();
    for (int i = 0; i < 4; i++) {
      engine.advance();
    }
    if (held) {
      engine.hold();
    } else {
      engine.doorbell();
    }
    for (int i = 1; i < polls; i++) {
      engine.advance();
    }
    ports.getFirst().arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), 0, 0);
    engine.advance();
    post(qp, 1);
    assertEquals(sent, ports.getFirst().sent.get(), "reply and acknowledgement");
    driver.close();
    assertEquals(2, ports.getFirst().sent.get());
  }

  /** The caller of a verb gets its exception, and the engine goes on. */
  @ParameterizedTest
  @CsvSource({"true,1", "true,2", "false,1"})
  void whatAVerbThrowsIsItsCallers(boolean anyThread, int engines) {
    open(anyThread, engines);
    driver.start();
    for (Planted mistake : Planted.values()) {
      Runnable verb = mistake::raise;
      Throwable caught = assertThrows(Throwable.class, () -> driver.whole().exclusively(verb));
      assertSame(mistake.thrown(), caught);
    }
    assertEquals(1, driver.whole().exclusively(() -> 1));
    assertNull(device.engine(0).failure());
    driver.close();
  }

  /** A waiting thread gets the failure while another thread's turn gives up. */
  @Test
  void whatAFailedTurnTellsIsThereForWhoWaits() {
    AtomicInteger looks = new AtomicInteger();
    AtomicBoolean there = new AtomicBoolean();
    AtomicBoolean seen = new AtomicBoolean();
    BooleanSupplier condition = () -> looks.incrementAndGet() > 0 && there.get();
    Thread waiter =
        Thread.ofPlatform()
            .unstarted(() -> seen.set(driver.whole().await(condition, Long.MAX_VALUE)));
    EngineTrace trace =
        new EngineTrace() {
          @Override
          public void stateChanged(int qpNum, QpState from, QpState to) {
            if (to == QpState.ERR && waiter.getState() == Thread.State.NEW) {
              waiter.start();
              while (looks.get() < 2) {
                Thread.onSpinWait();
              }
              PlayedDevice.ended(waiter, Duration.ofMillis(20)); // it must not
            } else if (to == QpState.ERR) {
              there.set(true);
            }
          }
        };
    open(true, 1, 1, trace);
    connected(0);
    connected(0);
    ports.getFirst().whenAsked =
        () -> {
          throw new IllegalStateException("planted");
        };
    driver.each().getFirst().advance();
    join(waiter);
    assertTrue(seen.get());
  }

  /** A thread that waits for a port is kept awake by each datagram that stays there. */
  @Test
  void aFailedEngineStillTakesWhatArrives() {
    open(true, 1);
    QueuePair qp = connected(0);
    PlayedPort port = ports.getFirst();
    port.whenAsked =
        () -> {
          throw new IllegalStateException("planted");
        };
    EngineDriver engine = driver.each().getFirst();
    engine.advance();
    for (Runnable turn : List.<Runnable>of(engine::advance, engine::doorbell, engine::hold)) {
      port.arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), 0, 0);
      turn.run();
      assertFalse(port.hasArrivals());
    }
    assertEquals(0, port.sent.get());
  }

  /** A post after the patience of held requests sends them. */
  @Test
  void heldRequestsLeaveWithThePostThatFindsThemOverdue() {
    open(true, 1, Transmit.MAX_SEGMENTS);
    QueuePair qp = connected(0);
    PlayedPort port = ports.getFirst();
    while (port.sent.get() < 64) {
      post(qp, 1);
    }
    int before;
    do {
      before = port.sent.get();
      post(qp, 1);
    } while (port.sent.get() != before);
    port.clock.addAndGet(1_000_000);
    port.arrives(Opcode.RC_ACKNOWLEDGE, qp.qpNum(), 63, 0x1f << 24 | 64);
    for (int i = 0; i < 4; i++) {
      post(qp, 1); // every fourth reads the clock
    }
    assertTrue(port.sent.get() > before, "held for a millisecond");
    assertFalse(port.hasArrivals(), "a thread that posts and never polls receives, too");
  }

  /** The thread checks for posted requests after it has said that it sleeps. */
  @Test
  void nothingIsPostedUnseenWhileTheLoopFallsAsleep() {
    open(false, 1);
    QueuePair qp = connected(0);
    PlayedPort port = ports.getFirst();
    driver.start();
    List<Integer> lost = new ArrayList<>();
    for (int step = 1; step <= 12 && lost.isEmpty(); step++) {
      int before = port.sent.get();
      AtomicInteger left = new AtomicInteger(step);
      port.whenTimed =
          () -> {
            if (Thread.currentThread().getName().startsWith("roce4j")
                && left.decrementAndGet() == 0) {
              asAnother(() -> post(qp, 1));
            }
          };
      port.clock.addAndGet(1_000_000);
      while (left.get() > 0) {
        port.clock.addAndGet(1_000);
        port.wakeup();
        Thread.yield();
      }
      long end = System.nanoTime() + 20_000_000_000L;
      while (port.sent.get() == before && System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
      if (port.sent.get() == before) {
        lost.add(step);
      }
    }
    driver.close();
    assertEquals(List.of(), lost, "posted at these steps");
  }

  /** The port's clock has any origin; its time since 1970 is the machine's. */
  @Test
  void theTimeSince1970IsThatOfTheMachine() {
    open(true, 1);
    long before = sinceEpochNs(Instant.now());
    long told = driver.whole().sinceEpochNs(ports.getFirst().clock.get());
    long after = sinceEpochNs(Instant.now());
    assertTrue(before <= told && told <= after, () -> before + " " + told + " " + after);
    assertEquals(told + 77, driver.whole().sinceEpochNs(ports.getFirst().clock.get() + 77));
  }

  private static long sinceEpochNs(Instant instant) {
    return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
  }

  /** As with any blocking queue, results after a task was cancelled are left for the next one. */
  @ParameterizedTest
  @CsvSource({"true, 1", "true, 2", "false, 1"})
  void aWaitThatWasInterruptedTakesNothingMore(boolean anyThread, int engines) {
    open(anyThread, engines);
    AtomicInteger looks = new AtomicInteger();
    BooleanSupplier comesAfterTheInterruption =
        () -> {
          if (looks.getAndIncrement() == 0) {
            Thread.currentThread().interrupt();
            return false;
          }
          return true;
        };
    try {
      VerbsException e =
          assertThrows(
              VerbsException.class,
              () -> driver.whole().await(comesAfterTheInterruption, 1_000_000_000));
      assertEquals(Errno.EINTR, e.errno());
    } finally {
      assertTrue(Thread.interrupted());
    }
  }
}
