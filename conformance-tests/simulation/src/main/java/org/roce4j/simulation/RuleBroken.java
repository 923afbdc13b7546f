package org.roce4j.simulation;

/** A rule was broken: ends the run. */
final class RuleBroken extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Rule rule;

  RuleBroken(Rule rule, String what) {
    super(what);
    this.rule = rule;
  }

  Rule rule() {
    return rule;
  }

  static void require(boolean holds, Rule rule, String what, Object... details) {
    if (!holds) {
      throw new RuleBroken(rule, what.formatted(details));
    }
  }
}
