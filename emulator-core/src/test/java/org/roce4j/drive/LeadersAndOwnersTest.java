package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.wire.Opcode;

/**
 * An engine that any thread may drive: one thread takes its turns at a time, and the leader sleeps
 * until the earliest timer. No background thread runs.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeadersAndOwnersTest {
  private final PlayedDevice played = new PlayedDevice(true, 1, 1, EngineTrace.NONE);
  private final PlayedPort port = played.port();
  private final AnyThreadDriver driver = (AnyThreadDriver) played.first();
  private final AtomicBoolean over = new AtomicBoolean();

  /** A thread that waits, asleep in the port. */
  private Thread leader(long timeoutNs) {
    port.whenTimed = () -> port.clock.addAndGet(1_000); // ends the spinning
    Thread leader = Thread.ofPlatform().daemon().start(() -> driver.await(over::get, timeoutNs));
    PlayedDevice.until(port::hasSleeper);
    return leader;
  }

  private void ends(Thread thread) {
    over.set(true);
    port.wakeup();
    assertTrue(PlayedDevice.ended(thread, Duration.ofSeconds(20)), "it still waits");
  }

  /** The others announce their work and go on; the owner does it. */
  @Test
  void whileAThreadHasTheEngineNoOtherTakesATurn() {
    Set<Thread> users = ConcurrentHashMap.newKeySet();
    port.whenTimed = () -> users.add(Thread.currentThread());
    port.whenAsked =
        () -> {
          int looks = port.looks.get();
          PlayedDevice.asAnother(driver::hold);
          PlayedDevice.asAnother(driver::doorbell);
          PlayedDevice.asAnother(driver::advance);
          assertEquals(looks, port.looks.get());
        };
    driver.advance();
    assertEquals(Set.of(Thread.currentThread()), users);
    assertTrue(driver.engine.tryTake(), "it was released");
  }

  /** A verb may change what those requests depend on. */
  @Test
  void whatIsDueIsSentBeforeAVerb() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    played.post(qp, PlayedDevice.DEPTH);
    int before = port.sent.get();
    assertTrue(before < PlayedDevice.DEPTH, "a turn has its bounds");
    assertTrue(driver.exclusively(port.sent::get) > before);
  }

  /** It goes on to check for its event, which the owner may bring. */
  @Test
  void aLeaderTakesNoTurnWhileAnotherThreadHasTheEngine() {
    port.whenTimed = () -> port.clock.addAndGet(1_000); // ends the spinning
    AtomicInteger checks = new AtomicInteger();
    BooleanSupplier condition =
        () -> {
          if (!driver.seat().isFree()) {
            checks.incrementAndGet();
          }
          return over.get();
        };
    assertTrue(driver.engine.tryTake());
    Thread leader =
        Thread.ofPlatform().daemon().start(() -> driver.await(condition, Long.MAX_VALUE));
    PlayedDevice.until(() -> checks.get() > 100 || port.looks.get() > 0);
    assertEquals(0, port.looks.get());
    driver.release();
    PlayedDevice.until(port::hasSleeper);
    assertTrue(port.looks.get() > 0, "the turn before its sleep");
    ends(leader);
  }

  /** The owner may need longer than the caller waits. */
  @Test
  void aShortWaitDoesNotWaitForTheOwnerOfTheEngine() {
    port.whenTimed = () -> port.clock.addAndGet(1_000);
    assertTrue(driver.engine.tryTake());
    Thread waiting = Thread.ofPlatform().daemon().start(() -> driver.await(over::get, 5_000));
    assertTrue(PlayedDevice.ended(waiting, Duration.ofSeconds(20)), "it waits beyond its time");
  }

  /** A virtual network must expect its return. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aVerbWaitsForTheOwnerOfTheEngine(boolean anyThread) {
    PlaceOfThread its = new PlaceOfThread();
    EngineDriver driver = new PlayedDevice(anyThread, 1, 1, EngineTrace.NONE).first();
    AtomicBoolean done = new AtomicBoolean();
    assertTrue(driver.engine.tryTake());
    Thread caller =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  its.isMine();
                  driver.exclusively(() -> done.set(true));
                });
    PlayedDevice.until(() -> done.get() || its.is(WaitingPlace.ON_ITS_WAY));
    assertFalse(done.get());
    driver.release();
    assertTrue(PlayedDevice.ended(caller, Duration.ofSeconds(20)), "it still waits");
    assertTrue(done.get());
  }

  /** A thread that sleeps in the port would have to be woken for it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anAcknowledgementWaitsForAThreadThatPollsUnlessAnotherLeads(boolean led) {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    try (RecvRequestList receives = new RecvRequestList(1, 1)) {
      assertEquals(0, qp.postRecv(receives.add()));
    }
    driver.doorbell();
    driver.advance();
    port.arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), 0, 0);
    driver.advance();
    if (led) {
      PlayedDevice.asAnother(() -> assertTrue(driver.seat().tryTake()));
    }
    played.post(qp, 1);
    assertEquals(led ? 2 : 1, port.sent.get(), "the reply, and the acknowledgement");
  }

  @Test
  void aLeaderWhoseOwnTurnBringsTheEventDoesNotSleep() {
    AtomicBoolean there = new AtomicBoolean();
    BooleanSupplier condition =
        () -> {
          port.whenAsked = () -> there.compareAndSet(false, !driver.seat().isFree());
          return there.get();
        };
    port.whenTimed = () -> port.clock.addAndGet(1_000);
    Thread leader =
        Thread.ofPlatform().daemon().start(() -> driver.await(condition, Long.MAX_VALUE));
    assertTrue(PlayedDevice.ended(leader, Duration.ofSeconds(20)), "it sleeps for ever");
    assertEquals(0, port.sleepsSoFar().size());
  }

  /** Otherwise nobody would send a lost request again. */
  @Test
  void aTimerThatAnotherThreadSetsEndsTheLongerSleepOfTheLeader() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    Thread leader = leader(Long.MAX_VALUE);
    int sleeps = port.sleepsSoFar().size();
    played.post(qp, 1);
    PlayedDevice.until(() -> port.sleepsSoFar().size() > sleeps);
    assertTrue(port.sleepsUntilATimer());
    ends(leader);
  }

  @Test
  void aTimerThatIsLaterThanTheEndOfItsSleepDoesNotWakeTheLeader() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    Thread leader = leader(PlayedDevice.ACK_TIMEOUT_NS / 2);
    int wakeups = port.wakeups.get();
    played.post(qp, 1);
    assertEquals(wakeups, port.wakeups.get());
    ends(leader);
  }

  /** Without any, nobody does. */
  @Test
  void aPostWakesNobodyIfNobodyLeads() {
    QueuePair qp = PlayedDevice.connected(played.context, 0);
    played.post(qp, 1);
    assertEquals(0, port.wakeups.get());
    assertTrue(driver.seat().isFree());
    assertFalse(driver.maySleepInPort());
  }

  /** A virtual network asks for its polls, in order to know that it is not about to act. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPollOfSocketsIsNoted(boolean anyThread) {
    Whereabouts.ask();
    EngineDriver polled = new PlayedDevice(anyThread, 1, 1, EngineTrace.NONE).first();
    long before = Whereabouts.mine().socketPolls();
    polled.advance();
    assertEquals(before + 1, Whereabouts.mine().socketPolls());
  }

  /** Otherwise one on each carrier would keep all others from running. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aVirtualThreadThatPollsLeavesItsCarrierToOthersNowAndThen(boolean anyThread) {
    PlaceOfThread its = new PlaceOfThread();
    EngineDriver driver = new PlayedDevice(anyThread, 1, 1, EngineTrace.NONE).first();
    Thread polling =
        Thread.startVirtualThread(
            () -> {
              its.isMine();
              while (!over.get()) {
                driver.advance();
              }
            });
    PlayedDevice.until(() -> its.is(WaitingPlace.SOCKETS));
    over.set(true);
    assertTrue(PlayedDevice.ended(polling, Duration.ofSeconds(20)), "it still polls");
  }

  /** The owner may be in a call that does not return. */
  @Test
  void theEndWaitsForTheOwnerOnlyForATime() {
    assertTrue(driver.engine.tryTake());
    port.whenTimed = () -> port.clock.addAndGet(1_000_000);
    driver.close();
    assertEquals(1, port.closes.get());
    assertFalse(driver.engine.tryTake(), "it is the owner's");
  }

  /** It may be in a system call on the socket. */
  @Test
  void theEndClosesThePortWhenTheOwnerHasReturned() {
    assertTrue(driver.engine.tryTake());
    long returnsNs = port.clock.get() + 1_500_000_000L; // when the last requests are given up
    AtomicBoolean mine = new AtomicBoolean();
    port.whenTimed =
        () -> {
          if (port.clock.addAndGet(1_000_000) == returnsNs) {
            driver.engine.release();
          }
        };
    port.whenClosed = () -> mine.set(!driver.engine.tryTake());
    driver.close();
    assertTrue(mine.get(), "another thread could use the port that is being closed");
    assertTrue(port.clock.get() < returnsNs + 100_000_000L, "it waits no longer");
    assertTrue(driver.engine.tryTake(), "it was released");
  }

  /** Which one has failed is said by the device's name; the engines of one device fail together. */
  @Test
  void theFailureOfADeviceIsLoggedOnce() {
    List<LogRecord> records = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord told) {
            records.add(told);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger("org.roce4j");
    Throwable defect = new IllegalStateException("planted");
    log.addHandler(handler);
    try {
      PlayedDevice two = new PlayedDevice(true, 2, 1, EngineTrace.NONE);
      two.driver.whole().doorbell();
      assertEquals(List.of(), records);
      two.first().exclusively(() -> two.first().engine.fail(defect));
      two.driver.whole().doorbell();
      two.driver.whole().doorbell();
      two.driver.close();
      two.ports.forEach(each -> assertEquals(1, each.closes.get(), "a failed device closes, too"));
    } finally {
      log.removeHandler(handler);
    }
    List<LogRecord> own = records.stream().filter(told -> told.getThrown() == defect).toList();
    assertEquals(1, own.size());
    assertTrue(own.getFirst().getMessage().contains("played"), own.getFirst().getMessage());
  }

  /** A program ends without them. */
  @Test
  void eachEngineHasADaemonThatIsNamedAfterItsDevice() {
    List<Thread> threads =
        new PlayedDevice(true, 2, 1, EngineTrace.NONE)
            .driver.each().stream().map(EngineDriver::background).toList();
    assertEquals(
        List.of("roce4j-played", "roce4j-played-1"),
        threads.stream().map(Thread::getName).toList());
    assertTrue(threads.stream().allMatch(Thread::isDaemon));
  }

  /** They would stay alive as long as the device. */
  @Test
  void theBackgroundThreadKeepsNothingOfTheThreadThatOpensTheDevice() {
    InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
    local.set("of the program");
    PlayedDevice opened = new PlayedDevice(true, 1, 1, EngineTrace.NONE);
    AtomicReference<String> inherited = new AtomicReference<>("not asked");
    opened.port().whenServed = () -> inherited.set(local.get());
    opened.driver.start();
    opened.driver.close();
    assertNull(inherited.get());
  }

  /** The other engines' background threads would lead for it in vain. */
  @Test
  void aVirtualThreadThatWaitsForOneEngineDependsOnThatOneAlone() {
    PlayedDevice two = new PlayedDevice(true, 2, 1, EngineTrace.NONE);
    two.ports.forEach(each -> each.whenTimed = () -> each.clock.addAndGet(1_000));
    List<LeaderSeat> seats =
        two.driver.each().stream().map(each -> ((AnyThreadDriver) each).seat()).toList();
    Thread waiting = Thread.startVirtualThread(() -> two.first().await(over::get, Long.MAX_VALUE));
    PlayedDevice.until(seats.getFirst()::hasDependants);
    PlayedDevice.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
    assertFalse(seats.getLast().hasDependants());
    over.set(true);
    two.first().wakeWaiting();
    assertTrue(PlayedDevice.ended(waiting, Duration.ofSeconds(20)), "it still waits");
  }
}
