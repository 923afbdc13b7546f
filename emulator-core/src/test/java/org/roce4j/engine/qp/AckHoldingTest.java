package org.roce4j.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.time.Deadlines;

/**
 * Acknowledgements of several queue pairs that wait behind replies, in the order of the replies.
 */
class AckHoldingTest {
  private final AckHolding holding = new AckHolding();
  private final List<String> left = new ArrayList<>();
  private final List<HeldAck> held = new ArrayList<>();

  private void reply(long nowNs) {
    String name = "of " + held.size();
    HeldAck ack = new HeldAck(() -> left.add(name));
    held.add(ack);
    holding.requestCame(ack, nowNs);
    holding.callerReturns(true);
    replied(ack, nowNs, true);
  }

  private void replied(HeldAck ack, long nowNs, boolean canWait) {
    holding.replies(ack, canWait);
    holding.replied(ack, nowNs);
  }

  @Test
  void allLeaveWhenTheCallerDoesNotComeBack() {
    for (int i = 0; i < 3; i++) {
      reply(i);
    }
    assertEquals(List.of(), left);
    holding.releaseAll();
    assertEquals(List.of("of 0", "of 1", "of 2"), left);
    holding.releaseAll();
    assertEquals(3, left.size());
    assertEquals(Deadlines.NEVER, holding.deadlineNs());
  }

  /** A wait in vain doubles the number of replies without a wait, unless enough waits have paid. */
  @ParameterizedTest
  @CsvSource({"0, 8", "7, 8", "8, 2"})
  void waitsThatPaidMakeUpForOneInVain(int paid, int without) {
    HeldAck ack = new HeldAck(() -> {});
    holding.callerReturns(true);
    waitInVain(ack);
    assertEquals(4, repliesWithoutWait(ack));
    for (int i = 0; i < paid; i++) {
      holding.requestCame(ack, 0);
      replied(ack, 0, true);
    }
    waitInVain(ack);
    assertEquals(without, repliesWithoutWait(ack));
  }

  private void waitInVain(HeldAck ack) {
    replied(ack, 0, true);
    assertEquals(HeldAck.Hold.FOR_REQUEST, ack.hold);
    holding.releaseDue(AckHolding.MOST_PATIENCE_NS);
  }

  /** The number of replies before the first whose acknowledgement waits for a request. */
  private int repliesWithoutWait(HeldAck ack) {
    int replies = 0;
    for (; ack.hold != HeldAck.Hold.FOR_REQUEST; replies++) {
      replied(ack, 0, true);
    }
    return replies - 1;
  }

  @Test
  void eachLeavesInItsTimeUnlessItIsForgotten() {
    for (int i = 0; i < 3; i++) {
      reply(1000 * i);
    }
    long firstNs = holding.deadlineNs();
    holding.forget(held.get(1));
    holding.releaseDue(firstNs - 1);
    assertEquals(List.of(), left);
    holding.releaseDue(firstNs);
    assertEquals(List.of("of 0"), left);
    assertEquals(firstNs + 2000, holding.deadlineNs());
    holding.releaseDue(firstNs + 5000);
    assertEquals(List.of("of 0", "of 2"), left);
  }

  /** A longer time than the longest wait says nothing about the next request. */
  @ParameterizedTest
  @CsvSource({"0, 10000", "20000, 10000", "24000, 12000", "40000, 20000", "40001, 10000"})
  void waitsTwiceTheTimeFromAReplyToTheNextRequest(long gapNs, long waitNs) {
    HeldAck ack = new HeldAck(() -> {});
    holding.callerReturns(true);
    replied(ack, 1000, true);
    holding.requestCame(ack, 1000 + gapNs); // has a weight of a quarter
    replied(ack, 500_000, true);
    assertEquals(500_000 + waitNs, holding.deadlineNs());
  }

  @Test
  void measuresTheFirstRequestAfterAReplyAlone() {
    HeldAck ack = new HeldAck(() -> {});
    holding.callerReturns(true);
    replied(ack, 0, true);
    holding.requestCame(ack, 24_000);
    holding.requestCame(ack, 40_000);
    replied(ack, 500_000, true);
    assertEquals(512_000, holding.deadlineNs());
  }

  @Test
  void knowsTheTimeBetterWithEachRequestAndWaitsNoLongerThanTheLongestWait() {
    HeldAck ack = new HeldAck(() -> {});
    holding.callerReturns(true);
    for (long waitNs : new long[] {10_000, 16_000, 28_000, 37_000, 40_000}) {
      replied(ack, 0, true);
      assertEquals(waitNs, holding.deadlineNs());
      holding.requestCame(ack, 32_000);
    }
  }

  /** One that only follows its reply goes before those that wait; a request overtakes it once. */
  @Test
  void anAcknowledgementThatCannotWaitFollowsItsReplyUnlessARequestOvertookTheLast() {
    reply(0);
    HeldAck ack = new HeldAck(() -> left.add("following"));
    assertFalse(holding.follows());
    replied(ack, 100, false);
    assertTrue(holding.follows());
    assertEquals(100, holding.deadlineNs());
    holding.releaseDue(100);
    assertFalse(holding.follows());
    assertEquals(List.of("following"), left);
    replied(ack, 200, false);
    holding.requestCame(ack, 210);
    replied(ack, 220, false);
    assertFalse(ack.isHeld(), "overtaken");
    replied(ack, 230, false);
    assertTrue(ack.isHeld());
    holding.releaseAll();
    assertFalse(holding.follows());
    assertEquals(List.of("following", "following", "of 0"), left);
  }
}
