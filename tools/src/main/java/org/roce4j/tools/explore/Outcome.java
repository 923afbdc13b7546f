package org.roce4j.tools.explore;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.roce4j.port.fault.FaultReport;

/**
 * The outcome of a run.
 *
 * @param failure description of the failure, equal for equal failures; empty: the run passed
 * @param lastLines last lines of its output
 * @param met faults and traffic of the first device
 */
record Outcome(Ending end, String failure, long tookNs, List<String> lastLines, FaultReport met) {
  enum Ending {
    PASSED,
    FAILED,
    /** It did not end in time. */
    HUNG,
    /** The user has interrupted the search. */
    STOPPED
  }

  private static final Pattern THROWN =
      Pattern.compile("(Exception in thread .*|[\\w.$]+(Exception|Error)(: .*)?|\"main\" #\\d.*)");

  /** How Maven begins the lines that say why a build failed. */
  private static final String ERROR = "[ERROR]";

  /** Stack frames outside of the user's code. */
  private static final Pattern FOREIGN =
      Pattern.compile("\\s+at (org\\.junit\\.|org\\.apache\\.maven\\.|java\\.|jdk\\.)");

  /**
   * The most informative lines: the exception that {@code failure} names, with its origin;
   * otherwise the first exception, the stack of a main thread that does not end, the errors of a
   * build, or the last lines.
   */
  List<String> telling(int count) {
    String named = failure.replaceFirst(" in .*", "");
    return from(line -> line.startsWith(named) && THROWN.matcher(line).matches(), count)
        .or(() -> from(line -> THROWN.matcher(line).matches(), count))
        .or(() -> from(line -> line.startsWith(ERROR), count))
        .orElse(lastLines(count));
  }

  private Optional<List<String>> from(Predicate<String> first, int count) {
    List<String> lines =
        lastLines.stream()
            .dropWhile(first.negate())
            .takeWhile(line -> !line.isBlank())
            .filter(line -> !FOREIGN.matcher(line).lookingAt())
            .limit(count)
            .toList();
    return lines.isEmpty() ? Optional.empty() : Optional.of(lines);
  }

  /** The last lines of its output, at most {@code count}. */
  List<String> lastLines(int count) {
    return lastLines.subList(Math.max(0, lastLines.size() - count), lastLines.size());
  }

  boolean failed() {
    return end == Ending.FAILED || end == Ending.HUNG;
  }

  /** Whether another run failed in the same way. */
  boolean sameAs(Outcome other) {
    return end == other.end && failure.equals(other.failure);
  }
}
