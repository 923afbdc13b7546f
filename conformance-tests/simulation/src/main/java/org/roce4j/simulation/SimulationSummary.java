package org.roce4j.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.roce4j.engine.counter.Counter;

/** The sums of many runs. Not thread-safe. */
public final class SimulationSummary {
  /** The counters that a set of runs must have met; otherwise the set proves little. */
  private static final List<Counter> HARDSHIPS =
      List.of(
          Counter.RECEIVED_RNR,
          Counter.RECEIVED_SEQUENCE_NAK,
          Counter.PARTIAL_READ_REPLAY,
          Counter.ATOMIC_REPLAY,
          Counter.PSN_WRAP,
          Counter.ACK_TIMEOUT,
          Counter.DUPLICATE_REQUEST,
          Counter.UC_MESSAGE_ABANDONED,
          Counter.ICRC_ERROR,
          Counter.HANDED_OVER,
          Counter.REQUESTS_HELD);

  /** Odd, so that the multiplication loses no bit of an earlier digest. */
  private static final long DIGEST_STEP = 0x9e37_79b9_7f4a_7c15L;

  private final Map<String, Long> counters = new TreeMap<>();
  private final Map<String, Long> phenomena = new TreeMap<>();
  private final Map<String, Long> failures = new TreeMap<>();
  private SimulationResult firstViolation;
  private long seeds;
  private final List<Long> violatedSeeds = new ArrayList<>();
  private long datagrams;
  private long requests;
  private long virtualNs;
  private long digest;

  /** Adds a run; the digest depends on the order of the runs. */
  public void add(SimulationResult result) {
    seeds++;
    datagrams += result.datagrams();
    requests += result.requests();
    virtualNs += result.virtualNs();
    digest = digest * DIGEST_STEP + result.digest();
    result.counters().forEach((label, value) -> counters.merge(label, value, Long::sum));
    result.phenomena().forEach((label, value) -> phenomena.merge(label, value, Long::sum));
    result
        .failures()
        .forEach((status, count) -> failures.merge(status.name(), (long) count, Long::sum));
    if (!result.passed()) {
      violatedSeeds.add(result.options().seed());
      if (firstViolation == null) {
        firstViolation = result;
      }
    }
  }

  /** Number of runs. */
  public long seeds() {
    return seeds;
  }

  /** Number of runs that broke a rule. */
  public long violations() {
    return violatedSeeds.size();
  }

  /** The seeds of the runs that broke a rule. */
  public List<Long> violatedSeeds() {
    return List.copyOf(violatedSeeds);
  }

  /** The first run that broke a rule, or null. */
  public SimulationResult firstViolation() {
    return firstViolation;
  }

  /** Datagrams sent, all runs. */
  public long datagrams() {
    return datagrams;
  }

  /** Send requests completed, all runs. */
  public long requests() {
    return requests;
  }

  /** Virtual time of all runs together, ns. */
  public long virtualNs() {
    return virtualNs;
  }

  /** A hash over the digests of the runs, in their order; the digest of a single run is its own. */
  public long digest() {
    return digest;
  }

  /**
   * The number of queue pairs by the status of their first failure. The oracle proved each failure
   * to be due.
   */
  public Map<String, Long> failures() {
    return Map.copyOf(failures);
  }

  /** Engine counters of all runs, by label. */
  public Map<String, Long> counters() {
    return Map.copyOf(counters);
  }

  /** The counts of engines, applications and links, by label. */
  public Map<String, Long> hardships() {
    Map<String, Long> met = new TreeMap<>();
    for (Phenomenon phenomenon : Phenomenon.values()) {
      met.put(phenomenon.label(), phenomena.getOrDefault(phenomenon.label(), 0L));
    }
    for (Counter counter : HARDSHIPS) {
      met.put(counter.label(), counters.getOrDefault(counter.label(), 0L));
    }
    return met;
  }

  /** The hardships that no run has met. */
  public List<String> missed() {
    List<String> missed = new ArrayList<>();
    hardships()
        .forEach(
            (label, count) -> {
              if (count == 0) {
                missed.add(label);
              }
            });
    return missed;
  }
}
