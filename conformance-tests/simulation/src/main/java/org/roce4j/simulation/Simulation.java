package org.roce4j.simulation;

import java.nio.file.Path;

/**
 * Runs random traffic over seeded faults in virtual time. A run uses no thread, socket or clock,
 * and depends on its options alone. Runs are independent and may be parallel.
 */
public final class Simulation {
  private Simulation() {}

  /** Runs the options that the seed draws. */
  public static SimulationResult run(long seed) {
    return run(SimulationOptions.draw(seed));
  }

  /** Runs these options. */
  public static SimulationResult run(SimulationOptions options) {
    return new Run(options, null).execute();
  }

  /**
   * Runs these options and captures every datagram as it was sent: pcap if the file's name ends in
   * {@code .pcap}, else pcapng.
   */
  public static SimulationResult run(SimulationOptions options, Path capture) {
    return new Run(options, capture).execute();
  }
}
