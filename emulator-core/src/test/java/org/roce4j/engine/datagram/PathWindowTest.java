package org.roce4j.engine.datagram;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Who waits for a {@link PathWindow}, and when they may try again. */
class PathWindowTest {
  private final PathWindow window = new PathWindow(1000, 1000, 10_000);
  private final PathWaiter first = new PathWaiter("first");
  private final PathWaiter second = new PathWaiter("second");
  private final PathWaiter large = new PathWaiter("large");
  private final PathWaiter waiting = new PathWaiter("waiting");
  private final PathWaiter gone = new PathWaiter("gone");
  private final PathWaiter there = new PathWaiter("there");

  @Test
  void thoseThatWaitAreAdmittedInTheOrderOfTheirComing() {
    window.sent(1000);
    window.await(first);
    window.await(second);
    window.withdrawn(500);
    assertTrue(window.mayAdmit());
    assertEquals("first", window.admitNext());
    assertEquals("second", window.admitNext());
    assertNull(window.admitNext());
  }

  @Test
  void nobodyIsAdmittedAfterSomebodyFoundNoRoomUntilThereMayBeMore() {
    window.sent(900);
    window.await(large); // there is some room, but too little
    assertFalse(window.mayAdmit(), "it would try whenever anything happens");
    window.withdrawn(0);
    assertFalse(window.mayAdmit());
    window.withdrawn(50);
    assertTrue(window.mayAdmit());
    assertEquals("large", window.admitNext());
    window.await(large);
    assertNull(window.admitNext(), "it would try for ever");
    window.withdrawn(50);
    assertTrue(window.mayAdmit());
    assertEquals("large", window.admitNext());
  }

  @Test
  void itIsListedOnceHoweverOftenRoomIsMade() {
    window.sent(100);
    window.await(waiting);
    window.withdrawn(1);
    assertTrue(window.mayAdmit());
    assertFalse(window.mayAdmit());
    assertEquals("waiting", window.admitNext());
    assertNull(window.admitNext());
    assertFalse(window.mayAdmit(), "nobody waits");
  }

  @Test
  void oneThatIsGoneWaitsNoMore() {
    window.sent(100);
    window.await(gone);
    window.await(there);
    window.withdrawn(1);
    window.forget(gone);
    assertTrue(window.mayAdmit());
    assertEquals("there", window.admitNext());
  }

  @Test
  void whatIsInFlightKeepsNobodyOutWhereNothingMoves() {
    window.sent(1000);
    window.await(waiting);
    assertTrue(window.standsStill(), "somebody waits");
    assertTrue(window.mayAdmit());
    assertEquals("waiting", window.admitNext());
    assertTrue(window.admits(1000));
    assertFalse(window.standsStill(), "nobody waits");
  }

  @Test
  void aPathThatMovesIsLeftAlone() {
    window.sent(1000);
    window.acknowledged(100);
    window.sent(100);
    window.await(waiting);
    window.acknowledged(100);
    window.sent(100);
    assertTrue(window.standsStill(), "somebody waits");
    assertFalse(window.admits(1));
  }

  @Test
  void whatWasForgivenIsNotMissedWhenItIsAcknowledgedAfterAll() {
    window.sent(1000);
    window.await(waiting);
    window.standsStill();
    window.sent(600);
    window.acknowledged(600);
    assertEquals(0, window.inFlightBytes());
    window.sent(300);
    window.acknowledged(1000); // the old ones: some room too much, until these are acknowledged
    window.acknowledged(300);
    assertEquals(0, window.inFlightBytes());
    window.sent(200);
    assertEquals(200, window.inFlightBytes());
  }
}
