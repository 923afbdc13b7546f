package org.roce4j.tools.perf;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Tells whether a process is warm: its just-in-time compilers have been quiet for some time, and
 * its rate grows no more. A compiler shares the processor of a thread that polls, and stalls it for
 * milliseconds at a time.
 */
final class Warmth {
  /** The length of each part of a warm-up. */
  static final long PART_NS = 200_000_000L;

  /** The compile time in a part that counts as quiet: stray methods are always compiled. */
  private static final long QUIET_MS = 5;

  private static final int QUIET_PARTS = 3;
  private static final double GROWN = 1.1;

  private final LongSupplier compiledMs;
  private long compiledBefore;
  private double best;
  private int quiet;

  Warmth() {
    this(compilers());
  }

  /**
   * @param compiledMs the compilers' time so far in milliseconds
   */
  Warmth(LongSupplier compiledMs) {
    this.compiledMs = compiledMs;
    this.compiledBefore = compiledMs.getAsLong();
  }

  /**
   * The processor time of the virtual machine's own threads, which Java does not report. A
   * compiler's reported time grows only when a method is finished, so a compilation of a second on
   * a shared processor would look like silence.
   */
  private static LongSupplier compilers() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean process
        && process.getProcessCpuTime() >= 0
        && ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads
        && threads.isThreadCpuTimeSupported()) {
      return new HiddenTime(process, threads);
    }
    CompilationMXBean bean = ManagementFactory.getCompilationMXBean();
    return bean == null || !bean.isCompilationTimeMonitoringSupported()
        ? () -> 0
        : bean::getTotalCompilationTime;
  }

  /** The process's time without that of its Java threads, milliseconds; it never shrinks. */
  private static final class HiddenTime implements LongSupplier {
    private final OperatingSystemMXBean process;
    private final ThreadMXBean threads;
    private long most;

    HiddenTime(OperatingSystemMXBean process, ThreadMXBean threads) {
      this.process = process;
      this.threads = threads;
    }

    @Override
    public long getAsLong() {
      long hiddenNs = process.getProcessCpuTime();
      for (long ns : threads.getThreadCpuTime(threads.getAllThreadIds())) {
        hiddenNs -= Math.max(0, ns); // negative: it has ended meanwhile
      }
      most = Math.max(most, hiddenNs / 1_000_000);
      return most;
    }
  }

  /**
   * Judges a part that is over.
   *
   * @param rate messages a second in it, or 0 if this side counts none
   * @return whether the process is warm
   */
  boolean after(double rate) {
    long compiled = compiledMs.getAsLong();
    boolean calm = compiled - compiledBefore <= QUIET_MS && rate <= best * GROWN;
    compiledBefore = compiled;
    best = Math.max(best, rate);
    quiet = calm ? quiet + 1 : 0;
    return quiet >= QUIET_PARTS;
  }
}
