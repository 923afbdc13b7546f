package org.roce4j.faulty;

import java.util.Map;
import java.util.TreeMap;

/**
 * Counts what rules of the verbs could mean: calls by their names, and {@link #COMPLETIONS}.
 * Thread-safe.
 */
public final class VerbsLog {
  /** The name under which completions are counted. */
  public static final String COMPLETIONS = "completions";

  private final Map<String, Long> counts = new TreeMap<>();

  synchronized void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  /** How often each came so far. */
  public synchronized Map<String, Long> counts() {
    return Map.copyOf(counts);
  }
}
