package org.roce4j.tools.perf.traffic;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.HdrHistogram.Histogram;

/**
 * The measurement of a round; counting allocates nothing.
 *
 * <p>Times are nanoseconds. In a bandwidth test a latency is that of a request from post to
 * completion among all that are under way; the peak is that of the fastest 64th of the run.
 */
public final class Measurement {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final long LONGEST_NS = 100_000_000_000L;
  private static final int PARTS = 64;

  /** Completions come in batches, so a shorter time than this has no meaning. */
  private static final long SHORTEST_PART_NS = 20_000L;

  private final Histogram latencies = new Histogram(LONGEST_NS, 3);
  private long messages;
  private long firstNs;
  private long lastNs;
  private long partMessages;
  private long partBeginMessages;
  private long partBeginNs;
  private double peakPerNs;
  private long allocatedBefore;
  private long allocated;

  void begin(long expectedMessages, long nowNs) {
    latencies.reset();
    messages = 0;
    firstNs = nowNs;
    lastNs = nowNs;
    partMessages = expectedMessages >= PARTS ? expectedMessages / PARTS : 0;
    partBeginMessages = 0;
    partBeginNs = nowNs;
    peakPerNs = 0;
    allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
  }

  /** Notes that the first message came now. */
  void start(long nowNs) {
    firstNs = nowNs;
    lastNs = nowNs;
    partBeginNs = nowNs;
  }

  void end() {
    allocated = THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
  }

  void done(long count, long nowNs) {
    messages += count;
    lastNs = nowNs;
    if (partMessages > 0
        && messages - partBeginMessages >= partMessages
        && nowNs - partBeginNs >= SHORTEST_PART_NS) {
      double perNs = (messages - partBeginMessages) / (double) (nowNs - partBeginNs);
      peakPerNs = Math.max(peakPerNs, perNs);
      partBeginMessages = messages;
      partBeginNs = nowNs;
    }
  }

  void latency(long ns) {
    latencies.recordValue(Math.clamp(ns, 0, LONGEST_NS));
  }

  /** Messages that were sent, or received by the side that only receives. */
  public long messages() {
    return messages;
  }

  /** The time from the beginning to the last message. */
  public long elapsedNs() {
    return Math.max(1, lastNs - firstNs);
  }

  /** Messages a second in the fastest 64th of the run, 0 if not known. */
  public double peakRate() {
    return peakPerNs * 1e9;
  }

  /** Messages a second. */
  public double rate() {
    return messages * 1e9 / elapsedNs();
  }

  /** Latencies. */
  public Histogram latencies() {
    return latencies;
  }

  /** The number of bytes that the data path's thread allocated meanwhile. */
  public long allocated() {
    return allocated;
  }
}
