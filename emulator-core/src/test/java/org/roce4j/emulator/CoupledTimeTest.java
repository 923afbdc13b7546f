package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.time.Deadlines;

/** Virtual networks whose threads wait on each other. */
class CoupledTimeTest {
  private final List<String> woken = new ArrayList<>();
  private final CoupledTime a = new CoupledTime(() -> woken.add("a"));
  private final CoupledTime b = new CoupledTime(() -> woken.add("b"));
  private final CoupledTime c = new CoupledTime(() -> woken.add("c"));

  /** The real time; it passes only on sockets. */
  private long now = System.nanoTime() + 1_000_000_000;

  private boolean mayPass(CoupledTime network, long leftNs, CoupledTime... elsewhere) {
    CoupledTime.Company company = new CoupledTime.Company(network);
    for (CoupledTime place : elsewhere) {
      company.add(place);
    }
    return network.mayPass(company, leftNs, false, now);
  }

  private boolean mayPassBesideSockets(CoupledTime network, long leftNs) {
    return mayPassBesideSockets(network, leftNs, false, true);
  }

  private boolean mayPassBesideSockets(
      CoupledTime network, long leftNs, boolean endsWait, boolean lately) {
    CoupledTime.Company company = new CoupledTime.Company(network);
    company.addSockets(lately);
    return network.mayPass(company, leftNs, endsWait, now);
  }

  private static void happens(CoupledTime network, long ns) {
    network.passed(ns);
    network.moves();
  }

  @Test
  void waitsForANetworkThatMoves() {
    assertFalse(mayPass(a, 5, b));
    assertFalse(mayPass(a, 5, b), "however often it asks");
    assertTrue(b.isAwaited());
  }

  @Test
  void theEarlierEventOfTwoNetworksThatWaitForEachOtherComesFirst() {
    assertFalse(mayPass(a, 5, b));
    assertTrue(mayPass(b, 3, a));
    happens(b, 3);
    assertFalse(mayPass(b, 7, a), "3 ns have passed on the other one, too");
    assertTrue(mayPass(a, 5, b));
  }

  @Test
  void oneOfTwoEqualEventsComesFirst() {
    assertFalse(mayPass(b, 5, a));
    assertTrue(mayPass(a, 5, b));
    assertFalse(mayPass(b, 5, a));
  }

  @Test
  void ringsOfNetworksGoOn() {
    assertFalse(mayPass(a, 5, b));
    assertFalse(mayPass(b, 7, c));
    assertFalse(mayPass(c, 6, a));
    assertTrue(mayPass(a, 5, b));
    happens(a, 5);
    assertFalse(mayPass(a, 50, b));
    assertTrue(mayPass(c, 6, a));
  }

  /** Packets are sent again for ever on one; the other one is not held up by that. */
  @Test
  void timeThatPassesOnABusyNetworkPassesOnThoseThatWaitForIt() {
    assertFalse(mayPass(a, 100, b));
    for (int i = 0; i < 10; i++) {
      assertFalse(mayPass(a, 100, b), "after " + i);
      happens(b, 10);
    }
    assertTrue(mayPass(a, 100, b));
  }

  /** Nobody on the awaited network waits elsewhere, but its next event is a timeout far ahead. */
  @Test
  void aNetworkOnWhichAnotherWaitsLetsEarlierEventsHappenThere() {
    assertFalse(mayPass(a, 5, b));
    assertFalse(mayPass(b, 1000));
    assertTrue(mayPass(a, 5, b));
    happens(a, 5);
    assertFalse(mayPass(a, Deadlines.NEVER, b));
    assertTrue(mayPass(b, 1000));
  }

  @Test
  void onlyRealTimeBringsAThreadBackFromSockets() {
    assertFalse(mayPassBesideSockets(a, 5_000_000));
    now += 4_000_000;
    assertTrue(mayPassBesideSockets(a, 4_000_000));
    assertFalse(mayPassBesideSockets(a, 50_000_000));
    now += 1_000_000_000;
    assertTrue(mayPassBesideSockets(a, 50_000_000));
  }

