package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.VerbsException;

/**
 * Each way in which a thread waits, ended by each thing that ends a wait. Nothing else wakes the
 * thread: no background thread looks in by itself. Afterwards no trace of the wait is left.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndedWaitTest {
  /** How a thread waits. */
  enum Way {
    /** It sleeps in the port. */
    LEADS(true, 1),
    /** It sleeps while another thread leads. */
    FOLLOWS(true, 1),
    /** It is a virtual thread, and sleeps beside the port. */
    DEPENDS(true, 1),
    /** It waits for two engines. */
    ON_TWO_ENGINES(true, 2),
    /** The port has a thread of its own. */
    ON_A_LOOP(false, 1);

    final boolean anyThread;
    final int engines;

    Way(boolean anyThread, int engines) {
      this.anyThread = anyThread;
      this.engines = engines;
    }
  }

  /** The events that end a wait. */
  enum End {
    EVENT("true"),
    /** Another thread announces work while the engine is held. */
    EVENT_BEFORE_ANOTHER_TURN("true"),
    /** Another thread posts while the engine is held. */
    EVENT_OF_ANOTHER_TURN("true"),
    CLOSE("ENODEV"),
    FAILURE("ENODEV"),
    INTERRUPT("EINTR");

    final String outcome;

    End(String outcome) {
      this.outcome = outcome;
    }
  }

  /** A thread that waits without limit, and its outcome. */
  private static final class Waiting {
    final AtomicBoolean there = new AtomicBoolean();
    final AtomicReference<String> outcome = new AtomicReference<>();
    final Set<Object> places = ConcurrentHashMap.newKeySet();
    final AtomicInteger checks = new AtomicInteger();
    final Thread thread;
    volatile Object placeAfterwards;

    Waiting(PlayedDevice played, boolean virtual) {
      Runnable waits = () -> outcome.set(wait(played));
      thread =
          virtual ? Thread.startVirtualThread(waits) : Thread.ofPlatform().daemon().start(waits);
    }

    private String wait(PlayedDevice played) {
      BooleanSupplier condition =
          () -> {
            Object place = Whereabouts.mine().place();
            places.add(place == null ? "nowhere" : place);
            checks.incrementAndGet();
            return there.get();
          };
      try {
        return Boolean.toString(played.driver.whole().await(condition, Long.MAX_VALUE));
      } catch (VerbsException e) {
        return e.errno().name();
      } finally {
        placeAfterwards = Whereabouts.mine().place();
      }
    }

    boolean isParked() {
      return thread.getState() == Thread.State.TIMED_WAITING;
    }

    void hasEnded(String expected) throws InterruptedException {
      assertTrue(thread.join(Duration.ofSeconds(20)), "nobody woke the thread");
      assertEquals(expected, outcome.get());
      assertTrue(places.contains(WaitingPlace.SOCKETS), "it says where it waits");
      assertNull(placeAfterwards);
    }
  }

  private PlayedDevice played;
  private Runnable event;

  /** A post that completes at once, with an event. */
  private Runnable flushed;

  private void open(Way way) {
    open(way, Long.MAX_VALUE >> 8);
  }

  private void open(Way way, long lookInNs) {
    played = new PlayedDevice(way.anyThread, way.engines, 1, EngineTrace.NONE, lookInNs);
    for (PlayedPort port : played.ports) {
      port.whenTimed = () -> port.clock.addAndGet(1_000); // ends the spinning
    }
    QueuePair posted = armed(way.engines - 1);
    postReceive(posted);
    event = () -> posted.modify(new QpAttr().qpState(QpState.ERR));
    QueuePair failed = armed(way.engines - 1);
    failed.modify(new QpAttr().qpState(QpState.ERR));
    flushed = () -> postReceive(failed);
  }

  /** A queue pair whose next completion is an event of the engine. */
  private QueuePair armed(int engine) {
    CompletionChannel channel = played.context.createCompletionChannel();
    CompletionQueue cq = played.context.createCq(4, null, channel, engine);
    QueuePair qp =
        played
            .context
            .allocPd()
            .createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(4, 4, 1, 1, 0)));
    QpBringUp.to(QpState.INIT, qp, QpBringUp.attributes().qpAccessFlags(0));
    cq.requestNotification(false);
    return qp;
  }

  private LeaderSeat seat() {
    return ((AnyThreadDriver) played.first()).seat();
  }

  private static void postReceive(QueuePair qp) {
    try (var receives = new RecvRequestList(1, 1)) {
      assertEquals(0, qp.postRecv(receives.add()));
    }
  }

  private static void until(BooleanSupplier condition) {
    PlayedDevice.until(condition);
  }

  /** The threads that wait in this way, each asleep; the first of two leads the other. */
  private List<Waiting> asleep(Way way) {
    if (way == Way.LEADS || way == Way.FOLLOWS) {
      Waiting leader = new Waiting(played, false);
      until(() -> !played.port().sleepsSoFar().isEmpty());
      if (way == Way.LEADS) {
        return List.of(leader);
      }
      Waiting follower = new Waiting(played, false);
      until(follower::isParked);
      return List.of(leader, follower);
    }
    Waiting waiting = new Waiting(played, way == Way.DEPENDS);
    until(waiting::isParked);
    return List.of(waiting);
  }

  private void end(End end, List<Waiting> all) {
    switch (end) {
      case EVENT -> {
        all.forEach(each -> each.there.set(true));
        event.run();
      }
      case EVENT_BEFORE_ANOTHER_TURN -> {
        all.forEach(each -> each.there.set(true));
        PlayedPort port = played.ports.getLast();
        Runnable usual = port.whenTimed;
        port.whenTimed =
            () -> {
              port.whenTimed = usual;
              PlayedDevice.asAnother(() -> played.driver.each().getLast().doorbell());
            };
        event.run();
      }
      case EVENT_OF_ANOTHER_TURN -> {
        all.forEach(each -> each.there.set(true));
        EngineDriver last = played.driver.each().getLast();
        if (last instanceof LoopThreadDriver) {
          flushed.run();
          last.exclusively(() -> {});
        } else {
          played.ports.getLast().whenAsked = () -> PlayedDevice.asAnother(flushed);
          last.advance();
        }
      }
      case CLOSE -> played.driver.close();
      case FAILURE -> {
        EngineDriver last = played.driver.each().getLast();
        last.exclusively(() -> last.engine.fail(new IllegalStateException("planted")));
      }
      case INTERRUPT -> {
        all.reversed().forEach(each -> each.thread.interrupt());
        if (played.first() instanceof AnyThreadDriver first) {
          played.driver.start();
          until(() -> first.background().getState() != Thread.State.NEW);
          LockSupport.unpark(first.background()); // it looks in
        }
      }
    }
  }

  static Stream<Arguments> waysAndEnds() {
    return Arrays.stream(Way.values())
        .flatMap(way -> Arrays.stream(End.values()).map(end -> Arguments.of(way, end)));
  }

  @ParameterizedTest
  @MethodSource("waysAndEnds")
  void everyEndWakesTheThread(Way way, End end) throws InterruptedException {
    open(way);
    List<Waiting> all = asleep(way);
    if (played.first() instanceof AnyThreadDriver first) {
      boolean leads = way == Way.LEADS || way == Way.FOLLOWS;
      assertEquals(leads, !first.seat().isFree(), "somebody leads");
      assertEquals(leads, !first.seat().mayStandIn(), "somebody may lead");
      assertEquals(!leads, first.seat().hasDependants(), "somebody depends on others");
    }
    end(end, all);
    for (Waiting each : all) {
      each.hasEnded(end.outcome);
    }
    nothingIsLeft();
    played.driver.close();
  }

  private void nothingIsLeft() {
    for (EngineDriver each : played.driver.each()) {
      if (each instanceof AnyThreadDriver driver && !driver.background().isAlive()) {
        assertTrue(driver.seat().isFree(), "somebody leads");
        assertTrue(driver.seat().mayStandIn(), "somebody may lead");
        assertFalse(driver.seat().hasDependants(), "somebody depends on others");
      }
      if (each instanceof LoopThreadDriver driver) {
        assertFalse(driver.hasWaiting(), "somebody would be woken");
      }
    }
  }

  /** Whatever wakes it: other code of the program may unpark the thread, too. */
  @ParameterizedTest
  @EnumSource(names = {"FOLLOWS", "DEPENDS", "ON_TWO_ENGINES", "ON_A_LOOP"})
  void aThreadThatIsWokenWithoutItsEventWaitsOn(Way way) throws InterruptedException {
    open(way);
    List<Waiting> all = asleep(way);
    Waiting last = all.getLast();
    int checks = last.checks.get();
    LockSupport.unpark(last.thread);
    until(() -> last.checks.get() > checks);
    end(End.EVENT, all);
    for (Waiting each : all) {
      each.hasEnded("true");
    }
    nothingIsLeft();
    played.driver.close();
  }

  /** Whether a thread has said that it is about to sleep. */
  private boolean isAnnounced(Way way) {
    EngineDriver last = played.driver.each().getLast();
    return last instanceof LoopThreadDriver loop
        ? loop.hasWaiting()
        : way == Way.LEADS
            ? !((AnyThreadDriver) last).seat().isFree()
            : ((AnyThreadDriver) last).seat().hasDependants();
  }

  /** The thread that brings it may have found nobody to wake. */
  @ParameterizedTest
  @EnumSource(names = {"LEADS", "DEPENDS", "ON_TWO_ENGINES", "ON_A_LOOP"})
  void anEventThatComesWhileAThreadFallsAsleepIsNotMissed(Way way) throws InterruptedException {
    open(way);
    AtomicBoolean there = new AtomicBoolean();
    ends(
        way,
        () -> {
          if (isAnnounced(way)) {
            there.set(true);
          }
          return there.get();
        });
    nothingIsLeft();
  }

  /** Such as that of a failed device. */
  @ParameterizedTest
  @EnumSource(names = {"LEADS", "DEPENDS", "ON_TWO_ENGINES", "ON_A_LOOP"})
  void aConditionThatThrowsEndsTheWait(Way way) throws InterruptedException {
    open(way);
    ends(
        way,
        () -> {
          if (isAnnounced(way)) {
            throw new IllegalStateException("planted");
          }
          return false;
        });
    nothingIsLeft();
  }

  /** Waits until the condition holds or throws. */
  private void ends(Way way, BooleanSupplier condition) throws InterruptedException {
    Runnable waits =
        () -> {
          try {
            played.driver.whole().await(condition, Long.MAX_VALUE);
          } catch (IllegalStateException e) {
            assertEquals("planted", e.getMessage());
          }
        };
    Thread thread =
        way == Way.DEPENDS
            ? Thread.startVirtualThread(waits)
            : Thread.ofPlatform().daemon().start(waits);
    assertTrue(thread.join(Duration.ofSeconds(20)), "it sleeps for ever");
  }

  /** After ten look-ins, even if a wake-up were lost. */
  @ParameterizedTest
  @EnumSource(names = {"FOLLOWS", "DEPENDS", "ON_TWO_ENGINES", "ON_A_LOOP"})
  void aThreadThatNobodyWakesLooksByItself(Way way) throws InterruptedException {
    open(way, 100_000);
    if (way == Way.FOLLOWS) {
      PlayedDevice.asAnother(() -> assertTrue(seat().tryTake()));
    }
    Waiting waiting = new Waiting(played, way == Way.DEPENDS);
    until(waiting::isParked);
    waiting.there.set(true);
    waiting.hasEnded("true");
  }

  /** A wait has a limit, in each of its parts. */
  @ParameterizedTest
  @EnumSource
  void aWaitEndsAtItsTime(Way way) throws InterruptedException {
    for (long timeoutNs : new long[] {1, 5_000, 300_000}) {
      open(way);
      played.port().timePasses = true;
      if (way == Way.FOLLOWS) {
        PlayedDevice.asAnother(() -> assertTrue(seat().tryTake()));
      }
      long spunNs = played.port().clock.get() + BlockingProgress.SPIN_NS;
      AtomicReference<Boolean> held = new AtomicReference<>();
      Runnable waits = () -> held.set(played.driver.whole().await(() -> false, timeoutNs));
      Thread thread =
          way == Way.DEPENDS
              ? Thread.startVirtualThread(waits)
              : Thread.ofPlatform().daemon().start(waits);
      assertTrue(thread.join(Duration.ofSeconds(20)), "it waits beyond its time");
      assertEquals(false, held.get());
      if (timeoutNs < BlockingProgress.SPIN_NS) {
        assertTrue(played.port().clock.get() < spunNs, "it spins beyond its time");
      }
      if (way == Way.FOLLOWS) {
        seat().vacate();
      }
      nothingIsLeft();
    }
  }
}
