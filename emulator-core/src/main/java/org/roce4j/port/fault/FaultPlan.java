package org.roce4j.port.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.roce4j.options.Quantity;
import org.roce4j.options.RuleText;
import org.roce4j.options.Word;
import org.roce4j.verbs.VerbsException;

/**
 * Faults as data. All rules that choose a datagram apply to it, in their order, until one drops it.
 * A {@link FaultInjector} executes the plan, in a {@link FaultPort} around any port or on a virtual
 * network. The same seed and the same datagrams give the same faults.
 *
 * <p>A plan as text: {@code seed=7; drop nth=3; delay=1ms probability=0.1}. docs/faults.md has the
 * whole language.
 *
 * @param seed seed of the random numbers, which each rule draws independently
 */
public record FaultPlan(long seed, List<FaultRule> rules) {
  /** No faults. */
  public static final FaultPlan NONE = new FaultPlan(0, List.of());

  /** Copies the rules. */
  public FaultPlan {
    rules = List.copyOf(rules);
  }

  /** A plan of rules in this order. */
  public static FaultPlan of(long seed, FaultRule... rules) {
    return new FaultPlan(seed, List.of(rules));
  }

  /**
   * Parses a plan as {@link #toString} prints it, or reads the file that the text names. A
   * semicolon or the end of the line ends a rule.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL with the word that is not understood and its
   *     place in the file; ENOENT for a file that cannot be read
   */
  public static FaultPlan parse(String text) {
    return of(RuleText.read(text));
  }

  /**
   * The plan of these parts, each a list of words.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL with the word that is not understood
   */
  public static FaultPlan of(List<List<Word>> parts) {
    long seed = 0;
    Word seeded = null;
    List<FaultRule> rules = new ArrayList<>();
    for (List<Word> part : parts) {
      Word word = part.getFirst();
      if (word.key().equals("seed")) {
        seed = seed(part, seeded);
        seeded = word;
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

  /**
   * The seed that a part says.
   *
   * @param seeded the word that has said one; null: none has
   */
  public static long seed(List<Word> part, Word seeded) {
    Word word = part.getFirst();
    try {
      if (seeded != null) {
        throw Quantity.refuse("%s: the plan has a seed already", word);
      }
      if (part.size() > 1) {
        throw Quantity.refuse("%s: behind the seed stands a semicolon or the line ends", word);
      }
      return word.read(Quantity.COUNT::read);
    } catch (VerbsException e) {
      throw word.refused(e);
    }
  }

  /**
   * Explains the plan, one sentence for each rule, and another for a rule that never has an effect.
   */
  public List<String> explain() {
    return IntStream.range(0, rules.size())
        .mapToObj(
            rule -> Sentence.of(rules.get(rule)) + whyNever(rule).map(why -> " " + why).orElse(""))
        .toList();
  }

  /**
   * Why a rule never has an effect, in a sentence; empty if it may have one.
   *
   * @param rule its place among the rules, from 0
   */
  public Optional<String> whyNever(int rule) {
    FaultRule asked = rules.get(rule);
    if (asked.choice().probability() == 0) {
      return Optional.of("It never happens: its probability is 0.");
    }
    return rules.subList(0, rule).stream()
        .filter(earlier -> earlier.losesAllOf(asked))
        .findFirst()
        .map(earlier -> "It never happens: a rule before it loses them all (" + earlier + ").");
  }

  @Override
  public String toString() {
    return "seed=" + seed + rules.stream().map(rule -> "; " + rule).collect(Collectors.joining());
  }
}
