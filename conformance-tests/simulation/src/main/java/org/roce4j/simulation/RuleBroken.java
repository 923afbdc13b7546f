package org.roce4j.simulation;

import java.util.EnumMap;
import java.util.Map;

/**
 * A rule was broken: ends the run. The checks of each rule are counted, so that an oracle that is
 * no longer asked is noticed.
 */
final class RuleBroken extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final ThreadLocal<Map<Rule, Long>> CHECKS =
      ThreadLocal.withInitial(() -> new EnumMap<>(Rule.class));

  private final Rule rule;

  RuleBroken(Rule rule, String what) {
    super(what);
    this.rule = rule;
  }

  Rule rule() {
    return rule;
  }

  /** How often this thread has checked each rule. */
  static Map<Rule, Long> checks() {
    return new EnumMap<>(CHECKS.get());
  }

  /** A rule is checked by what follows. */
  static void checks(Rule rule) {
    CHECKS.get().merge(rule, 1L, Long::sum);
  }

  static void require(boolean holds, Rule rule, String what, Object... details) {
    checks(rule);
    if (!holds) {
      throw new RuleBroken(rule, what.formatted(details));
    }
  }
}
