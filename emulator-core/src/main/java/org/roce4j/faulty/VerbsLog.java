package org.roce4j.faulty;

import java.util.Map;
import java.util.TreeMap;

/**
 * Counts what rules of the verbs can match: calls by name, and {@link #COMPLETIONS}. Thread-safe.
 */
public final class VerbsLog {
  /** The name under which completions are counted. */
  public static final String COMPLETIONS = "completions";

  private final Map<String, Long> counts = new TreeMap<>();

  synchronized void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  /** The number of each so far. */
  public synchronized Map<String, Long> counts() {
    return Map.copyOf(counts);
  }
}
