package org.roce4j.tools.explore.search;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.emulator.Faults;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.port.fault.FaultRule;

/**
 * What a program is to survive: a seed, of queue pair numbers, keys and all probabilities, and
 * rules.
 *
 * @param rules of datagrams
 * @param verbs of calls, completions and events
 */
public record Trial(long seed, List<FaultRule> rules, List<VerbsRule> verbs) {
  /** Keeps copies of the rules, in their order. */
  public Trial {
    rules = List.copyOf(rules);
    verbs = List.copyOf(verbs);
  }

  /** With rules of datagrams alone. */
  public Trial(long seed, List<FaultRule> rules) {
    this(seed, rules, List.of());
  }

  /** Rules of both kinds. */
  public int size() {
    return rules.size() + verbs.size();
  }

  /** Behind a plan that is always there. */
  public Faults behind(Faults always) {
    List<FaultRule> packets = new ArrayList<>(always.packets());
    packets.addAll(rules);
    List<VerbsRule> calls = new ArrayList<>(always.verbs());
    calls.addAll(verbs);
    return new Faults(seed, always.links(), packets, calls);
  }

  /** The same rules with another seed. */
  Trial withSeed(long value) {
    return new Trial(value, rules, verbs);
  }

  /**
   * Without the rules from that place to before this; those of the verbs come behind the others.
   */
  Trial without(int from, int to) {
    int own = rules.size();
    return new Trial(
        seed,
        less(rules, Math.min(from, own), Math.min(to, own)),
        less(verbs, Math.max(from - own, 0), Math.max(to - own, 0)));
  }

  private static <T> List<T> less(List<T> all, int from, int to) {
    List<T> left = new ArrayList<>(all);
    left.subList(from, to).clear();
    return left;
  }

  /** With other rules in the place of one. */
  Trial with(int place, List<FaultRule> instead) {
    List<FaultRule> changed = new ArrayList<>(rules);
    changed.remove(place);
    changed.addAll(place, instead);
    return new Trial(seed, changed, verbs);
  }

  /** With another rule of the verbs in the place of one. */
  Trial with(int place, VerbsRule instead) {
    List<VerbsRule> changed = new ArrayList<>(verbs);
    changed.set(place, instead);
    return new Trial(seed, rules, changed);
  }

  /** As {@link Faults#parse} reads it. */
  @Override
  public String toString() {
    return behind(Faults.NONE).toString();
  }
}
