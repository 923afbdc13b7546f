package org.roce4j.port.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.roce4j.options.Quantity;
import org.roce4j.options.RuleText;
import org.roce4j.options.Word;
import org.roce4j.verbs.VerbsException;

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
   * The plan that {@link #toString} prints, or the plan of the file that the text names; rules end
   * with a semicolon or the line.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL, saying what is not understood, with its place
   *     in the file; ENOENT for a file that cannot be read
   */
  public static FaultPlan parse(String text) {
    return of(RuleText.read(text));
  }

  /**
   * The plan of these parts, each in words.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL, saying what is not understood
   */
  public static FaultPlan of(List<List<Word>> parts) {
    long seed = 0;
    List<FaultRule> rules = new ArrayList<>();
    for (List<Word> part : parts) {
      Word word = part.getFirst();
      if (word.key().equals("seed")) {
        seed = seed(part);
      } else if (word.key().equals("links")) {
        throw word.refused(
            Quantity.refuse(
                "%s: this is a plan of one device's datagrams; --faults of the commands and"
                    + " @EmulatedRdma have links",
                word));
      } else {
        rules.addAll(FaultRule.of(part));
      }
    }
    return new FaultPlan(seed, rules);
  }

  private static long seed(List<Word> part) {
    Word word = part.getFirst();
    try {
      if (part.size() > 1) {
        throw Quantity.refuse("%s: behind the seed stands a semicolon or the line ends", word);
      }
      return word.read(Quantity.COUNT::read);
    } catch (VerbsException e) {
      throw word.refused(e);
    }
  }

  /** What the plan does, a sentence a rule. */
  public List<String> explain() {
    return rules.stream().map(Sentence::of).toList();
  }

  @Override
  public String toString() {
    return "seed=" + seed + rules.stream().map(rule -> "; " + rule).collect(Collectors.joining());
  }
}
