package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.time.Deadlines;

/** The threads that each event of a seat wakes, without races; jcstress tests the races. */
class LeaderSeatTest implements LeaderSeat.Parking {
  private static final String PORT = "port";
  private static final long ASLEEP_UNTIL_NS = 1_000_000_000;
  private static final long SLACK_NS = 50_000;

  private final Thread standIn = new Thread(() -> {}, "stand-in");
  private final List<String> woken = new ArrayList<>();
  private final LeaderSeat seat = new LeaderSeat(standIn, () -> woken.add(PORT), this);

  /** Runs while the only follower sleeps. */
  private Runnable meanwhile = () -> {};

  @Override
  public void park(long limitNs) {
    meanwhile.run();
  }

  @Override
  public void unpark(Thread follower) {
    woken.add(follower.getName());
  }

  /** Runs {@code what} to its end on a thread with this name. */
  private static void as(String thread, Runnable what) {
    try {
      Thread.ofPlatform().name(thread).start(what).join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void leads(String thread) {
    as(thread, () -> assertTrue(seat.tryTake()));
  }

  private List<String> wokenBy(Runnable what) {
    woken.clear();
    what.run();
    return List.copyOf(woken);
  }

  @Test
  void aTimerWakesALeaderThatWouldMissItByMoreThanTheSlack() {
    leads("leader");
    seat.sleepUntil(ASLEEP_UNTIL_NS);
    long last = ASLEEP_UNTIL_NS - SLACK_NS;
    assertEquals(List.of(PORT), wokenBy(() -> seat.wakeForTimer(last - 1, false)));
    assertEquals(List.of(), wokenBy(() -> seat.wakeForTimer(last, false)));
    assertEquals(List.of(), wokenBy(() -> seat.wakeForTimer(Deadlines.NEVER, true)));
    seat.sleepUntil(Deadlines.NEVER);
    assertEquals(List.of(PORT), wokenBy(() -> seat.wakeForTimer(last, false)));
  }

  @Test
  void whatIsUnsentWakesTheStandInAlone() {
    assertTrue(seat.tryStandIn());
    seat.sleepUntil(Deadlines.NEVER);
    assertEquals(List.of(PORT), wokenBy(() -> seat.wakeForTimer(Deadlines.NEVER, true)));
    assertEquals(List.of(), wokenBy(() -> seat.wakeForTimer(Deadlines.NEVER, false)));
  }

  @Test
  void aLeaderThatGivesUpTheSeatSleepsUntilNothing() {
    leads("leader");
    seat.sleepUntil(ASLEEP_UNTIL_NS);
    seat.vacate();
    leads("another"); // has not yet announced its sleep
    assertEquals(List.of(PORT), wokenBy(() -> seat.wakeForTimer(2 * ASLEEP_UNTIL_NS, false)));
  }

  @Test
  void nobodyWakesItself() {
    assertTrue(seat.tryTake());
    seat.sleepUntil(Deadlines.NEVER);
    assertEquals(List.of(), wokenBy(() -> seat.wakeForTimer(0, true)));
    assertEquals(List.of(), wokenBy(seat::wakeWaiting));
  }

  @Test
  void anEventWakesTheLeaderAndEachWhoFollows() {
    leads("leader");
    as("first", seat::depend);
    as("second", seat::depend);
    assertEquals(List.of(PORT, "first", "second"), wokenBy(seat::wakeWaiting));
  }

  @Test
  void anEventDoesNotWakeTheStandIn() {
    assertTrue(seat.tryStandIn());
    as("first", seat::depend);
    assertEquals(List.of("first"), wokenBy(seat::wakeWaiting));
  }

  @Test
  void whoLeavesWakesTheStandInForThoseWhoCannotLeadUnlessSomebodyLeads() {
    as("first", seat::depend);
    seat.enter();
    assertEquals(List.of("stand-in"), wokenBy(seat::leave));
    leads("leader");
    seat.enter();
    assertEquals(List.of(), wokenBy(seat::leave));
    assertEquals(List.of(), wokenBy(seat::passOn));
    seat.vacate();
    assertEquals(List.of("stand-in"), wokenBy(seat::passOn));
  }

  /** It leads, although others wait that cannot. */
  @Test
  void whoLeavesTheSeatWakesTheFirstFollower() {
    leads("leader");
    as("dependant", seat::depend);
    List<String> due = new ArrayList<>();
    meanwhile =
        () -> {
          seat.vacate();
          due.addAll(wokenBy(seat::passOn));
        };
    as("follower", () -> seat.follow(() -> false, 1));
    assertEquals(List.of("follower"), due);
  }

  @Test
  void theStandInDoesNotTakeTheSeatOfALeader() {
    leads("leader");
    assertTrue(seat.mayStandIn());
    assertFalse(seat.tryStandIn());
    assertFalse(seat.tryTake());
  }

  @Test
  void noTimerWakesAnybodyWhileNobodyLeads() {
    assertEquals(List.of(), wokenBy(() -> seat.wakeForTimer(1, true)));
    assertEquals(List.of(), wokenBy(seat::wakeWaiting));
  }

  @Test
  void whoCannotLeadWakesTheStandInUnlessSomebodyLeads() {
    assertEquals(List.of("stand-in"), wokenBy(() -> as("first", seat::depend)));
    assertTrue(seat.hasDependants());
    leads("leader");
    assertEquals(List.of(), wokenBy(() -> as("second", seat::depend)));
  }

  @Test
  void whoCannotLeadAndGoesLeavesTheOthersWaiting() {
    as("first", seat::depend);
    Runnable waits =
        () -> {
          seat.depend();
          seat.dependNoMore();
        };
    assertEquals(List.of("stand-in"), wokenBy(() -> as("second", waits)));
    assertTrue(seat.hasDependants());
    assertEquals(List.of("first"), wokenBy(seat::wakeWaiting));
  }

  @Test
  void theStandInStepsDownForWhoMayLead() {
    assertTrue(seat.tryStandIn());
    seat.enter();
    assertFalse(seat.mayStandIn());
    assertEquals(List.of(PORT), wokenBy(() -> assertFalse(seat.tryTake())));
    seat.vacate();
    assertFalse(seat.tryStandIn());
    assertTrue(seat.isFree());
    assertEquals(List.of(), wokenBy(() -> assertTrue(seat.tryTake())));
  }

  @Test
  void aFollowerSleepsOnlyWhileSomebodyLeadsAndItsConditionDoesNotHold() {
    List<String> slept = new ArrayList<>();
    meanwhile = () -> slept.add("slept");
    seat.follow(() -> false, 1);
    leads("leader");
    seat.follow(() -> true, 1);
    assertEquals(List.of(), slept);
    meanwhile = () -> slept.addAll(wokenBy(seat::wakeWaiting));
    seat.follow(() -> false, 1);
    assertEquals(List.of(PORT, Thread.currentThread().getName()), slept);
    assertEquals(List.of(PORT), wokenBy(seat::wakeWaiting), "it follows no more");
  }

  /** Otherwise it would be woken to lead, and nobody else. */
  @Test
  void aFollowerWhoseConditionThrowsFollowsNoMore() {
    leads("leader");
    BooleanSupplier condition =
        () -> {
          throw new IllegalStateException("planted");
        };
    assertThrows(IllegalStateException.class, () -> seat.follow(condition, 1));
    assertEquals(List.of(PORT), wokenBy(seat::wakeWaiting));
  }

  @Test
  void anInterruptedLeaderIsWoken() throws InterruptedException {
    Thread leader = Thread.ofPlatform().unstarted(() -> waitsForItsInterrupt());
    leader.start();
    while (seat.isFree()) {
      Thread.onSpinWait();
    }
    assertEquals(List.of(), wokenBy(seat::wakeInterrupted));
    leader.interrupt();
    assertEquals(List.of(PORT), wokenBy(seat::wakeInterrupted));
    over = true;
    leader.join();
  }

  private volatile boolean over;

  private void waitsForItsInterrupt() {
    assertTrue(seat.tryTake());
    while (!over) {
      Thread.onSpinWait();
    }
  }
}
