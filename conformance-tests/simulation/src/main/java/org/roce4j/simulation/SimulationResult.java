package org.roce4j.simulation;

import java.util.Map;
import org.roce4j.verbs.WcStatus;

/**
 * The result of a run.
 *
 * @param options the options of the run
 * @param violation the first broken rule, or null
 * @param digest a hash over the time, way, fate and bytes of every datagram: equal runs have equal
 *     digests
 * @param datagrams number of datagrams sent
 * @param virtualNs duration on the fabric's clock, ns
 * @param requests number of send requests that completed, successfully or not
 * @param failures number of queue pairs by the status of their first failure
 * @param counters sums of all devices' counters, by label
 * @param phenomena what applications and links met, by label
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
