package org.roce4j.simulation;

/**
 * A rule was broken.
 *
 * @param virtualNs when, on the clock of the fabric
 * @param what happened, for people
 */
public record Violation(Rule rule, long virtualNs, String what) {
  @Override
  public String toString() {
    return "at "
        + virtualNs
        + " ns: "
        + rule
        + " ("
        + rule.sentence()
        + ")"
        + System.lineSeparator()
        + "  "
        + what;
  }
}
