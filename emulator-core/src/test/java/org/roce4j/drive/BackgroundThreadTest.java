package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
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
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;

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
  @ValueSource(strings = {"post", "held post", "poll"})
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

  private static void run(AnyThreadDriver driver, String call) {
    switch (call) {
      case "post" -> driver.doorbell();
      case "held post" -> driver.hold();
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
    port.clock.addAndGet(1_000_000);
    until(() -> port.sent.get() > before);
    until(() -> !played.first().engine.isRung());
    assertTrue(engineIsFree());
    played.driver.close();
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

  /**
   * Also the second time, after it has slept and worked, and when others are in flight: no request
   * is held for those that may follow.
   */
  @Test
  void aPostWakesTheLoop() {
    open(false);
    port.whenTimed = () -> port.clock.addAndGet(1_000); // ends the spinning
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    played.driver.start();
    for (int posted = 1; posted <= 32; posted++) {
      int sent = posted;
      until(() -> port.sleepsSoFar().size() >= sent && port.hasSleeper());
      int wakeups = port.wakeups.get();
      played.post(qp, 1);
      assertEquals(wakeups + 1, port.wakeups.get(), "nobody wakes it");
      until(() -> port.sent.get() == sent);
    }
    played.driver.close();
  }

  /** A verb runs on the thread that may drive the port, after the requests posted before it. */
  @Test
  void aVerbRunsOnTheLoopWhileThereIsOne() {
    open(false);
    port.whenTimed = () -> port.clock.addAndGet(1_000); // ends the spinning
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    played.post(qp, 2);
    EngineDriver driver = played.first();
    assertEquals(0, port.sent.get());
    Thread caller = Thread.currentThread();
    assertEquals(caller, driver.exclusively(Thread::currentThread));
    driver.start();
    until(() -> !port.sleepsSoFar().isEmpty());
    Thread loop = driver.exclusively(Thread::currentThread);
    assertEquals(driver.background(), loop);
    driver.close();
    assertEquals(caller, driver.exclusively(Thread::currentThread));
    assertTrue(driver.engine.tryTake());
  }
}
