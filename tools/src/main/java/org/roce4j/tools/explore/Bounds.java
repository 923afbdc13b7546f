package org.roce4j.tools.explore;

/**
 * How much is tried.
 *
 * @param runs plans at most
 * @param timeNs for the search; {@link Long#MAX_VALUE}: any
 * @param timeoutNs of one run; 0: as the first run suggests
 * @param jobs runs at once
 * @param repeats of a run that failed
 * @param shrinks runs at most that look for a smaller plan
 */
record Bounds(int runs, long timeNs, long timeoutNs, int jobs, int repeats, int shrinks) {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long FIRST_TIMEOUT_NS = 60 * SECOND_NS;

  long firstTimeoutNs() {
    return timeoutNs > 0 ? timeoutNs : FIRST_TIMEOUT_NS;
  }

  /** Retransmissions take time, and a busy machine does. */
  long timeoutNs(long firstTookNs) {
    return timeoutNs > 0 ? timeoutNs : 10 * SECOND_NS + 10 * firstTookNs;
  }
}
