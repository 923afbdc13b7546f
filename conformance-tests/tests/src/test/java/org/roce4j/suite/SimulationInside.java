package org.roce4j.suite;

import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.roce4j.simulation.Simulation;
import org.roce4j.simulation.SimulationOptions;
import org.roce4j.simulation.SimulationResult;

/** Simulated runs with the oracle beside them. */
public final class SimulationInside {
  private SimulationInside() {}

  /** What the oracle says of the first so many seeds, until it objects. */
  public static List<String> complaints(String seeds) {
    return complaints(Long.parseLong(seeds), SimulationOptions::draw);
  }

  static List<String> complaints(long seeds, LongFunction<SimulationOptions> options) {
    return LongStream.rangeClosed(1, seeds)
        .mapToObj(options)
        .map(Simulation::run)
        .filter(result -> !result.passed())
        .limit(1)
        .map(SimulationInside::complaint)
        .toList();
  }

  private static String complaint(SimulationResult result) {
    return "seed " + result.options().seed() + ": " + result.violation();
  }
}
