package org.roce4j.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;

/** From post to poll, on both sides, a packet allocates nothing. */
class EngineAllocationTest {
  private static final int MEASURED_PACKETS = 1_000_000;
  private static final int ROUNDS = 6;
  private static final double MOST_BYTES_PER_PACKET = 0.01;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void readingCompletionsAllocatesNothing() {
    VerbsBenchmark.FullCompletionQueue queue = new VerbsBenchmark.FullCompletionQueue();
    VerbsBenchmark polls = new VerbsBenchmark();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 200 && least > 0; round++) {
      queue.fill();
      long before = threads.getCurrentThreadAllocatedBytes();
      polls.pollExtended(queue);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    queue.close();
    assertEquals(0, least, "bytes per 1024 completions");
  }

  @ParameterizedTest
  @EnumSource
  void anEngineAllocatesNothingPerPacket(Dialogue dialogue) {
    try (EnginePair pair = new EnginePair(dialogue.type())) {
      SendRequestList requests = dialogue.requests(pair);
      RecvRequestList receives = dialogue.receives(pair);
      // Code that is not compiled yet may allocate; what counts is where it settles.
      double least = Double.MAX_VALUE;
      for (int round = 0; round < ROUNDS && least > MOST_BYTES_PER_PACKET; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        long first = pair.packets();
        while (pair.packets() - first < MEASURED_PACKETS) {
          pair.run(receives, requests);
        }
        double bytes = threads.getCurrentThreadAllocatedBytes() - before;
        least = Math.min(least, bytes / (pair.packets() - first));
      }
      double settled = least;
      assertTrue(settled < MOST_BYTES_PER_PACKET, () -> settled + " bytes per packet");
    }
  }
}
