package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Inbound;

/** When control data are left out, and when they are read again. */
class LoneArrivalsTest {
  private static final int ECT = 2;
  private static final int DSCP = 0x68;

  private final LoneArrivals arrivals = new LoneArrivals();

  /** Datagrams arrive one by one, each read in the way that is due. */
  private void lone(int count) {
    for (int i = 0; i < count; i++) {
      arrive();
      arrivals.empty();
    }
  }

  private void arrive() {
    if (arrivals.plain()) {
      arrivals.arrivedPlainly();
    } else {
      arrivals.arrived(1, 0);
    }
  }

  private void burst(int datagrams) {
    for (int i = 0; i < datagrams; i++) {
      arrive();
    }
    arrivals.empty();
  }

  @BeforeEach
  void manyLoneDatagrams() {
    lone(LoneArrivals.MANY - 1);
    assertTrue(arrivals.offload());
    lone(1);
    assertFalse(arrivals.offload());
  }

  private void emptied() {
    for (int i = 1; i < LoneArrivals.EMPTY_READS; i++) {
      assertFalse(arrivals.plain(), "a train may be on its way");
      arrivals.empty();
    }
    assertTrue(arrivals.plain());
  }

  @Test
  void offloadIsOnFromTheBeginning() {
    LoneArrivals unused = new LoneArrivals();
    assertTrue(unused.offload());
    assertFalse(unused.plain());
  }

  @Test
  void trainsOnTheirWayAreReadBeforeControlDataAreLeftOut() {
    arrivals.arrived(2, 0);
    arrivals.empty();
    assertFalse(arrivals.offload());
    for (int i = 2; i < LoneArrivals.EMPTY_READS; i++) {
      assertFalse(arrivals.plain());
      arrivals.empty();
    }
    assertTrue(arrivals.plain());
  }

  @Test
  void oneDatagramInSixtyFourIsReadWithControlData() {
    emptied();
    for (int round = 0; round < 3; round++) {
      for (int i = 1; i < LoneArrivals.SAMPLE; i++) {
        assertTrue(arrivals.plain());
        lone(1);
      }
      assertFalse(arrivals.plain());
      arrivals.empty();
      assertFalse(arrivals.plain(), "an empty read is no sample");
      lone(1);
    }
  }

  @Test
  void aStreamIsReadWithOffload() {
    emptied();
    burst(LoneArrivals.STREAM - 1);
    assertFalse(arrivals.offload());
    burst(LoneArrivals.STREAM);
    assertTrue(arrivals.offload());
    assertFalse(arrivals.plain());
    lone(LoneArrivals.MANY - 1);
    assertTrue(arrivals.offload(), "it begins anew");
  }

  @Test
  void aTrainCountsAsItsDatagrams() {
    arrivals.arrived(LoneArrivals.STREAM, Inbound.UNKNOWN);
    assertTrue(arrivals.offload());
  }

  @Test
  void rareBurstsChangeNothing() {
    emptied();
    for (int i = 0; i < 100; i++) {
      burst(2 * LoneArrivals.BURST);
      lone(LoneArrivals.BURST_COST);
    }
    assertFalse(arrivals.offload());
  }

  @Test
  void frequentBurstsAreReadWithOffload() {
    emptied();
    frequentBurstsAreReadWithOffloadFromNow();
  }

  private void frequentBurstsAreReadWithOffloadFromNow() {
    int bursts = 0;
    while (!arrivals.offload()) {
      burst(LoneArrivals.BURST);
      bursts++;
    }
    int most = (LoneArrivals.MANY - LoneArrivals.FEW) / (LoneArrivals.BURST_COST - 3) + 1;
    assertTrue(bursts > 1 && bursts <= most, () -> most + " bursts at most");
  }

  /** However long datagrams have come one by one. */
  @Test
  void burstsAfterALongPingPongAreReadWithOffloadAsSoon() {
    emptied();
    lone(4 * LoneArrivals.MANY);
    frequentBurstsAreReadWithOffloadFromNow();
  }

  /** However many bursts came before. */
  @Test
  void afterAStreamOfBurstsAsManyLoneDatagramsAreEnough() {
    arrivals.readFully();
    for (int i = 0; i < 100; i++) {
      burst(2 * LoneArrivals.BURST);
    }
    lone(LoneArrivals.MANY);
    assertFalse(arrivals.offload());
  }

  @Test
  void aSenderThatUsesEcnIsReadWithControlData() {
    emptied();
    arrivals.arrived(1, ECT);
    assertTrue(arrivals.offload());
    for (int i = 0; i < 2 * LoneArrivals.MANY; i++) {
      arrivals.arrived(1, ECT);
      arrivals.empty();
    }
    assertTrue(arrivals.offload());
  }

  @Test
  void aTrafficClassWithoutEcnIsNoMark() {
    arrivals.arrived(1, Inbound.UNKNOWN);
    assertFalse(arrivals.offload());
    arrivals.arrived(1, DSCP);
    assertFalse(arrivals.offload());
  }

  @Test
  void readingFullyLastsUntilDatagramsHaveComeOneByOneAgain() {
    emptied();
    arrivals.readFully();
    assertTrue(arrivals.offload());
    assertFalse(arrivals.plain());
    manyLoneDatagrams();
    emptied();
    assertFalse(arrivals.offload());
  }
}
