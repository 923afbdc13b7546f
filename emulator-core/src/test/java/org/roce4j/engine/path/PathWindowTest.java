package org.roce4j.engine.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The packets in flight on a path, the queue pairs that wait for it, and when they may try again.
 */
class PathWindowTest {
  private static final int LIMIT = 1000;

  private final PathWindow window = new PathWindow(LIMIT, LIMIT, LIMIT);
  private String admitted;
  private final PathShare sender = share("sender");
  private final PathShare first = share("first");
  private final PathShare second = share("second");

  private PathShare share(String name) {
    PathShare share = new PathShare(() -> admitted = name);
    share.of(window);
    return share;
  }

  /** The queue pair that is admitted next, or null. */
  private String admitNext() {
    admitted = null;
    window.admitNext();
    return admitted;
  }

  private void awaits(PathShare share) {
    window.await(share);
    if (window.period() == 0) {
      window.watch();
    }
  }

  @Test
  void thoseThatWaitAreAdmittedInTheOrderOfTheirComing() {
    sender.sent(LIMIT);
    window.await(first);
    window.await(second);
    sender.acknowledged(500);
    assertTrue(window.mayAdmit());
    assertEquals("first", admitNext());
    assertEquals("second", admitNext());
    assertNull(admitNext());
  }

  /** Otherwise a packet whose charge exceeds the whole window would wait for ever. */
  @Test
  void anEmptyPathTakesOneChargeHoweverLarge() {
    assertTrue(first.admits(10 * LIMIT));
    first.sent(1);
    assertFalse(first.admits(10 * LIMIT));
    assertFalse(second.admits(LIMIT));
    assertTrue(second.admits(LIMIT - 1));
  }

  @Test
  void nobodyIsAdmittedAfterSomebodyFoundNoRoomUntilThereMayBeMore() {
    sender.sent(900);
    window.await(first); // some room, but too little
    assertFalse(window.mayAdmit(), "it would try whenever anything happens");
    sender.acknowledged(0);
    assertFalse(window.mayAdmit());
    sender.acknowledged(50);
    assertTrue(window.mayAdmit());
    assertEquals("first", admitNext());
    window.await(first);
    assertNull(admitNext(), "it would try for ever");
    sender.acknowledged(50);
    assertTrue(window.mayAdmit());
    assertEquals("first", admitNext());
  }

  @Test
  void itIsListedOnceHoweverOftenRoomIsMade() {
    sender.sent(100);
    window.await(first);
    sender.acknowledged(1);
    assertTrue(window.mayAdmit());
    assertFalse(window.mayAdmit());
    assertEquals("first", admitNext());
    assertNull(admitNext());
    assertFalse(window.mayAdmit(), "nobody waits");
  }

  @Test
  void oneThatIsGoneWaitsNoMore() {
    sender.sent(100);
    window.await(first);
    window.await(second);
    sender.acknowledged(1);
    window.forget(first);
    assertTrue(window.mayAdmit());
    assertEquals("second", admitNext());
  }

  @Test
  void whatIsAcknowledgedIsAtMostWhatIsInFlight() {
    sender.sent(30);
    assertFalse(window.isEmpty());
    window.watch();
    assertFalse(window.isEmpty());
    sender.acknowledged(10);
    assertEquals(20, sender.inFlightBytes());
    sender.acknowledged(25);
    assertEquals(0, sender.inFlightBytes());
    assertTrue(window.isEmpty());
  }

  @Test
  void onePacketPassesAPathOnWhichNothingIsAcknowledged() {
    sender.sent(LIMIT);
    awaits(sender); // it has asked already
    awaits(first);
    assertFalse(window.mayAdmit());
    assertEquals(PathWindow.LEAST_PATIENCE_NS, window.watched());
    assertTrue(window.mayAdmit());
    assertEquals("first", admitNext());
    assertTrue(first.admits(300));
    assertFalse(first.hasRoom(300), "it is to ask for an acknowledgement");
    first.sent(300);
    assertFalse(first.admits(1));
    assertNull(admitNext());
  }

  /** Queue pairs that were considered already and passed over keep waiting. */
  @Test
  void whoMayNotBeTheOneThatPassesIsStillInTheLine() {
    sender.sent(LIMIT);
    awaits(sender);
    awaits(first);
    window.watched();
    assertEquals("first", admitNext());
    assertTrue(sender.isWaiting());
  }

  /** Acknowledgements of packets sent before a loss make no room after it. */
  @Test
  void aLossBeginsTheCountOfWhatLetsTheWindowGrow() {
    PathWindow growing = new PathWindow(100, 1000, 100_000);
    PathShare share = new PathShare(() -> {});
    share.of(growing);
    share.sent(1000);
    share.acknowledged(999);
    growing.lost();
    share.acknowledged(1);
    share.sent(700);
    share.acknowledged(700);
    assertEquals(750, growing.limitBytes());
    share.sent(49);
    share.acknowledged(49);
    assertTrue(growing.limitBytes() > 750);
  }

