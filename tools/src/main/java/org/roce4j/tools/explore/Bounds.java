package org.roce4j.tools.explore;

/**
 * The bounds of a search.
 *
 * @param runs greatest number of plans
 * @param timeNs time for the search in nanoseconds; {@link Long#MAX_VALUE}: no limit
 * @param timeoutNs timeout of one run in nanoseconds; 0: derived from the first run
 * @param jobs number of concurrent runs
 * @param repeats number of repetitions of a run that failed
 * @param shrinks greatest number of runs that search a smaller plan
 */
record Bounds(int runs, long timeNs, long timeoutNs, int jobs, int repeats, int shrinks) {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long FIRST_TIMEOUT_NS = 60 * SECOND_NS;

  long firstTimeoutNs() {
    return timeoutNs > 0 ? timeoutNs : FIRST_TIMEOUT_NS;
  }

  /**
   * The timeout of one run: longer than the first run, because of retransmissions and other load.
   */
  long timeoutNs(long firstTookNs) {
    return timeoutNs > 0 ? timeoutNs : 10 * SECOND_NS + 10 * firstTookNs;
  }
}
