package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.wire.Opcode;

/** A port that only one thread may drive: the loop, which works for all others. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopThreadTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final PlayedDevice played = new PlayedDevice(false, 1, 1, EngineTrace.NONE);
  private final PlayedPort port = played.port();
  private final LoopThreadDriver driver = (LoopThreadDriver) played.first();

  /** Ends the loop's turn in {@link #inItsTurn}. */
  private final CountDownLatch goesOn = new CountDownLatch(1);

  private boolean isLoop() {
    return Thread.currentThread() == driver.background();
  }

  private void startsAndSleeps() {
    port.whenTimed = () -> port.clock.addAndGet(BlockingProgress.SPIN_NS); // ends the spinning
    driver.start();
    PlayedDevice.until(port::hasSleeper);
  }

  /** The loop stays in a turn, after it has sent, until {@link #goesOn}. */
  private void inItsTurn() {
    CountDownLatch begun = new CountDownLatch(1);
    port.whenAsked =
        () -> {
          begun.countDown();
          await(goesOn);
        };
    if (driver.background().isAlive()) {
      port.wakeup();
    } else {
      driver.start();
    }
    await(begun);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A verb of another thread, which has been passed to the loop. */
  private Thread passed(Runnable verb) {
    int wakeups = port.wakeups.get();
    Thread caller = Thread.ofPlatform().daemon().start(() -> driver.exclusively(verb));
    PlayedDevice.until(() -> port.wakeups.get() > wakeups);
    return caller;
  }

  private static void ends(Thread thread) {
    assertTrue(PlayedDevice.ended(thread, LONG), "it still waits");
  }

  /**
   * Also the second time, after it has slept and worked, and when others are in flight: no request
   * is held for those that may follow.
   */
  @Test
  void aPostWakesTheLoop() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    startsAndSleeps();
    for (int posted = 1; posted <= 32; posted++) {
      int sent = posted;
      PlayedDevice.until(() -> port.sleepsSoFar().size() >= sent && port.hasSleeper());
      int wakeups = port.wakeups.get();
      played.post(qp, 1);
      assertEquals(wakeups + 1, port.wakeups.get(), "nobody wakes it");
      PlayedDevice.until(() -> port.sent.get() == sent);
    }
    driver.close();
  }

  /** A wake-up is a system call. */
  @Test
  void aPostWhileTheLoopWorksDoesNotWakeIt() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    startsAndSleeps();
    inItsTurn();
    int wakeups = port.wakeups.get();
    played.post(qp, 1);
    assertEquals(wakeups, port.wakeups.get());
    goesOn.countDown();
    PlayedDevice.until(() -> port.sent.get() == 1);
    driver.close();
  }

  /** The loop checks for posted requests after it has said that it sleeps. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aPostAsTheLoopReadsTheClockIsSent(int reading) {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    AtomicInteger left = new AtomicInteger(reading);
    port.whenTimed =
        () -> {
          port.clock.addAndGet(BlockingProgress.SPIN_NS); // ends the spinning
          if (isLoop() && left.decrementAndGet() == 0) {
            PlayedDevice.asAnother(() -> played.post(qp, 1));
          }
        };
    driver.start();
    PlayedDevice.until(() -> port.sent.get() == 1);
    driver.close();
  }

  /** Every reading of the clock finds the next timer due. */
  @Test
  void aTimerThatBecomesDueWhileTheLoopFallsAsleepIsServed() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    port.whenTimed = () -> port.clock.addAndGet(1_000_000 + PlayedDevice.ACK_TIMEOUT_NS);
    driver.start();
    PlayedDevice.until(port::hasSleeper);
    played.post(qp, 1);
    PlayedDevice.until(() -> qp.state() == QpState.ERR);
    driver.close();
  }

  @Test
  void theLoopSleepsUntilItsTimer() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    startsAndSleeps();
    played.post(qp, 1);
    PlayedDevice.until(() -> port.sleepsUntilATimer() && port.hasSleeper());
    driver.close();
  }

  @Test
  void theLoopSpinsForATimeAfterAnArrival() {
    startsAndSleeps();
    BackgroundTurns.spinForATimeAfterAnArrival(port);
    driver.close();
  }

  @Test
  void theLoopTakesNoTurnWhileTheEngineIsHeld() {
    startsAndSleeps();
    BackgroundTurns.waitWhileTheEngineIsHeld(driver, port);
    driver.close();
  }

  // ---- verbs

  /** A verb runs on the thread that may drive the port, after the requests posted before it. */
  @Test
  void aVerbRunsOnTheLoopWhileThereIsOne() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    played.post(qp, 2);
    assertEquals(0, port.sent.get());
    Thread caller = Thread.currentThread();
    assertEquals(caller, driver.exclusively(Thread::currentThread));
    assertEquals(2, port.sent.get());
    startsAndSleeps();
    Thread loop = driver.exclusively(Thread::currentThread);
    assertEquals(driver.background(), loop);
    assertNull(Whereabouts.mine().place());
    inItsTurn();
    played.post(qp, 1);
    AtomicInteger sent = new AtomicInteger();
    Thread other = passed(() -> sent.set(port.sent.get()));
    goesOn.countDown();
    ends(other);
    assertEquals(3, sent.get());
    driver.close();
    assertEquals(caller, driver.exclusively(Thread::currentThread));
    assertTrue(driver.engine.tryTake());
  }

  /** A virtual network must expect its return. */
  @Test
  void aThreadWhoseVerbWaitsForTheLoopIsOnItsWay() {
    startsAndSleeps();
    inItsTurn();
    PlaceOfThread its = new PlaceOfThread();
    Thread caller =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  its.isMine();
                  driver.exclusively(() -> {});
                });
    PlayedDevice.until(() -> its.is(WaitingPlace.ON_ITS_WAY));
    goesOn.countDown();
    ends(caller);
    driver.close();
  }

  /** A program may be about to open or to close the device when something throws. */
  @Test
  void aVerbThatThrowsWithoutTheLoopGivesTheEngineBack() {
    assertThrows(
        IllegalStateException.class,
        () ->
            driver.exclusively(
                () -> {
                  throw new IllegalStateException("planted");
                }));
    assertTrue(driver.engine.tryTake());
  }

  /** The hook runs after a turn, and may wait for nothing that the loop has to do. */
  @Test
  void aHookOnTheLoopMayCallVerbsThatSend() {
    CompletionChannel channel = played.context.createCompletionChannel();
    CompletionQueue cq = played.context.createCq(2 * PlayedDevice.DEPTH, null, channel, 0);
    QueuePair qp = PlayedDevice.connected(cq);
    cq.requestNotification(false);
    try (RecvRequestList receives = new RecvRequestList(1, 1)) {
      assertEquals(0, qp.postRecv(receives.add()));
    }
    List<Integer> sent = new ArrayList<>();
    channel.onEvent(
        () -> {
          sent.add(port.sent.get());
          driver.exclusively(() -> played.post(qp, 1));
          sent.add(port.sent.get());
          sent.add(isLoop() ? 1 : 0);
        });
    startsAndSleeps();
    port.arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), 0, 0);
    port.wakeup();
    PlayedDevice.until(() -> port.sent.get() == 2);
    driver.close();
    assertEquals(List.of(0, 2, 1), sent, "the acknowledgement and the request");
  }

  // ---- the end

  @Test
  void whatWasPostedOrPassedInTheLastTurnIsDone() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    startsAndSleeps();
    inItsTurn();
    played.post(qp, 1);
    AtomicReference<Thread> user = new AtomicReference<>();
    Thread other =
        passed(
            () -> {
              assertFalse(driver.engine.tryTake(), "nobody has the engine");
              user.set(Thread.currentThread());
              played.post(qp, 1);
            });
    Thread closing = Thread.ofPlatform().daemon().start(driver::close);
    PlayedDevice.until(driver::isClosed);
    goesOn.countDown();
    ends(closing);
    ends(other);
    assertEquals(driver.background(), user.get());
    assertEquals(2, port.sent.get());
  }

  /** The caller then has the port for itself, but the port is closed. */
  @Test
  void aVerbThatIsPassedTooLateRunsOnItsCaller() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    AtomicReference<Thread> caller = new AtomicReference<>();
    AtomicReference<Thread> user = new AtomicReference<>();
    port.whenClosed =
        () -> {
          if (isLoop()) {
            caller.set(
                passed(
                    () -> {
                      assertFalse(driver.engine.tryTake(), "nobody has the engine");
                      user.set(Thread.currentThread());
                      played.post(qp, 1);
                    }));
          }
        };
    startsAndSleeps();
    driver.close();
    ends(caller.get());
    assertEquals(caller.get(), user.get());
    assertEquals(0, port.sent.get());
    assertTrue(driver.engine.tryTake(), "it has kept the engine");
  }

  /** It alone may use the port, also to close it. */
  @Test
  void theEndWaitsForTheLoopOnlyForATime() {
    startsAndSleeps();
    inItsTurn();
    port.whenTimed = () -> port.clock.addAndGet(1_000_000);
    driver.close();
    assertEquals(0, port.closes.get());
    goesOn.countDown();
    PlayedDevice.until(() -> port.closes.get() == 1);
    ends(driver.background());
  }
}
