package org.roce4j.suite;

import java.util.List;
import org.roce4j.simulation.SimulationOptions;

/**
 * Simulated runs whose links carry everything but where devices pause, crash, lose their ports and
 * one another: that excuses retries while it lasts, and only between those it concerns.
 */
public final class OutageSimulationInside {
  private static final String OPTIONS =
      " pauses=1 ports=1 crashes=1 partitions=1"
          + " loss=0 burst-enter=0 duplicate=0 reorder=0 corrupt=0";

  private OutageSimulationInside() {}

  /** What the oracle says of the first so many seeds, until it objects. */
  public static List<String> complaints(String seeds) {
    return SimulationInside.complaints(
        Long.parseLong(seeds), seed -> SimulationOptions.parse("seed=" + seed + OPTIONS));
  }
}
