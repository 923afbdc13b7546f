package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.Planted;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.wire.Opcode;

/**
 * A driver's background thread at each look-in, at its failure and at the end. A look-in happens
 * only when the test or the tested code unparks the thread.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackgroundThreadTest {
  /** How often the background thread has read the clock. */
  private final AtomicInteger readings = new AtomicInteger();

  private PlayedDevice played;
  private PlayedPort port;

  private void open(boolean anyThread) {
    played = new PlayedDevice(anyThread, 1, Transmit.MAX_SEGMENTS, EngineTrace.NONE);
    port = played.port();
    port.whenTimed =
        () -> {
          if (Thread.currentThread() == played.first().background()) {
            readings.incrementAndGet();
          }
        };
  }

  private static void until(BooleanSupplier condition) {
    PlayedDevice.until(condition);
  }

  /** Waits until the background thread has read the clock and sleeps. */
  private void untilAsleep(int before) {
    until(
        () ->
            readings.get() > before
                && played.first().background().getState() == Thread.State.TIMED_WAITING);
  }

  /** It leaves the engine to threads that poll, and leads while nobody runs it. */
  @ParameterizedTest
  @CsvSource({
    "0,false,true,1",
    "1,false,false,1",
    "64,false,false,1",
    "65,false,false,0",
    "0,true,true,1",
    "1,true,true,1",
    "65,true,true,1"
  })
  void aLookInDoesWhatTheOtherThreadsLeave(int polls, boolean dependant, boolean leads, int turns) {
    open(true);
    AnyThreadDriver driver = (AnyThreadDriver) played.first();
    driver.start();
    untilAsleep(0);
    for (int i = 0; i < polls; i++) {
      driver.advance();
    }
    int looks = port.looks.get();
    int before = readings.get();
    if (dependant) {
      driver.seat().depend(); // wakes it
    } else {
      LockSupport.unpark(driver.background());
    }
    untilAsleep(before);
    assertEquals(leads, !driver.seat().isFree());
    assertEquals(leads ? 1 : 0, port.sleepsSoFar().size());
    assertEquals(turns, port.looks.get() - looks);
    if (dependant) {
      driver.seat().dependNoMore();
    }
    driver.close();
    assertTrue(driver.seat().isFree());
  }

  /** Also to one whose requests are held. */
  @ParameterizedTest
  @ValueSource(strings = {"post", "held post", "poll", "turn of a leader"})
  void aLookInLeavesTheEngineToAThreadThatRunsIt(String call) {
    open(true);
    AnyThreadDriver driver = (AnyThreadDriver) played.first();
    driver.start();
    untilAsleep(0);
    for (int i = 0; i < 65; i++) {
      run(driver, call);
    }
    int looks = port.looks.get();
    int before = readings.get();
    LockSupport.unpark(driver.background());
    untilAsleep(before);
    assertTrue(driver.seat().isFree());
    assertEquals(looks, port.looks.get());
    driver.close();
  }

  /** The turns before the last look-in do not count any more. */
  @Test
  void itLeadsAfterALookInDuringWhichNobodyRanTheEngine() {
    open(true);
    AnyThreadDriver driver = (AnyThreadDriver) played.first();
    driver.start();
    untilAsleep(0);
    for (int i = 0; i < 65; i++) {
      driver.advance();
    }
    for (boolean leads : new boolean[] {false, true}) {
      int before = readings.get();
      LockSupport.unpark(driver.background());
      untilAsleep(before);
      assertEquals(leads, !driver.seat().isFree());
    }
    driver.close();
  }

  @Test
  void aLookInBesideALeaderLeavesItTheSeat() {
    open(true);
    AnyThreadDriver driver = (AnyThreadDriver) played.first();
    driver.start();
    untilAsleep(0);
    PlayedDevice.asAnother(() -> assertTrue(driver.seat().tryTake()));
    for (int turns = 1; turns <= 2; turns++) {
      int before = readings.get();
      LockSupport.unpark(driver.background());
      untilAsleep(before);
      assertFalse(driver.seat().isFree());
      assertEquals(turns, port.looks.get());
    }
    driver.seat().vacate();
    driver.close();
  }

  @Test
  void aLookInLeavesTheEngineToItsOwner() {
    open(true);
    AnyThreadDriver driver = (AnyThreadDriver) played.first();
    driver.start();
    untilAsleep(0);
    driver.advance();
    assertTrue(driver.engine.tryTake());
    int looks = port.looks.get();
    int before = readings.get();
    LockSupport.unpark(driver.background());
    untilAsleep(before);
    assertEquals(looks, port.looks.get());
    driver.release();
    driver.close();
  }

  private void run(AnyThreadDriver driver, String call) {
    int looks = port.looks.get();
    switch (call) {
      case "post" -> driver.doorbell();
      case "held post" -> driver.hold();
      case "turn of a leader" -> driver.block(() -> port.looks.get() > looks, Long.MAX_VALUE);
      default -> driver.advance();
    }
  }

  /** A post and a verb count like a poll: the stand-in steps down for the next thread. */
  @ParameterizedTest
  @ValueSource(strings = {"post", "held post", "poll"})
  void aStandInStepsDownOnceAnotherThreadRunsTheEngine(String call) {
    open(true);
    AnyThreadDriver driver = (AnyThreadDriver) played.first();
    driver.start();
    untilAsleep(0);
    LockSupport.unpark(driver.background());
    until(() -> !driver.seat().isFree() && !port.sleepsSoFar().isEmpty());
    run(driver, call);
    port.wakeup();
    until(driver.seat()::isFree);
    driver.close();
  }

  /** Posts until a request is held; returns how many have been sent. */
  private int sentBeforeHeld(QueuePair qp) {
    while (port.sent.get() < 64) {
      played.post(qp, 1);
    }
    int before;
    do {
      before = port.sent.get();
      played.post(qp, 1);
    } while (port.sent.get() != before);
    return before;
  }

  @Test
  void heldRequestsLeaveAtTheirTimeThoughNobodyComesBack() {
    open(true);
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    played.driver.start();
    untilAsleep(0);
    int before = sentBeforeHeld(qp);
    int looks = readings.get();
    until(() -> readings.get() > looks + 2);
    assertEquals(before, port.sent.get(), "before their time");
    port.clock.addAndGet(1_000_000);
    until(() -> port.sent.get() > before);
    until(() -> !played.first().engine.isRung());
    assertTrue(engineIsFree());
    played.driver.close();
  }

  /** Nor after a thread has come that waits for this one. */
  @Test
  void heldRequestsDoNotKeepItFromLeading() {
    open(true);
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    played.driver.start();
    untilAsleep(0);
    int before = sentBeforeHeld(qp);
    AnyThreadDriver driver = (AnyThreadDriver) played.first();
    driver.seat().depend();
    until(() -> port.sent.get() > before);
    driver.seat().dependNoMore();
    played.driver.close();
  }

  @Test
  void heldRequestsDoNotDelayTheEnd() {
    open(true);
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    played.driver.start();
    untilAsleep(0);
    int before = sentBeforeHeld(qp);
    played.driver.close();
    assertFalse(played.first().background().isAlive());
    assertTrue(port.sent.get() > before);
  }

  /** The owner is told that it has something to send. */
  @Test
  void heldRequestsThatAreDueLeaveWithTheOwnerOfTheEngine() {
    open(true);
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    played.driver.start();
    untilAsleep(0);
    int before = sentBeforeHeld(qp);
    EngineDriver driver = played.first();
    until(driver.engine::tryTake);
    port.clock.addAndGet(1_000_000);
    int looks = readings.get();
    untilAsleep(looks);
    assertEquals(before, port.sent.get());
    driver.release();
    assertTrue(port.sent.get() > before);
    driver.close();
  }

  /** While a thread sleeps in the port, a request is not held. */
  @Test
  void nothingIsHeldBesideALeader() {
    open(true);
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    sentBeforeHeld(qp);
    AnyThreadDriver driver = (AnyThreadDriver) played.first();
    assertTrue(driver.seat().tryTake());
    for (int i = 0; i < 8; i++) {
      played.post(qp, 1);
    }
    assertFalse(driver.engine.isRung());
    driver.seat().vacate();
  }

  /** A wake-up by a thread that posts takes a system call. */
  @Test
  void aPostAfterWhichNothingIsHeldWakesNobody() {
    open(true);
    AnyThreadDriver driver = (AnyThreadDriver) played.first();
    driver.start();
    untilAsleep(0);
    int before = readings.get();
    driver.hold();
    assertFalse(PlayedDevice.ended(driver.background(), Duration.ofMillis(20)));
    assertEquals(before, readings.get());
    driver.close();
  }

  private boolean engineIsFree() {
    until(played.first().engine::tryTake);
    played.first().release();
    return true;
  }

  /** The port cannot be waited on: posted requests are flushed, though nobody looks in. */
  @ParameterizedTest
  @CsvSource({"true, EXCEPTION", "true, ERROR", "false, EXCEPTION", "false, ERROR"})
  void itsOwnFailureIsTheDevices(boolean anyThread, Planted defect) throws InterruptedException {
    open(anyThread);
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    if (anyThread) {
      sentBeforeHeld(qp);
    } else {
      played.post(qp, 3);
    }
    assertTrue(played.first().engine.isRung());
    port.whenServed = defect::raise;
    played.driver.start();
    assertTrue(played.first().background().join(Duration.ofSeconds(20)), "it has not ended");
    assertSame(defect.thrown(), played.first().engine.failure());
    assertEquals(QpState.ERR, qp.state());
    assertFalse(played.first().engine.isRung(), "nobody has flushed the posted requests");
    assertTrue(played.first().engine.tryTake(), "nobody has released the engine");
    played.first().release();
    played.driver.close();
  }

  /** The owner's turn may be what brings the device down. */
  @Test
  void itsFailureWaitsForTheOwnerOfTheEngine() {
    PlaceOfThread its = new PlaceOfThread();
    open(true);
    EngineDriver driver = played.first();
    port.whenServed =
        () -> {
          its.isMine();
          throw new IllegalStateException("planted");
        };
    assertTrue(driver.engine.tryTake());
    driver.start();
    until(() -> driver.engine.failure() != null || its.is(WaitingPlace.ON_ITS_WAY));
    assertNull(driver.engine.failure());
    driver.release();
    assertTrue(PlayedDevice.ended(driver.background(), Duration.ofSeconds(20)), "it waits");
    assertNotNull(driver.engine.failure());
    driver.close();
  }

  /** The thread gives the engine back, for what is still to be closed. */
  @Test
  void aPortThatCannotBeClosedKeepsNoEngine() {
    open(true);
    port.whenClosed =
        () -> {
          throw new IllegalStateException("planted");
        };
    assertThrows(IllegalStateException.class, () -> played.first().close());
    assertTrue(played.first().engine.tryTake());
  }

  /** The background thread needs a while for its end, and the calling thread must wait for it. */
  private void endsLate(EngineDriver driver) {
    Thread closing = Thread.currentThread();
    Runnable timed = port.whenTimed;
    port.whenTimed =
        () -> {
          timed.run();
          if (driver.isClosed() && Thread.currentThread() == driver.background()) {
            PlayedDevice.ended(closing, Duration.ofMillis(20)); // it does not
          }
        };
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anInterruptedThreadClosesAndStaysInterrupted(boolean anyThread) {
    open(anyThread);
    EngineDriver driver = played.first();
    driver.start();
    until(() -> readings.get() > 0);
    endsLate(driver);
    Thread.currentThread().interrupt();
    driver.close();
    assertTrue(Thread.interrupted());
    assertFalse(driver.background().isAlive());
    assertTrue(port.closes.get() > 0);
  }

  /** Such as one that is told of an event. The thread cannot wait for its own end. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aHookOnTheBackgroundThreadMayCloseTheDevice(boolean anyThread) {
    open(anyThread);
    EngineDriver driver = played.first();
    CompletionChannel channel = played.context.createCompletionChannel();
    channel.onEvent(driver::close);
    CompletionQueue cq = played.context.createCq(2 * PlayedDevice.DEPTH, null, channel, 0);
    QueuePair qp = PlayedDevice.connected(cq);
    cq.requestNotification(false);
    try (RecvRequestList receives = new RecvRequestList(1, 1)) {
      assertEquals(0, qp.postRecv(receives.add()));
    }
    driver.start();
    until(() -> readings.get() > 0);
    port.arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), 0, 0);
    port.wakeup();
    LockSupport.unpark(driver.background()); // it looks in
    assertTrue(PlayedDevice.ended(driver.background(), Duration.ofSeconds(20)), "it waits");
    assertTrue(port.closes.get() > 0);
    assertTrue(driver.engine.tryTake());
  }

  /** The port is closed while no other thread can use it, and by the first call alone. */
  @ParameterizedTest
  @CsvSource({"true,true", "true,false", "false,true", "false,false"})
  void theEndClosesThePort(boolean anyThread, boolean started) {
    open(anyThread);
    EngineDriver driver = played.first();
    List<String> wrong = Collections.synchronizedList(new ArrayList<>());
    port.whenClosed =
        () -> {
          if (Thread.currentThread() == driver.background()) {
            return; // it alone may use the port
          }
          if (driver.background().isAlive()) {
            wrong.add("closed while the background thread uses it");
          }
          if (driver.engine.tryTake()) {
            wrong.add("closed while another thread may use it");
          }
        };
    if (started) {
      driver.start();
      untilAsleep(0);
      endsLate(driver);
    }
    driver.close();
    int closes = port.closes.get();
    assertTrue(closes > 0, "it is open");
    driver.close();
    assertEquals(closes, port.closes.get());
    assertEquals(List.of(), wrong);
    assertFalse(driver.background().isAlive());
    assertTrue(driver.engine.tryTake(), "it has kept the engine");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anInterruptedThreadEndsItToo(boolean anyThread) {
    open(anyThread);
    played.driver.start();
    Thread.currentThread().interrupt();
    played.driver.close();
    assertTrue(Thread.interrupted(), "the interruption is lost");
    assertFalse(played.first().background().isAlive());
  }
}
