package org.roce4j.port.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.options.Quantity;
import org.roce4j.options.Word;

/**
 * Faults as data: all rules that choose a datagram apply to it, in their order, until one loses it.
 * The same plan serves a {@link FaultPort} on any port and a network in memory, by one {@link
 * FaultInjector}; the same seed and the same datagrams give the same faults.
 *
 * <p>Written as {@code seed=7; drop nth=3; delay=1ms probability=0.1}; docs/faults.md lists it all.
 *
 * @param seed of all probabilities; each rule draws numbers of its own
 */
public record FaultPlan(long seed, List<FaultRule> rules) {
  /** No faults. */
  public static final FaultPlan NONE = new FaultPlan(0, List.of());

  /** A copy of the rules. */
  public FaultPlan {
    rules = List.copyOf(rules);
  }

  /** These rules in this order. */
  public static FaultPlan of(long seed, FaultRule... rules) {
    return new FaultPlan(seed, List.of(rules));
  }

  /**
   * The plan that {@link #toString} prints; rules end with a semicolon or the line.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL, saying what is not understood
   */
  public static FaultPlan parse(String text) {
    long seed = 0;
    List<FaultRule> rules = new ArrayList<>();
    for (String part : parts(text)) {
      Word word = Word.line(part).getFirst();
      if (word.key().equals("seed")) {
        seed = word.read(Quantity.COUNT::read);
      } else {
        rules.addAll(FaultRule.parse(part));
      }
    }
    return new FaultPlan(seed, rules);
  }

  /** The parts of a plan's text: each ends with a semicolon or the line. */
  public static List<String> parts(String text) {
    return Stream.of(text.split("[;\\n]")).map(String::strip).filter(p -> !p.isEmpty()).toList();
  }

  @Override
  public String toString() {
    return "seed=" + seed + rules.stream().map(rule -> "; " + rule).collect(Collectors.joining());
  }
}
