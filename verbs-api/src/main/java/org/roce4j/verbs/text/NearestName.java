package org.roce4j.verbs.text;

import java.util.Collection;
import java.util.Optional;

/** Finds the known name that a mistyped one may stand for. */
public final class NearestName {
  private NearestName() {}

  /** The nearest name within a third of the name's length, or within two changes; else empty. */
  public static Optional<String> of(String name, Collection<String> known) {
    int best = Math.max(2, name.length() / 3) + 1;
    String nearest = null;
    for (String candidate : known) {
      int distance = distance(name, candidate);
      if (distance < best) {
        best = distance;
        nearest = candidate;
      }
    }
    return Optional.ofNullable(nearest);
  }

  /**
   * Insertions, deletions, substitutions and swaps of neighbours that lead from one name to the
   * other.
   */
  public static int distance(String from, String to) {
    int[][] cost = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        if (i == 0 || j == 0) {
          cost[i][j] = i + j;
          continue;
        }
        int substituted = cost[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        cost[i][j] = Math.min(substituted, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1)) {
          cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
      }
    }
    return cost[from.length()][to.length()];
  }
}
