package org.roce4j.faulty;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.options.RuleText;
import org.roce4j.options.Word;
import org.roce4j.port.fault.FaultPlan;

/**
 * A plan of faults at the verbs, in the language of {@link FaultPlan}, and read from the same
 * files.
 *
 * @param seed of all probabilities
 */
public record VerbsFaults(long seed, List<VerbsRule> rules) {
  /** Keeps a copy of the rules, in their order. */
  public VerbsFaults {
    rules = List.copyOf(rules);
  }

  /**
   * The plan of a text, or of the file that it names.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL, saying what is not understood, with its place
   *     in the file; ENOENT for a file that cannot be read
   */
  public static VerbsFaults parse(String text) {
    long seed = 0;
    Word seeded = null;
    List<VerbsRule> rules = new ArrayList<>();
    for (List<Word> part : RuleText.read(text)) {
      if (part.getFirst().key().equals("seed")) {
        seed = FaultPlan.seed(part, seeded);
        seeded = part.getFirst();
      } else {
        rules.add(VerbsRule.of(part));
      }
    }
    return new VerbsFaults(seed, rules);
  }
}
