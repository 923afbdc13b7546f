package org.roce4j.benchmarks;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.roce4j.benchmarks.limit.Ratios;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * The gain of several engines per device. As many threads as there are processors write from one
 * device to another, each on its own connection, first over one engine, then over an engine each.
 * Both are compared with a single thread. The three take turns in every round.
 */
public final class EngineScaling {
  /** Bytes that each thread keeps outstanding, in up to {@link #MOST_DEPTH} requests. */
  private static final int BYTES_OUTSTANDING = 8 * 65_536;

  private static final int MOST_DEPTH = 128;
  private static final int ROUNDS = 9;
  private static final int WARM_UP_ROUNDS = 4;
  private static final long ROUND_NS = 400_000_000;

  private EngineScaling() {}

  /** Two devices and the connections between them, one for each thread. */
  private static final class Crossing implements AutoCloseable {
    private final Context left;
    private final Context right;
    private final List<Line> lines = new ArrayList<>();

    Crossing(int number, int engines, int threads, int bytes) {
      left = open("left" + number, Gid.ofIpv4(0x7f000100 | number * 2), engines);
      right = open("right" + number, Gid.ofIpv4(0x7f000101 | number * 2), engines);
      for (int i = 0; i < threads; i++) {
        lines.add(new Line(left, right, i % engines, bytes));
      }
    }

    private static Context open(String name, Gid address, int engines) {
      return Emulator.device(
              DeviceOptions.of(name, address)
                  .withTransport("linux")
                  .withActiveMtu(Mtu.MTU_4096)
                  .withEngines(engines))
          .open();
    }

    /** Messages a second of all threads together. */
    double run(ExecutorService threads) throws Exception {
      CyclicBarrier together = new CyclicBarrier(lines.size());
      List<Future<Long>> counts = new ArrayList<>();
      for (Line line : lines) {
        counts.add(
            threads.submit(
                () -> {
                  together.await();
                  return line.run(System.nanoTime() + ROUND_NS);
                }));
      }
      long sum = 0;
      for (Future<Long> count : counts) {
        sum += count.get();
      }
      return sum * 1e9 / ROUND_NS;
    }

    @Override
    public void close() {
      left.close();
      right.close();
    }
  }

  /** A connection; one thread posts on the left and polls both sides. */
  private static final class Line {
    private final CompletionQueue leftCq;
    private final CompletionQueue rightCq;
    private final QueuePair sender;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final SendRequestList write = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    private final WorkCompletions done = new WorkCompletions(Arena.ofAuto(), 16);
    private final int bytes;
    private final int depth;

    Line(Context left, Context right, int vector, int bytes) {
      this.bytes = bytes;
      depth = Math.min(MOST_DEPTH, BYTES_OUTSTANDING / bytes);
      leftCq = left.createCq(4 * MOST_DEPTH, null, null, vector);
      rightCq = right.createCq(4 * MOST_DEPTH, null, null, vector);
      ProtectionDomain leftPd = left.allocPd();
      ProtectionDomain rightPd = right.allocPd();
      source = memory(leftPd);
      target = memory(rightPd);
      sender = queuePair(leftPd, leftCq);
      QueuePair receiver = queuePair(rightPd, rightCq);
      LoneDevice.connect(sender, right.queryGid(1, 0), receiver.qpNum());
      LoneDevice.connect(receiver, left.queryGid(1, 0), sender.qpNum());
    }

    private MemoryRegion memory(ProtectionDomain pd) {
      return pd.registerMemory(
          Arena.ofAuto().allocate(bytes, 4096), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
    }

    private static QueuePair queuePair(ProtectionDomain pd, CompletionQueue cq) {
      return pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(MOST_DEPTH, 1, 1, 1, 0)));
    }

    private long run(long untilNs) {
      int outstanding = 0;
      long messages = 0;
      boolean more = true;
      while (more || outstanding > 0) {
        more = more && System.nanoTime() - untilNs < 0;
        while (more && outstanding < depth) {
          write.clear().add().opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
          write.sge(source, 0, bytes).remote(target.address(), target.rkey());
          check(sender.postSend(write) == 0, "a request was refused");
          outstanding++;
        }
        check(rightCq.poll(done) == 0, "the receiver has a completion");
        int polled = leftCq.poll(done);
        for (int i = 0; i < polled; i++) {
          check(done.status(i) == WcStatus.SUCCESS, "a request has failed");
        }
        outstanding -= polled;
        messages += polled;
      }
      return messages;
    }

    private static void check(boolean fine, String what) {
      if (!fine) {
        throw new IllegalStateException(what);
      }
    }
  }

  /**
   * Prints the ratios.
   *
   * @param args bytes of a message, each measured by itself (65536)
   */
  public static void main(String[] args) throws Exception {
    for (String bytes : args.length == 0 ? new String[] {"65536"} : args) {
      measure(Integer.parseInt(bytes));
    }
  }

  private static void measure(int bytes) throws Exception {
    int processors = Runtime.getRuntime().availableProcessors();
    int engines = Math.min(16, Integer.highestOneBit(processors));
    try (ExecutorService threads = Executors.newFixedThreadPool(engines);
        Crossing alone = new Crossing(0, 1, 1, bytes);
        Crossing shared = new Crossing(1, 1, engines, bytes);
        Crossing own = new Crossing(2, engines, engines, bytes)) {
      double[] overOne = new double[ROUNDS];
      double[] overOwn = new double[ROUNDS];
      for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
        double base = alone.run(threads);
        double one = shared.run(threads) / base;
        double each = own.run(threads) / base;
        if (round >= 0) {
          overOne[round] = one;
          overOwn[round] = each;
        }
      }
      System.out.printf(
          "RC WRITE of %d bytes, %d threads to one thread alone, %d rounds%n",
          bytes, engines, ROUNDS);
      print("one engine a device", overOne);
      print("an engine a thread", overOwn);
    }
  }

  private static void print(String what, double[] ratios) {
    Ratios summary = Ratios.of(ratios);
    System.out.printf(
        Locale.ROOT,
        "%-22s %.2f (95 %% of the median: %.2f..%.2f)%n",
        what,
        summary.median(),
        summary.low(),
        summary.high());
  }
}
