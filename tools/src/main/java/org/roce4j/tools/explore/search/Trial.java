package org.roce4j.tools.explore.search;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.emulator.Faults;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.port.fault.FaultRule;

/**
 * The conditions of one run: rules, and a seed for queue pair numbers, keys and all probabilities.
 *
 * @param rules rules for datagrams
 * @param verbs rules for calls, completions and events
 */
public record Trial(long seed, List<FaultRule> rules, List<VerbsRule> verbs) {
  /** Copies the rules. */
  public Trial {
    rules = List.copyOf(rules);
    verbs = List.copyOf(verbs);
  }

  /** A trial with rules for datagrams only. */
  public Trial(long seed, List<FaultRule> rules) {
    this(seed, rules, List.of());
  }

  /** The number of rules of both kinds. */
  public int size() {
    return rules.size() + verbs.size();
  }

  /** A plan of the base plan's rules followed by this trial's. */
  public Faults behind(Faults always) {
    List<FaultRule> packets = new ArrayList<>(always.packets());
    packets.addAll(rules);
    List<VerbsRule> calls = new ArrayList<>(always.verbs());
    calls.addAll(verbs);
    return new Faults(seed, always.links(), packets, calls);
  }

  /** This trial with another seed. */
  Trial withSeed(long value) {
    return new Trial(value, rules, verbs);
  }

  /**
   * This trial without the rules from index {@code from} to before {@code to}, where rules of the
   * verbs follow the others.
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

  /** This trial with one rule replaced by others. */
  Trial with(int place, List<FaultRule> instead) {
    List<FaultRule> changed = new ArrayList<>(rules);
    changed.remove(place);
    changed.addAll(place, instead);
    return new Trial(seed, changed, verbs);
  }

  /** This trial with one rule of the verbs replaced. */
  Trial with(int place, VerbsRule instead) {
    List<VerbsRule> changed = new ArrayList<>(verbs);
    changed.set(place, instead);
    return new Trial(seed, rules, changed);
  }

  /** The text that {@link Faults#parse} reads. */
  @Override
  public String toString() {
    return behind(Faults.NONE).toString();
  }
}
