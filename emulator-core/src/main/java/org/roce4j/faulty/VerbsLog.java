package org.roce4j.faulty;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts what rules of the verbs can match, calls by name and {@link #COMPLETIONS}, and what they
 * have chosen. Thread-safe.
 */
public final class VerbsLog {
  /** The name under which completions are counted. */
  public static final String COMPLETIONS = "completions";

  private final Map<String, Long> counts = new TreeMap<>();

  private final Map<VerbsRule, Long> chosen = new HashMap<>();

  synchronized void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  synchronized void choose(VerbsRule rule) {
    chosen.merge(rule, 1L, Long::sum);
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
