package org.roce4j.benchmarks.loopback;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** Round trips of a run, and what the measuring thread allocated. Allocates nothing meanwhile. */
final class Samples {
  private static final int MOST = 1 << 20;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final long[] roundTripNs = new long[MOST];
  private int count;
  private long allocatedBefore;

  void begin() {
    count = 0;
    allocatedBefore = threads.getCurrentThreadAllocatedBytes();
  }

  void add(long ns) {
    if (count < MOST) {
      roundTripNs[count++] = ns;
    }
  }

  /** Median half round trip, microseconds. */
  Measurement halfRoundTrip(long packets) {
    long allocated = allocated();
    Arrays.sort(roundTripNs, 0, count);
    double median = count == 0 ? Double.NaN : roundTripNs[count / 2] / 2e3;
    return new Measurement(median, allocated, packets);
  }

  /** Gb/s of payload. */
  Measurement throughput(long bytes, long durationNs, long packets) {
    return new Measurement(bytes * 8.0 / durationNs, allocated(), packets);
  }

  private long allocated() {
    return threads.getCurrentThreadAllocatedBytes() - allocatedBefore;
  }
}
