package org.roce4j.benchmarks;

import java.util.Locale;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.Limit;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.LinkModel;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.WrOpcode;

/**
 * Throughput of one reliable connection under random loss, to the lossless run: in virtual time on
 * a link of 25 Gb/s and 5 microseconds each way, so the same on every machine. Loss hits both
 * directions.
 */
public final class LossTable {
  private static final WrOpcode[] OPCODES = {
    WrOpcode.RDMA_WRITE, WrOpcode.SEND, WrOpcode.RDMA_READ
  };
  private static final int[] BYTES = {64, 4096, 1 << 16, 1 << 20};
  private static final double[] LOSS = {0.001, 0.01};
  private static final long TOTAL_BYTES = 128L << 20;
  private static final int SEEDS = 3;

  private LossTable() {}

  /** Prints the table. */
  public static void main(String[] args) {
    System.out.println("message                lossless Gb/s   at 0.1 %   at 1 %   (ratio)");
    for (WrOpcode opcode : OPCODES) {
      for (int bytes : BYTES) {
        double lossless = mean(opcode, bytes, 0, TOTAL_BYTES);
        System.out.printf(Locale.ROOT, "%-10s %7d B     %13.2f", opcode, bytes, lossless);
        for (double loss : LOSS) {
          System.out.printf(
              Locale.ROOT, "     %6.2f", mean(opcode, bytes, loss, TOTAL_BYTES) / lossless);
        }
        System.out.println();
      }
    }
  }

  /**
   * Gb/s of payload, over a few seeds.
   *
   * @param total bytes that are sent with each seed
   */
  static double mean(WrOpcode opcode, int bytes, double loss, long total) {
    double sum = 0;
    int seeds = loss == 0 ? 1 : SEEDS;
    for (int seed = 1; seed <= seeds; seed++) {
      sum += gigabits(opcode, bytes, loss, seed, total);
    }
    return sum / seeds;
  }

  private static DeviceOptions probing(String name, Gid address) {
    return DeviceOptions.of(name, address)
        .withLimit(Limit.MAX_PROBING_QP, 512)
        .withLimit(Limit.LEAST_PROBED_PACKETS, 0);
  }

  private static double gigabits(WrOpcode opcode, int bytes, double loss, long seed, long total) {
    LinkModel link =
        LinkModel.PERFECT.withBandwidth(25_000_000_000L).withDelayNs(5_000).withLoss(loss);
    FabricOptions options = FabricOptions.of(seed).withIcrc(false).withLink(link);
    try (FabricDevices network = new FabricDevices(options)) {
      Gid here = Gid.parse("10.0.0.1");
      Gid there = Gid.parse("10.0.0.2");
      EmulatedDevice left = network.device(probing("left", here));
      EmulatedDevice right = network.device(probing("right", there));
      long messages = Math.min(total / bytes, 100_000);
      try (StreamPair stream = new StreamPair(left.open(), here, right.open(), there, bytes)) {
        long start = network.fabric().nowNs();
        stream.run(opcode, messages);
        return messages * bytes * 8.0 / (network.fabric().nowNs() - start);
      }
    }
  }
}
