/** Devices under seeded faults, with an oracle beside them. */
module org.roce4j.simulation {
  requires transitive org.roce4j.emulator;

  exports org.roce4j.simulation;
}
