package org.roce4j.tools.pingpong;

import org.HdrHistogram.Histogram;

/** Durations in nanoseconds, to three significant digits. Not thread-safe. */
final class Latencies {
  private final Histogram histogram = new Histogram(3);

  void record(long ns) {
    histogram.recordValue(Math.max(0, ns));
  }

  long count() {
    return histogram.getTotalCount();
  }

  long min() {
    return histogram.getMinValue();
  }

  long median() {
    return histogram.getValueAtPercentile(50);
  }

  long p99() {
    return histogram.getValueAtPercentile(99);
  }

  long max() {
    return histogram.getMaxValue();
  }
}
