package org.roce4j.simulation;

/**
 * A broken rule.
 *
 * @param virtualNs when it was broken, ns of the fabric's clock
 * @param what what happened, for messages
 */
public record Violation(OracleRule rule, long virtualNs, String what) {
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
