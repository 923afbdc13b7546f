package org.roce4j.faulty;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Counts what rules of the verbs can match, calls by name and {@link #COMPLETIONS}, and what they
 * have chosen; tells which completions they fail. Thread-safe.
 */
public final class VerbsLog {
  /** The name under which completions are counted. */
  public static final String COMPLETIONS = "completions";

  private final Map<String, Long> counts = new TreeMap<>();

  private final Map<VerbsRule, Long> chosen = new HashMap<>();

  /** Takes a sentence for each completion that a rule fails. */
  private final Consumer<String> failures;

  /** A log that counts only. */
  public VerbsLog() {
    this(_ -> {});
  }

  /**
   * @param failures takes a sentence for each completion that a rule fails, in the thread that
   *     polls it
   */
  public VerbsLog(Consumer<String> failures) {
    this.failures = failures;
  }

  synchronized void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  synchronized void choose(VerbsRule rule) {
    chosen.merge(rule, 1L, Long::sum);
  }

  void fail(String sentence) {
    failures.accept(sentence);
  }

  /** How many calls, completions or events a rule has chosen so far. */
  public synchronized long chosenBy(VerbsRule rule) {
    return chosen.getOrDefault(rule, 0L);
  }

  /** The number of each so far. */
  public synchronized Map<String, Long> counts() {
    return Map.copyOf(counts);
  }
}
