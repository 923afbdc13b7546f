package org.roce4j.tools.explore;

import java.util.List;
import java.util.regex.Pattern;
import org.roce4j.port.fault.FaultReport;

/**
 * The outcome of a run.
 *
 * @param failure description of the failure, equal for equal failures; empty: the run passed
 * @param lastLines last lines of its output
 * @param met faults and traffic of the first device
 */
record Outcome(End end, String failure, long tookNs, List<String> lastLines, FaultReport met) {
  enum End {
    PASSED,
    FAILED,
    /** It did not end in time. */
    HUNG,
    /** The user has interrupted the search. */
    STOPPED
  }

  private static final Pattern THROWN =
      Pattern.compile("(Exception in thread .*|[\\w.$]+(Exception|Error)(: .*)?|\"main\" #\\d.*)");

  /** Stack frames outside of the user's code. */
  private static final Pattern FOREIGN = Pattern.compile("\\s+at (org\\.junit\\.|java\\.|jdk\\.)");

  /**
   * The most informative lines: the first exception with its origin, the stack of a main thread
   * that does not end, or else the last lines.
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

  /** Whether another run failed in the same way. */
  boolean sameAs(Outcome other) {
    return end == other.end && failure.equals(other.failure);
  }
}
