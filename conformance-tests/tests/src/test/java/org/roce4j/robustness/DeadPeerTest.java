package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.RdmaDevice;

/** A queue pair with a dead peer fills the path while others send to the same address. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadPeerTest {
  private static final int BYTES = 64 << 10;

  /** Messages of 64 KiB that fill a path, and more. */
  private static final int BULK = 8;

  /** A timeout of more than a second, so that no timeout ends the neighbours' wait. */
  private static final int ACK_TIMEOUT = 18;

  /** Attempts: the shortest wait is the one without delay by other programs. */
  private static final int ATTEMPTS = 20;

  /** The path is forgiven after 100 ms of silence; two checks of the window take 2 ms. */
  private static final long MOST_NS = 60_000_000;

  @ParameterizedTest
  @ValueSource(strings = {"linux", "linux-4", "netty"})
  void costsItsNeighboursNoTimeout(String transport) {
    long shortestNs = Long.MAX_VALUE;
    try (AnyNetwork network = new AnyNetwork(transport)) {
      RdmaDevice left = network.device();
      RdmaDevice right = network.device();
      try (RcSide neighbour = new RcSide(left, BYTES);
          RcSide peer = new RcSide(right, BYTES)) {
        RcSide.connect(neighbour, peer, ACK_TIMEOUT, 7);
        List<RcSide> bulk = new ArrayList<>();
        for (int i = 0; i < ATTEMPTS && shortestNs >= MOST_NS; i++) {
          bulk.add(bulkWithoutPeer(left, right));
          shortestNs = Math.min(shortestNs, exchangeNs(neighbour, peer, i));
        }
        bulk.forEach(RcSide::close);
      }
    }
    String found = shortestNs + " ns at the least";
    assertTrue(shortestNs < MOST_NS, found);
  }

  private static RcSide bulkWithoutPeer(RdmaDevice left, RdmaDevice right) {
    RcSide bulk = new RcSide(left, BYTES);
    try (RcSide gone = new RcSide(right, BYTES)) {
      RcSide.connect(bulk, gone, ACK_TIMEOUT, 7);
    }
    for (int i = 0; i < BULK; i++) {
      assertEquals(0, bulk.send(i, 0, BYTES));
    }
    return bulk;
  }

  private static long exchangeNs(RcSide from, RcSide to, int wrId) {
    assertEquals(0, to.receive(wrId, 0, BYTES));
    long startNs = System.nanoTime();
    assertEquals(0, from.send(wrId, 0, BYTES));
    assertEquals(1, to.await(1).size());
    assertEquals(1, from.await(1).size());
    return System.nanoTime() - startNs;
  }
}
