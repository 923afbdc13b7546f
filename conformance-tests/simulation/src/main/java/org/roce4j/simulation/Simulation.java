package org.roce4j.simulation;

import java.nio.file.Path;

/**
 * Runs of random traffic over seeded faults in virtual time. A run uses no thread, socket or clock
 * and depends on its options alone; runs are independent and may go on in parallel.
 */
public final class Simulation {
  private Simulation() {}

  /** Runs what the seed draws. */
  public static SimulationResult run(long seed) {
    return run(SimulationOptions.draw(seed));
  }

  /** Runs these options. */
  public static SimulationResult run(SimulationOptions options) {
    return new Run(options, null).execute();
  }

  /**
   * Runs these options and writes every datagram, as sent, into a capture file (pcap if its name
   * ends so, else pcapng).
   */
  public static SimulationResult run(SimulationOptions options, Path capture) {
    return new Run(options, capture).execute();
  }
}
