package org.roce4j.tools.explore;

import java.util.List;
import java.util.regex.Pattern;
import org.roce4j.port.fault.FaultReport;

/**
 * How a run ended.
 *
 * @param failure what is wrong, in words that are the same whenever the same is wrong; empty: it
 *     passed
 * @param lastLines of what it printed
 * @param met what the first device met
 */
record Outcome(End end, String failure, long tookNs, List<String> lastLines, FaultReport met) {
  enum End {
    PASSED,
    FAILED,
    /** It did not end in time. */
    HUNG,
    /** The user wants no more runs. */
    STOPPED
  }

  private static final Pattern THROWN =
      Pattern.compile("(Exception in thread .*|[\\w.$]+(Exception|Error)(: .*)?|\"main\" #\\d.*)");

  /** Frames of a stack that no user has written. */
  private static final Pattern FOREIGN = Pattern.compile("\\s+at (org\\.junit\\.|java\\.|jdk\\.)");

  /**
   * The lines that say most: the first exception and where it came from, where the main thread is
   * that does not end, or the last ones.
   */
  List<String> telling(int count) {
    for (int i = 0; i < lastLines.size(); i++) {
      if (THROWN.matcher(lastLines.get(i)).matches()) {
        return lastLines.stream()
            .skip(i)
            .filter(line -> !FOREIGN.matcher(line).lookingAt())
            .limit(count)
            .toList();
      }
    }
    return lastLines.subList(Math.max(0, lastLines.size() - count), lastLines.size());
  }

  boolean failed() {
    return end == End.FAILED || end == End.HUNG;
  }

  /** Whether the same is wrong; another mistake is another search. */
  boolean sameAs(Outcome other) {
    return end == other.end && failure.equals(other.failure);
  }
}
