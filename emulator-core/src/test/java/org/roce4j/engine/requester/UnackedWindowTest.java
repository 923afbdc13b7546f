package org.roce4j.engine.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.queue.SendQueue;

/** The PSNs of each request, and the next packet to send. */
class UnackedWindowTest {
  private static final long PSN = 1L << 24;

  private final SendQueue queue = new SendQueue(8, 1, 0);
  private final UnackedWindow window = new UnackedWindow(queue);

  @BeforeEach
  void restart() {
    window.restart(PSN);
  }

  /** Posts a request and gives it its PSNs; returns its slot. */
  private int begin(int packets) {
    queue.fillBindRequest(queue.claim(), 0, 0);
    queue.filled();
    queue.publish();
    int slot = queue.slot(queue.end() - 1);
    window.begin(slot, packets, Math.max(1, packets), false);
    return slot;
  }

  private void sendTwoOfTwoPackets() {
    begin(2);
    window.sent(2);
    begin(2);
    window.sent(2);
  }

  private void retire() {
    queue.retire();
    window.retired(false);
  }

  @Test
  void requestsFollowEachOther() {
    int first = begin(3);
    assertEquals(PSN, window.firstPsn(first));
    assertEquals(PSN + 2, window.lastPsn(first));
    assertEquals(3, window.packets(first));
    assertFalse(window.outstanding());
    window.sent(1);
    assertTrue(window.outstanding());
    assertFalse(window.resending());
    assertEquals(0, window.sending());
    assertEquals(1, window.nextIndex());
    window.sent(2);
    assertEquals(1, window.sending());
    assertEquals(1, window.started());
    int second = begin(1);
    assertEquals(PSN + 3, window.firstPsn(second));
    assertEquals(0, window.nextIndex());
  }

  @Test
  void goesBackToTheOldestThatIsNotAcknowledged() {
    sendTwoOfTwoPackets();
    window.acknowledge(PSN + 1);
    window.goBack();
    assertEquals(PSN + 1, window.next());
    assertEquals(PSN + 4, window.highest());
    assertEquals(0, window.sending());
    assertEquals(1, window.nextIndex());
    assertTrue(window.resending());
    window.sent(1);
    assertEquals(1, window.sending());
    window.sent(2);
    assertFalse(window.resending());
    assertEquals(PSN + 4, window.highest());
  }

  @Test
  void aLateAckPassesOverWhatWasGoingToBeSentAgain() {
    sendTwoOfTwoPackets();
    window.goBack();
    window.acknowledge(PSN + 2);
    retire();
    assertEquals(PSN + 2, window.next());
    assertEquals(1, window.sending());
    assertEquals(0, window.nextIndex());
    window.sent(1);
    window.acknowledge(PSN + 3);
    assertEquals(PSN + 3, window.next(), "what was sent again is not skipped");
  }

  @Test
  void operationsThatTakeNoPsnArePassedOver() {
    begin(1);
    window.sent(1);
    int local = begin(0);
    assertEquals(PSN + 1, window.firstPsn(local));
    assertEquals(PSN, window.lastPsn(local));
    assertEquals(2, window.sending());
    begin(1);
    window.sent(1);
    window.goBack();
    assertEquals(0, window.sending());
    window.sent(1);
    assertEquals(2, window.sending(), "sent again past the local operation");
    window.goBack();
    window.acknowledge(PSN + 1);
    retire();
    assertEquals(2, window.sending(), "acknowledged up to the local operation");
    window.goBack();
    assertEquals(2, window.sending(), "gone back to the local operation");
  }

  @Test
  void aLongReadIsAskedForInPartsThatLossDoesNotMove() {
    int slot = begin(0);
    queue.started(slot, PSN, 10, 4);
    long[] ends = {4, 4, 4, 4, 8, 8, 8, 8, 10, 10};
    for (int i = 0; i < ends.length; i++) {
      assertEquals(PSN + ends[i], window.readEnd(slot, PSN + i));
      assertEquals(i % 4 == 0, window.readStart(slot, PSN + i));
    }
  }

  /**
   * R16: the last PSN of the next packet counts, or the last PSN of the answer that it asks for.
   */
  @Test
  void nothingIsSentFromBeyondHalfThePsns() {
    int half = 1 << 23;
    begin(half);
    assertFalse(window.tooFarAhead(half + 1), "what is sent alone is not ahead of anything");
    window.sent(half - 2);
    assertFalse(window.tooFarAhead(2));
    assertTrue(window.tooFarAhead(3));
    window.acknowledge(PSN + 1);
    assertFalse(window.tooFarAhead(3));
  }

  @Test
  void operationsThatNeedDataAreCounted() {
    queue.fillBindRequest(queue.claim(), 0, 0);
    queue.filled();
    queue.publish();
    window.begin(queue.slot(queue.end() - 1), 2, 2, true);
    window.sent(2);
    begin(1);
    window.sent(1);
    assertEquals(1, window.dataOperations());
    window.acknowledge(PSN + 2);
    queue.retire();
    window.retired(true);
    assertEquals(0, window.dataOperations());
    window.acknowledge(PSN + 3);
    retire();
    assertEquals(0, window.dataOperations());
  }

  @Test
  void aNewLifeKnowsNothingOfTheOld() {
    begin(2);
    window.sent(1);
    queue.clear();
    window.restart(PSN + 77);
    assertFalse(window.outstanding());
    assertEquals(window.started(), window.sending());
    assertEquals(PSN + 77, window.firstPsn(begin(1)));
  }
}
