package org.roce4j.simulation;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import org.roce4j.fabric.Fabric;

/** The parts of a run that all others share. It knows none of the others. */
final class World {
  private static final int RECEIVE_BIT = 1;

  final SimulationOptions options;
  final Arena arena;
  final Agenda agenda;
  final WireWitness witness = new WireWitness();
  final RunCounts counts = new RunCounts();

  private final SplittableRandom wrIds;
  private boolean faultsOver;

  World(SimulationOptions options, Arena arena, Fabric fabric, SplittableRandom wrIds) {
    this.options = options;
    this.arena = arena;
    this.agenda = new Agenda(fabric);
    this.wrIds = wrIds;
  }

  /** The faults end: applications do not delay anything on purpose any more. */
  void endFaults() {
    faultsOver = true;
  }

  boolean faultsOver() {
    return faultsOver;
  }

  /** A random wr_id; its lowest bit distinguishes receives from sends. */
  long wrId(boolean receive) {
    long any = wrIds.nextLong();
    return receive ? any | RECEIVE_BIT : any & ~RECEIVE_BIT;
  }

  static boolean isReceive(long wrId) {
    return (wrId & RECEIVE_BIT) != 0;
  }
}
