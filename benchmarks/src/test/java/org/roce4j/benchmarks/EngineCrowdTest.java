package org.roce4j.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.WrOpcode;

/** Among many queue pairs nothing is allocated either: room for all is made with each. */
class EngineCrowdTest {
  private static final int QUEUE_PAIRS = 3000;
  private static final int CROWDS = 6;
  private static final int WARM_TURNS = 20_000;

  /** A queue of all these queue pairs would have grown past it. */
  private static final long MOST_BYTES = 4096;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void whenAllSendForTheFirstTimeNothingIsAllocated() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < CROWDS && least > MOST_BYTES; i++) {
      try (EngineCrowd crowd = new EngineCrowd(QUEUE_PAIRS, WrOpcode.RDMA_WRITE, 4096)) {
        for (int turn = 0; turn < WARM_TURNS; turn++) {
          crowd.turn();
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        int completed = crowd.turnOfAll();
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        assertEquals(QUEUE_PAIRS, completed);
      }
    }
    assertTrue(least <= MOST_BYTES, least + " bytes");
  }
}
