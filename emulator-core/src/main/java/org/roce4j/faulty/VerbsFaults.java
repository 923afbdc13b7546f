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
 * @param seed seed of all probabilities
 */
public record VerbsFaults(long seed, List<VerbsRule> rules) {
  /** Copies the rules. */
  public VerbsFaults {
    rules = List.copyOf(rules);
  }

  /**
   * Parses a plan, or reads the file that the text names.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL with the word that is not understood and its
   *     place in the file; ENOENT for a file that cannot be read
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
