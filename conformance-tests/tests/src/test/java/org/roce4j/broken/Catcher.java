package org.roce4j.broken;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.roce4j.conformance.Rule;
import org.roce4j.simulation.OracleRule;

/**
 * The tests that must notice a broken engine.
 *
 * @param rules the rules that must be named: rules of dialogues or of the simulation, or ids of
 *     rows
 * @param words regular expression that the complaint must match, because several oracles hold one
 *     rule
 */
record Catcher(Kind kind, List<String> rules, String words) {
  enum Kind {
    DIALOGUES,
    ROWS,
    SIMULATION
  }

  private Catcher(Kind kind, List<String> rules) {
    this(kind, rules, "");
  }

  /** This catcher with the regular expression that its complaint must match. */
  Catcher saying(String regex) {
    return new Catcher(kind, rules, regex);
  }

  /** Whether a complaint names a rule in the expected words. */
  boolean isMetBy(String rule, String complaint) {
    return Pattern.compile("\\b" + rule + "\\b").matcher(complaint).find()
        && Pattern.compile(words).matcher(complaint).find();
  }

  /** The dialogues that hold one of these rules. */
  static Catcher dialogues(Rule... rules) {
    return new Catcher(Kind.DIALOGUES, Arrays.stream(rules).map(Enum::name).toList());
  }

  /** Rows of the specification, on the fabric. */
  static Catcher rows(String... ids) {
    return new Catcher(Kind.ROWS, List.of(ids));
  }

  /** The oracle of simulated runs, with these rules. */
  static Catcher simulation(OracleRule... rules) {
    return new Catcher(Kind.SIMULATION, Arrays.stream(rules).map(Enum::name).toList());
  }
}
