package org.roce4j.suite;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.simulation.Simulation;
import org.roce4j.simulation.SimulationOptions;
import org.roce4j.simulation.SimulationResult;

/** Simulated runs, judged by the oracle. */
public final class SimulationInside {
  private static final int SEEDS = 36;
  private static final int SEVERAL_PORTS = 6;

  private SimulationInside() {}

  /**
   * The oracle's complaints about the first seeds, until one names this rule. Of three runs one is
   * as drawn; one has no faults, so that not even a retry is excused; one has devices of several
   * engines without steering of packets. The last few runs have devices of several ports.
   */
  public static List<String> complaints(String rule) {
    List<String> complaints = new ArrayList<>();
    for (long seed = 1; seed <= SEEDS; seed++) {
      SimulationResult result = Simulation.run(options(seed));
      if (!result.passed()) {
        complaints.add("seed " + seed + ": " + result.violation());
        if (result.violation().rule().name().equals(rule)) {
          break;
        }
      }
    }
    return complaints;
  }

  private static SimulationOptions options(long seed) {
    if (seed > SEEDS - SEVERAL_PORTS) {
      return SimulationOptions.parse("seed=" + seed + " device-ports=2 datagrams=6 ports=3");
    }
    return switch ((int) (seed % 3)) {
      case 0 -> SimulationOptions.draw(seed);
      case 1 -> SimulationOptions.draw(seed).withoutFaults();
      default -> SimulationOptions.parse("seed=" + seed + " engines=4 unsteered=1");
    };
  }
}
