package org.roce4j.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import org.roce4j.benchmarks.limit.Ratios;
import org.roce4j.verbs.WrOpcode;

/**
 * Cost per message of one packet with 1, 100 and 10,000 queue pairs active in random order, and
 * memory per idle queue pair. The three take turns in every round and are measured in processor
 * time of the thread, so that other load on the machine hits all of them alike; the ratio of each
 * round counts.
 */
public final class QpScaling {
  private static final int[] QUEUE_PAIRS = {1, 100, 10_000};
  private static final WrOpcode[] OPCODES = {
    WrOpcode.RDMA_WRITE, WrOpcode.SEND, WrOpcode.RDMA_READ
  };
  private static final int[] BYTES = {64, 4096};
  private static final int ROUNDS = 15;
  private static final int TURNS = 2_000;

  private QpScaling() {}

  /** Prints the table. */
  public static void main(String[] args) {
    System.out.printf(
        Locale.ROOT, "an idle queue pair of depth 16: %,d bytes of heap%n", idleBytes());
    System.out.println(
        "message              1 QP ns   100 QPs ns   10,000 QPs ns   ratio 10,000 to 1 (min..max)");
    for (WrOpcode opcode : OPCODES) {
      for (int bytes : BYTES) {
        measure(opcode, bytes);
      }
    }
  }

  private static long idleBytes() {
    long before = usedHeap();
    try (EngineCrowd crowd = new EngineCrowd(10_000, WrOpcode.RDMA_WRITE, 64)) {
      long after = usedHeap();
      crowd.turn();
      return (after - before) / 20_000;
    }
  }

  private static long usedHeap() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static void measure(WrOpcode opcode, int bytes) {
    EngineCrowd[] crowds = new EngineCrowd[QUEUE_PAIRS.length];
    for (int i = 0; i < crowds.length; i++) {
      crowds[i] = new EngineCrowd(QUEUE_PAIRS[i], opcode, bytes);
    }
    double[][] ns = new double[crowds.length][ROUNDS];
    double[] ratios = new double[ROUNDS];
    for (int round = -3; round < ROUNDS; round++) {
      for (int i = 0; i < crowds.length; i++) {
        double each = nsPerMessage(crowds[i]);
        if (round >= 0) {
          ns[i][round] = each;
        }
      }
      if (round >= 0) {
        ratios[round] = ns[crowds.length - 1][round] / ns[0][round];
      }
    }
    for (EngineCrowd crowd : crowds) {
      crowd.close();
    }
    Ratios ratio = Ratios.of(ratios);
    System.out.printf(
        Locale.ROOT,
        "%-10s %4d B     %8.0f   %10.0f   %13.0f   %5.2f (%.2f..%.2f)%n",
        opcode,
        bytes,
        median(ns[0]),
        median(ns[1]),
        median(ns[2]),
        ratio.median(),
        ratio.least(),
        ratio.most());
  }

  private static double nsPerMessage(EngineCrowd crowd) {
    long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    for (int i = 0; i < TURNS; i++) {
      crowd.turn();
    }
    long end = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    return (double) (end - start) / TURNS / EngineCrowd.BATCH;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
