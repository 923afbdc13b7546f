package org.roce4j.simulation;

import java.util.Map;
import org.roce4j.verbs.WcStatus;

/**
 * What became of a run.
 *
 * @param violation the first broken rule, or null
 * @param digest a hash over every datagram's time, way, fate and bytes: equal runs have equal ones
 * @param datagrams that were sent
 * @param virtualNs how long it lasted on the fabric's clock
 * @param requests send requests that completed, successfully or not
 * @param failures the first failure of each queue pair, by status
 * @param counters of all devices together, by label
 * @param phenomena what applications and links went through, by label
 */
public record SimulationResult(
    SimulationOptions options,
    Violation violation,
    long digest,
    long datagrams,
    long virtualNs,
    long requests,
    Map<WcStatus, Integer> failures,
    Map<String, Long> counters,
    Map<String, Long> phenomena) {
  /** Whether no rule was broken. */
  public boolean passed() {
    return violation == null;
  }
}
