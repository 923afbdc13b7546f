package org.roce4j.engine.path;

/**
 * The time between a packet and its acknowledgement, over all queue pairs of a path: smoothed mean
 * and deviation as in RFC 6298. Confined to the engine's owner.
 */
public final class RoundTrip {
  /** The number of samples before which nothing is known. */
  static final int LEAST_SAMPLES = 8;

  /**
   * A lower bound of {@link #patienceNs}, so that a peer that is briefly not scheduled is not
   * probed.
   */
  static final long LEAST_PATIENCE_NS = 200_000;

  /** Samples so far, at most {@link #LEAST_SAMPLES}. */
  private int samples;

  /** SRTT of RFC 6298. */
  private long meanNs;

  /** RTTVAR of RFC 6298. */
  private long deviationNs;

  /**
   * An acknowledgement arrived {@code ns} nanoseconds after its packet, which was sent only once.
   */
  public void sample(long ns) {
    if (samples == 0) {
      meanNs = ns;
      deviationNs = ns / 2;
    } else {
      deviationNs += (Math.abs(ns - meanNs) - deviationNs) / 4;
      meanNs += (ns - meanNs) / 8;
    }
    samples = Math.min(samples + 1, LEAST_SAMPLES);
  }

  /** Whether {@link #patienceNs} is known. */
  public boolean known() {
    return samples == LEAST_SAMPLES;
  }

  /** The mean, clamped to the two bounds; {@code leastNs} while too few samples are known. */
  public long within(long leastNs, long mostNs) {
    return known() ? Math.clamp(meanNs, leastNs, mostNs) : leastNs;
  }

  /** Nanoseconds without an acknowledgement after which a loss is more likely than a slow peer. */
  public long patienceNs() {
    return Math.max(LEAST_PATIENCE_NS, meanNs + 4 * deviationNs);
  }
}
