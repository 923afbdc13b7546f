package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.cm.CmNode.Told;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.Mra;

/** Times of the connection manager, to the nanosecond where they do not vary at random. */
class CmTimingTest {
  private static final int LONGEST_CODE = 31;

  /** Code {@code n} is 2<sup>n</sup> units; a sum of codes is rounded to the nearest code. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1, 2, 5, 14, 15, 16, 17, 18, 29, 30, 31})
  void anAckTimeoutIsTwoLifetimesAndTheDelayOfThePeer(int lifetime) {
    for (int delay = 0; delay <= LONGEST_CODE; delay++) {
      long units = (2L << lifetime + 1 >>> 1) + (1L << delay);
      long floor = Long.highestOneBit(units);
      int code = Long.numberOfTrailingZeros(floor) + (2 * units >= 3 * floor ? 1 : 0);
      assertEquals(
          Math.min(LONGEST_CODE, code),
          CmTiming.ackTimeout(delay, lifetime),
          "delay " + delay + " of lifetime " + lifetime);
    }
  }

  /** A peer that asks for time gets all of it, and the interval in which its answer travels. */
  @ParameterizedTest
  @ValueSource(ints = {0, 7, 8, 9, 15, 24})
  void aPeerThatAsksForTimeGetsIt(int code) {
    CmNode node = new CmNode(1, 5);
    CmConnection end = node.connect(0, 2, 0x11, new Told());
    node.handle(7, 2, new Mra(0, end.localId(), Mra.REQ, code, Bytes.NONE).in(1));
    long givenNs = (1L << Math.max(0, code - 8)) * CmNode.MS + CmTiming.RETRY_FIRST_NS;
    assertEquals(7 + givenNs, node.deadlines().nextNs());
  }

  /** The connection is not asked for anew only when the time wait of its path would be over. */
  @Test
  void aRequestIsRepeatedAfterTheTimeOfOneRetry() {
    CmNode node = new CmNode(1, 5);
    node.connect(7, 2, 0x11, new Told());
    long dueNs = node.deadlines().nextNs();
    long deviation = Math.abs(dueNs - 7 - CmTiming.RETRY_FIRST_NS);
    assertTrue(deviation <= CmTiming.RETRY_FIRST_NS / 4, "at " + dueNs);
  }

  /** However often the request was repeated before the peer answered. */
  @ParameterizedTest
  @EnumSource(
      value = ConnectionState.class,
      names = {"REP_SENT", "DREQ_SENT"})
  void eachMessageIsRepeatedAsOftenAsAnyOther(ConnectionState state) {
    CmNode node = new CmNode(1, 5);
    CmNode.Listening listening = new CmNode.Listening();
    Told told = listening.told;
    CmNode peer = new CmNode(2, 6);
    long nowNs = 0;
    node.manager.listen(CmNode.SERVICE, listening);
    peer.connect(nowNs, 1, PeerMessages.QPN, new Told());
    node.handle(nowNs, 2, peer.sent().getFirst().mad());
    CmConnection end = listening.connections.getFirst();
    end.accept(nowNs, CmNode.offer(0x22));
    node.sent();
    if (state == ConnectionState.DREQ_SENT) {
      for (int repeated = 0; repeated < 10; nowNs += CmNode.MS) {
        node.handleTimeout(nowNs);
        repeated += node.sent().size();
      }
      end.confirm(nowNs);
      end.release(nowNs);
      node.sent();
    }
    assertEquals(state, end.state());
    told.words.clear();
    int repeated = 0;
    while (told.words.isEmpty()) {
      nowNs += CmNode.MS;
      node.handleTimeout(nowNs);
      repeated += node.sent().size();
    }
    assertEquals(CmTiming.MAX_RETRIES, repeated);
  }
}