  @Test
  void aThreadOnSocketsForLongHoldsUpOnlyTheEndsOfWaits() {
    assertTrue(mayPassBesideSockets(a, 50_000_000, false, false));
    happens(a, 50_000_000);
    assertFalse(mayPassBesideSockets(a, 50_000_000, true, false));
    now += 50_000_000;
    assertTrue(mayPassBesideSockets(a, 50_000_000, true, false));
  }

  @Test
  void aThreadOnSocketsForLongHoldsUpTheEndsOfWaitsOnOtherNetworksToo() {
    assertTrue(
        mayPassBesideSockets(b, Deadlines.NEVER, false, false), "to find that nothing is left");
    assertFalse(mayPass(a, 50_000_000, b));
    now += 50_000_000;
    assertTrue(mayPass(a, 50_000_000, b));
  }

  @Test
  void realTimePassesOnNetworksThatWaitForSocketsThroughOthers() {
    assertFalse(mayPassBesideSockets(b, Deadlines.NEVER));
    assertFalse(mayPass(a, 50_000_000, b));
    now += 50_000_000;
    assertTrue(mayPass(a, 50_000_000, b));
  }

  @Test
  void whereNothingIsLeftOnAnyNetworkEachMayFindThatOut() {
    assertFalse(mayPass(a, Deadlines.NEVER, b));
    assertFalse(mayPass(b, Deadlines.NEVER, a), "a is asked first");
    assertTrue(mayPass(a, Deadlines.NEVER, b));
  }

  @Test
  void newsWakeTheOthersOnce() {
    mayPass(a, 5, b);
    mayPass(a, 5, b);
    assertEquals(List.of("b"), woken);
    mayPass(b, 7, a);
    mayPass(b, 7, a);
    assertEquals(List.of("b", "a"), woken);
  }

  @Test
  void otherNewsWakeTheOthersAgain() {
    mayPass(a, 5, b);
    mayPass(a, 6, b);
    assertEquals(List.of("b", "b"), woken, "another event");
    woken.clear();
    mayPass(b, 1000);
    b.moves();
    mayPass(b, 1000);
    assertEquals(List.of("a", "a"), woken, "it stands still again");
    woken.clear();
    mayPass(a, 6, b, c);
    assertEquals(Set.of("b", "c"), Set.copyOf(woken), "another thread elsewhere");
  }

  @Test
  void aNetworkIsAwaitedUntilNoThreadOfAnotherIsThere() {
    mayPass(a, 5, b);
    mayPass(b, 1000);
    assertTrue(b.isAwaited());
    a.moves();
    assertTrue(mayPass(b, 1000));
    assertFalse(b.isAwaited());

    mayPass(a, 5, b);
    a.moves();
    b.passed(1);
    assertFalse(b.isAwaited(), "time has passed, and nobody waited");
  }

  @Test
  void realTimeCountsOnceFromAMillisecondBeforeTheFirstLookOn() {
    assertTrue(mayPassBesideSockets(a, 1_000_000));
    assertFalse(mayPassBesideSockets(b, 1_000_001));
    assertFalse(mayPassBesideSockets(c, 50_000_000));
    now += 20_000_000;
    assertFalse(mayPassBesideSockets(c, 50_000_000));
    now += 20_000_000;
    assertFalse(mayPassBesideSockets(c, 50_000_000), "41 ms have passed");
    now += 9_000_000;
    assertTrue(mayPassBesideSockets(c, 50_000_000));
  }

  @Test
  void aNetworkWithoutAnEventIsNotBehind() {
    assertFalse(mayPass(a, 100, b));
    happens(b, 60);
    assertFalse(mayPass(a, Deadlines.NEVER, b));
    assertFalse(mayPass(a, 100, b));
    happens(b, 60);
    assertFalse(mayPass(a, 100, b));
    assertFalse(mayPass(a, Deadlines.NEVER, b));
    happens(b, 60);
    assertFalse(mayPass(a, 100, b));
    happens(b, 60);
    assertFalse(mayPass(a, 100, b));
    happens(b, 40);
    assertTrue(mayPass(a, 100, b));
  }

