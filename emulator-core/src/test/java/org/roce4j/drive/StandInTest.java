package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.QueuePair;

/** A background thread that leads while no other thread can. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StandInTest {
  private final PlayedDevice played = new PlayedDevice(true, 1, 1, EngineTrace.NONE);
  private final PlayedPort port = played.port();
  private final AnyThreadDriver driver = (AnyThreadDriver) played.first();

  private void looksIn() {
    PlayedDevice.until(() -> driver.background().getState() == Thread.State.TIMED_WAITING);
    LockSupport.unpark(driver.background());
  }

  /** It sleeps in the port. */
  private void standsIn() {
    driver.start();
    looksIn();
    PlayedDevice.until(port::hasSleeper);
  }

  private void close() {
    driver.seat().dependNoMore();
    driver.close();
    assertTrue(driver.seat().isFree());
  }

  /** The thread that has posted may never come back for the rest. */
  @Test
  void itSendsWhatAPostHasLeft() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    standsIn();
    driver.seat().depend(); // so that it stays
    played.post(qp, 1);
    PlayedDevice.until(() -> port.sleepsUntilATimer() && port.hasSleeper());
    int wakeups = port.wakeups.get();
    driver.advance();
    assertEquals(wakeups, port.wakeups.get(), "nothing is left to send");
    played.post(qp, PlayedDevice.DEPTH - 1);
    PlayedDevice.until(() -> port.sent.get() == PlayedDevice.DEPTH);
    close();
  }

  @Test
  void itSpinsForATimeAfterAnArrival() {
    standsIn();
    BackgroundTurns.spinForATimeAfterAnArrival(port);
    close();
  }

  @Test
  void itTakesNoTurnWhileAnotherThreadHasTheEngine() {
    standsIn();
    BackgroundTurns.waitWhileTheEngineIsHeld(driver, port);
    close();
  }

  @Test
  void aThreadThatBeginsToWaitLeadsInItsPlace() {
    standsIn();
    AtomicBoolean over = new AtomicBoolean();
    int sleeps = port.sleepsSoFar().size();
    port.whenTimed = () -> port.clock.addAndGet(1_000); // ends the spinning
    Thread waiting =
        Thread.ofPlatform().daemon().start(() -> driver.await(over::get, Long.MAX_VALUE));
    PlayedDevice.until(() -> port.sleepsSoFar().size() > sleeps && port.hasSleeper());
    over.set(true);
    port.wakeup();
    assertTrue(PlayedDevice.ended(waiting, Duration.ofSeconds(20)), "it did not lead");
    close();
  }

  /** After its turn, which has read the clock once. */
  @Test
  void itLeavesTheSeatWhenThePortFails() {
    standsIn();
    Runnable fails =
        () -> {
          port.whenTimed = null;
          throw new IllegalStateException("planted");
        };
    port.whenTimed = () -> port.whenTimed = fails;
    port.wakeup();
    assertTrue(PlayedDevice.ended(driver.background(), Duration.ofSeconds(20)), "it leads on");
    assertNotNull(driver.engine.failure());
    assertTrue(driver.seat().isFree());
    close();
  }
}
