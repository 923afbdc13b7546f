package org.roce4j.tools.explore.search;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultRule;

/**
 * What a program is to survive: a seed, of queue pair numbers, keys and all probabilities, and
 * rules.
 */
public record Trial(long seed, List<FaultRule> rules) {
  /** Keeps a copy of the rules, in their order. */
  public Trial {
    rules = List.copyOf(rules);
  }

  /** Behind rules that are always there. */
  public FaultPlan behind(List<FaultRule> always) {
    List<FaultRule> all = new ArrayList<>(always);
    all.addAll(rules);
    return new FaultPlan(seed, all);
  }

  /** The same rules with another seed. */
  public Trial withSeed(long value) {
    return new Trial(value, rules);
  }

  /** Without the rules from that place to before this. */
  public Trial without(int from, int to) {
    List<FaultRule> left = new ArrayList<>(rules);
    left.subList(from, to).clear();
    return new Trial(seed, left);
  }

  /** With other rules in the place of one. */
  public Trial with(int place, List<FaultRule> instead) {
    List<FaultRule> changed = new ArrayList<>(rules);
    changed.remove(place);
    changed.addAll(place, instead);
    return new Trial(seed, changed);
  }

  /** As {@link FaultPlan#parse} reads it. */
  @Override
  public String toString() {
    return new FaultPlan(seed, rules).toString();
  }
}
