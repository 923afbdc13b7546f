package org.roce4j.broken;

import java.util.Arrays;
import java.util.List;

/**
 * What must notice a broken engine.
 *
 * @param rules it must name each of them: rules of dialogues or of the simulation, or ids of rows
 */
record Catcher(Kind kind, List<String> rules) {
  enum Kind {
    DIALOGUES,
    ROWS,
    SIMULATION
  }

  /** The dialogues that hold one of these rules. */
  static Catcher dialogues(org.roce4j.conformance.Rule... rules) {
    return new Catcher(Kind.DIALOGUES, Arrays.stream(rules).map(Enum::name).toList());
  }

  /** Rows of the specification, on the fabric. */
  static Catcher rows(String... ids) {
    return new Catcher(Kind.ROWS, List.of(ids));
  }

  /** The oracle of simulated runs. */
  static Catcher simulation(org.roce4j.simulation.Rule... rules) {
    return new Catcher(Kind.SIMULATION, Arrays.stream(rules).map(Enum::name).toList());
  }
}
