package org.roce4j.tools.explore;

import java.util.List;
import org.roce4j.emulator.Faults;
import org.roce4j.tools.console.Json;
import org.roce4j.verbs.text.Wording;

/** A plan that makes the program fail, as a plan file and as an annotation. */
final class FoundPlan {
  private FoundPlan() {}

  /**
   * The text of a file for {@code roce4j faults} and {@code ROCE4J_PLAN}. Comments hold the facts
   * that are not part of a plan.
   *
   * @param repeat command that repeats the failure
   */
  static String yaml(Faults plan, FaultFinding finding, String repeat) {
    StringBuilder text = new StringBuilder();
    text.append("# Found by roce4j explore: ").append(finding.how()).append("\n# Repeat it:\n");
    repeat.lines().forEach(line -> text.append("#   ").append(line).append('\n'));
    text.append("# In a JUnit test:\n#   ").append(annotation(plan)).append('\n');
    text.append("description: ").append(Json.text(sentences(plan))).append('\n');
    text.append("seed: ").append(plan.seed()).append('\n');
    List<String> rules = rules(plan);
    text.append(rules.isEmpty() ? "rules: []\n" : "rules:\n");
    rules.forEach(rule -> text.append("  - ").append(rule).append('\n'));
    return text.toString();
  }

  /** The rules without the seed. */
  private static List<String> rules(Faults plan) {
    List<String> parts = List.of(plan.toString().split("; "));
    return parts.subList(1, parts.size());
  }

  static String sentences(Faults plan) {
    List<String> all = plan.explain();
    return all.isEmpty() ? "No fault: the seed is enough." : String.join(" ", all);
  }

  static String annotation(Faults plan) {
    String rules = String.join("; ", rules(plan));
    return rules.isEmpty()
        ? Wording.of("@EmulatedRdma(seed = %d)", plan.seed())
        : Wording.of("@EmulatedRdma(seed = %d, faults = \"%s\")", plan.seed(), rules);
  }
}
