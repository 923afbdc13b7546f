package org.roce4j.suite;

import java.util.List;
import org.roce4j.simulation.SimulationOptions;

/** Simulated runs on a network that carries everything in time: not even a retry is excused. */
public final class HealthySimulationInside {
  private HealthySimulationInside() {}

  /** What the oracle says of the first so many seeds, until it objects. */
  public static List<String> complaints(String seeds) {
    return SimulationInside.complaints(
        Long.parseLong(seeds), seed -> SimulationOptions.draw(seed).withoutFaults());
  }
}