  /** The path is full; its one packet that passes is acknowledged, and its sender has more. */
  private void thePassIsAcknowledged() {
    sender.sent(LIMIT);
    awaits(first);
    window.watched();
    first.sent(300);
    first.acknowledged(300);
    awaits(first);
  }

  @Test
  void theAnswerOfThatPacketFreesThePathOfAllThatWasSentBefore() {
    thePassIsAcknowledged();
    window.watched();
    assertEquals(0, window.inFlightBytes());
    assertEquals(LIMIT, window.forgivenBytes());
    assertFalse(window.isEmpty());
    assertTrue(first.admits(LIMIT));
    assertTrue(first.hasRoom(LIMIT));
    assertFalse(first.hasRoom(LIMIT + 1));
    assertFalse(sender.admits(1), "it has a window of its own in flight");
    assertFalse(sender.hasRoom(1));
    assertTrue(sender.exceeds(1));
    sender.acknowledged(1);
    assertFalse(sender.exceeds(1));
    assertTrue(sender.exceeds(2));
  }

  @Test
  void whatWasSentWithTheAnsweredPacketStillCounts() {
    sender.sent(600);
    awaits(first);
    window.watched();
    second.sent(400);
    second.acknowledged(300);
    window.watched();
    assertEquals(100, window.inFlightBytes());
    assertEquals(600, window.forgivenBytes());
    second.acknowledged(100);
    assertEquals(0, window.inFlightBytes());
  }

  @Test
  void lateAcknowledgementsOfWhatWasSentBeforeProveNothing() {
    sender.sent(600);
    second.sent(400);
    awaits(first);
    window.watched();
    second.acknowledged(400);
    window.watched();
    assertEquals(600, window.inFlightBytes());
  }

  @Test
  void theLongerNothingIsAcknowledgedTheLaterThePacketsThatPass() {
    sender.sent(LIMIT);
    awaits(first);
    long ms = PathWindow.LEAST_PATIENCE_NS;
    long sum = ms;
    for (long interval = ms; interval <= 64 * ms; interval *= 2) {
      assertEquals(interval, window.watched());
      assertEquals(LIMIT, window.inFlightBytes(), "one packet at a time");
      sum += interval;
    }
    assertTrue(sum >= PathWindow.STANDSTILL_NS);
    assertEquals(PathWindow.STANDSTILL_NS, window.watched());
    assertEquals(0, window.inFlightBytes(), "all is forgiven");
  }

  @Test
  void whatIsForgivenMakesRoomForThoseThatWait() {
    thePassIsAcknowledged();
    assertFalse(window.mayAdmit());
    window.watched();
    assertTrue(window.mayAdmit());
    assertEquals("first", admitNext());
  }

  @Test
  void whereNothingIsForgivenThereIsNoMoreRoom() {
    sender.sent(400);
    awaits(first);
    sender.acknowledged(400);
    sender.sent(LIMIT);
    sender.acknowledged(100);
    window.forget(first);
    awaits(first);
    window.watched();
    assertEquals(0, window.forgivenBytes());
    assertFalse(window.mayAdmit());
  }

  @Test
  void nobodyPassesWhereAllThatWaitHavePacketsInFlight() {
    sender.sent(LIMIT - 10);
    second.sent(10);
    awaits(sender);
    awaits(second);
    assertTrue(window.watched() > 0);
    assertFalse(window.mayAdmit());
    assertFalse(first.admits(1));
  }

  /** A check that looked at all that wait would take the longer the more they are. */
  @ParameterizedTest
  @CsvSource({"63, true", "64, false"})
  void aCheckLooksAtNoMoreThan64OfThoseThatWait(int withPackets, boolean passes) {
    for (int i = 0; i < withPackets; i++) {
      PathShare busy = share("busy");
      busy.sent(LIMIT);
      awaits(busy);
    }
    awaits(first);
    window.watched();
    assertEquals(passes, first.admits(1));
  }

  /** The window of a path that carried hardly anything still holds a few packets. */
  @Test
  void lossesMakeTheWindowNoSmallerThanItsBound() {
    PathWindow lossy = new PathWindow(LIMIT, 2 * LIMIT, 2 * LIMIT);
    lossy.lost();
    assertEquals(1500, lossy.limitBytes());
    lossy.lost();
    assertEquals(1125, lossy.limitBytes());
    lossy.lost();
    assertEquals(LIMIT, lossy.limitBytes());
  }

  @Test
  void thePassOfOneThatIsGoneIsForNobody() {
    sender.sent(LIMIT);
    awaits(first);
    window.watched();
    window.forget(first);
    assertTrue(window.watched() > 0);
    assertEquals(0, window.watched());
    assertFalse(second.admits(1));
    awaits(first);
    window.forget(first);
    window.watched();
    assertFalse(second.admits(1), "nobody waits to whom it could be given");
  }

  @Test
  void aWaitBeginsWithTheShortestCheckHoweverLongTheOneBefore() {
    sender.sent(LIMIT);
    awaits(first);
    for (int i = 0; i < 4; i++) {
      window.watched();
    }
    assertTrue(window.watched() > 8 * PathWindow.LEAST_PATIENCE_NS);
    window.forget(first);
    window.watched();
    assertEquals(0, window.watched());
    window.await(second);
    assertEquals(PathWindow.LEAST_PATIENCE_NS, window.watch());
  }