  @Test
  void companyIsAnyPlaceButTheOwnNetworkAndIsForgotten() {
    CoupledTime.Company company = new CoupledTime.Company(a);
    assertFalse(company.add(a));
    assertTrue(company.isEmpty());
    List<Runnable> places =
        List.of(
            () -> company.add(b), () -> company.addSockets(true), () -> company.addSockets(false));
    for (Runnable place : places) {
      place.run();
      assertFalse(company.isEmpty());
      company.clear();
      assertTrue(company.isEmpty());
    }
  }

  @Test
  void aNetworkThatMovesAgainHoldsUpTheOthersAgain() {
    assertFalse(mayPass(a, 5, b));
    assertFalse(mayPass(b, 7, a));
    assertTrue(mayPass(a, 5, b));
    b.moves();
    assertFalse(mayPass(a, 5, b));
  }

  @Test
  void aNetworkThatMovesIsNotBehindThoseThatWaitForIt() {
    assertFalse(mayPass(b, 100, a));
    b.moves();
    assertFalse(mayPass(a, 5, b));
    a.passed(100);
    assertFalse(mayPass(b, 100, a), "the event of a is earlier");
  }

  @Test
  void aNetworkThatMovesWaitsForNobody() {
    assertFalse(mayPass(a, 5, b));
    a.moves();
    assertFalse(mayPass(c, 7, a));
    assertTrue(mayPass(b, 10));
    assertFalse(b.isAwaited());

    assertFalse(mayPassBesideSockets(a, Deadlines.NEVER));
    a.moves();
    now += 50_000_000;
    assertFalse(mayPass(c, 50_000_000, a), "no thread is on sockets any more");
  }

  @Test
  void timeThatPassesOnANetworkPassesOnThoseForWhichItWaits() {
    assertFalse(mayPass(b, 100, c));
    assertFalse(mayPass(a, 5, b));
    a.passed(100);
    assertTrue(mayPass(b, 100, c));
  }

  @Test
  void itsOwnTimeCatchesUp() {
    assertFalse(mayPass(a, 100, b));
    happens(b, 60);
    assertTrue(mayPass(a, 40, b));
    happens(a, 40);
    assertFalse(mayPass(a, 21, b));
    assertTrue(mayPass(a, 20, b));
  }

  /**
   * Its threads are all at home, and nobody waits for it: the time that it owes passes here, too.
   */
  @Test
  void theTimeOfANetworkThatIsAloneCatchesUpToo() {
    assertFalse(mayPass(a, 100, b));
    happens(b, 60);
    a.moves();
    a.passed(40);
    assertFalse(mayPass(a, 21, b), "it is 20 ns behind");
    assertTrue(mayPass(a, 20, b));
  }

  @Test
  void timePassesOnNoNetworkThatHasNothingToDoWithIt() {
    assertFalse(mayPass(c, 100, b));
    assertFalse(mayPassBesideSockets(a, 50_000_000));
    a.passed(100);
    assertFalse(a.isAwaited());
    assertFalse(mayPass(c, 100, b));
    b.passed(1);
    assertTrue(b.isAwaited(), "c still waits");
  }

  @Test
  void aChainWaitsForItsEnd() {
    assertFalse(mayPass(b, 7, c));
    assertFalse(mayPass(a, 5, b));
  }

  /** Its event would come first, but a thread of it may compute. */
  @Test
  void aNetworkThatCannotMoveItselfHoldsUpNoneForWhichItWaits() {
    assertFalse(mayPass(a, 5, b, c));
    assertTrue(mayPass(b, 7));
    c.moves();
    CoupledTime.Company company = new CoupledTime.Company(c);
    company.add(b);
    company.addSockets(true);
    assertFalse(c.mayPass(company, 50_000_000, false, now));
    assertTrue(mayPass(b, 70_000_000));
  }

  @Test
  void aClosedNetworkHoldsNobodyUp() {
    assertFalse(mayPass(a, 5, b));
    assertTrue(mayPass(b, 3, a));
    a.close();
    woken.clear();
    assertTrue(mayPass(b, 7), "no thread is elsewhere any more");
    assertFalse(mayPass(b, 7, a), "a poll begins as it closes");
    assertEquals(List.of(), woken);
  }
}
