package org.roce4j.simulation;

import java.util.EnumMap;
import java.util.Map;
import org.roce4j.verbs.text.Wording;

/**
 * A rule was broken: ends the run. The checks of each rule are counted, so that an oracle that is
 * no longer asked is noticed.
 */
final class RuleBroken extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final OracleRule[] RULES = OracleRule.values();

  /** The number of checks by ordinal of the rule; counted for every packet. */
  private static final ThreadLocal<long[]> CHECKS =
      ThreadLocal.withInitial(() -> new long[RULES.length]);

  private final OracleRule rule;

  RuleBroken(OracleRule rule, String what) {
    super(what);
    this.rule = rule;
  }

  OracleRule rule() {
    return rule;
  }

  /** How often this thread has checked each rule. */
  static Map<OracleRule, Long> checks() {
    long[] counts = CHECKS.get();
    Map<OracleRule, Long> checks = new EnumMap<>(OracleRule.class);
    for (OracleRule rule : RULES) {
      checks.put(rule, counts[rule.ordinal()]);
    }
    return checks;
  }

  /** A rule is checked by the following events. */
  static void checks(OracleRule rule) {
    CHECKS.get()[rule.ordinal()]++;
  }

  static void require(boolean holds, OracleRule rule, String what, Object... details) {
    checks(rule);
    if (!holds) {
      throw new RuleBroken(rule, Wording.of(what, details));
    }
  }
}