  @Test
  void aFullWindowAdmitsNobodyEvenIfThereWasRoom() {
    sender.sent(LIMIT);
    window.await(first);
    sender.acknowledged(10);
    sender.sent(10);
    assertTrue(window.mayAdmit());
    assertNull(admitNext());
    assertTrue(first.isWaiting());
  }

  /** By a packet of 4 KiB, up to its bound. */
  @Test
  void theWindowGrowsForEachFullWindowThatIsAcknowledged() {
    int step = 4096 + PathWindow.PACKET_CHARGE;
    PathWindow growing = new PathWindow(100, 1000, 1000 + 2 * step - 1);
    PathShare share = new PathShare(() -> {});
    share.of(growing);
    share.sent(100_000);
    share.acknowledged(999);
    assertEquals(1000, growing.limitBytes());
    share.acknowledged(1);
    assertEquals(1000 + step, growing.limitBytes());
    share.acknowledged(1000 + step - 1);
    assertEquals(1000 + step, growing.limitBytes());
    share.acknowledged(1);
    assertEquals(1000 + 2 * step - 1, growing.limitBytes());
  }

  /** The window shrinks as after any loss, because more was in flight than the path carried. */
  @Test
  void aStandstillMakesTheWindowAQuarterSmaller() {
    PathWindow wide = new PathWindow(LIMIT, 8 * LIMIT, 8 * LIMIT);
    PathShare one = new PathShare(() -> {});
    PathShare another = new PathShare(() -> {});
    one.of(wide);
    another.of(wide);
    one.sent(8 * LIMIT);
    wide.await(one);
    wide.watch();
    wide.await(another);
    while (wide.forgivenBytes() == 0) {
      assertEquals(8 * LIMIT, wide.limitBytes(), "nothing is known to be lost");
      assertTrue(wide.watched() > 0, "a share waits");
    }
    assertEquals(6 * LIMIT, wide.limitBytes());
  }

  @Test
  void nobodyIsWatchedForWhenNobodyHasWaited() {
    sender.sent(LIMIT);
    awaits(first);
    window.forget(first);
    assertTrue(window.watched() > 0, "somebody has waited since the last look");
    assertEquals(0, window.watched());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void theAccountIsExactWhateverIsForgivenAcknowledgedAndWithdrawn(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Model[] models = {new Model(sender), new Model(first), new Model(second)};
    awaits(share("waiting"));
    for (int step = 0; step < 20_000; step++) {
      Model model = models[random.nextInt(models.length)];
      int what = random.nextInt(100);
      if (what < 50) {
        model.sends(1 + random.nextInt(100));
      } else if (what < 85) {
        model.isAcknowledged();
      } else if (what < 87) {
        model.withdraws();
      } else {
        for (int looks = what == 99 ? 12 : 1;
            looks > 0;
            looks--) { // after a dozen checks the test counts as hanging
          looks();
        }
      }
      compare(models);
    }
    for (Model model : models) {
      model.share.withdrawn();
    }
    assertTrue(window.isEmpty(), "capacity is lost or gained");
  }

  // The model of the window: the number of checks so far, and the check before which everything is
  // forgiven.
  private int look;
  private int forgivenBefore;
  private boolean proven;
  private boolean moved;
  private long unprovenNs;
  private long intervalNs = PathWindow.LEAST_PATIENCE_NS;

  private void looks() {
    unprovenNs = proven ? 0 : unprovenNs + intervalNs;
    if (proven) {
      forgivenBefore = look;
    } else if (!moved && unprovenNs >= PathWindow.STANDSTILL_NS) {
      forgivenBefore = look + 1;
    }
    intervalNs = window.watched();
    look++;
    proven = false;
    moved = false;
  }

  private void compare(Model... models) {
    long counted = 0;
    long all = 0;
    for (Model model : models) {
      long inFlight = model.bytes(0);
      assertEquals(inFlight, model.share.inFlightBytes());
      counted += model.bytes(forgivenBefore);
      all += inFlight;
    }
    assertEquals(counted, window.inFlightBytes());
    assertEquals(all - counted, window.forgivenBytes());
  }

  /** A queue pair that records each packet in flight. */
  private final class Model {
    private final PathShare share;
    private final Deque<Packet> packets = new ArrayDeque<>();

    private record Packet(int bytes, int sentAfter) {}

    Model(PathShare share) {
      this.share = share;
    }

    void sends(int bytes) {
      share.sent(bytes);
      packets.add(new Packet(bytes, look));
    }

    void isAcknowledged() {
      if (!packets.isEmpty()) {
        Packet oldest = packets.remove();
        share.acknowledged(oldest.bytes());
        proven |= oldest.sentAfter() == look;
        moved = true;
      }
    }

    void withdraws() {
      share.withdrawn();
      packets.clear();
    }

    /** The number of bytes in flight that were sent after a check. */
    long bytes(int since) {
      return packets.stream()
          .filter(packet -> packet.sentAfter() >= since)
          .mapToLong(Packet::bytes)
          .sum();
    }
  }
}
