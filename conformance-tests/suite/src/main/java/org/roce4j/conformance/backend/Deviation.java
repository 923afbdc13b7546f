package org.roce4j.conformance.backend;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Rows that a backend is known not to keep. A row that is kept in spite of it fails: the
 * declaration is out of date.
 *
 * @param rows a row id, or a regular expression that matches whole ids
 * @param reason why, with what is deviating (device, driver, version)
 * @param fatal the device does not survive the rows: they are skipped for that reason
 * @param refusal the rows fail because the device refuses a verb with this errno, and for no other
 *     cause; null: for any cause
 */
public record Deviation(String rows, String reason, boolean fatal, Errno refusal) {
  private static final String FATAL = "fatal:";
  private static final Pattern REFUSED = Pattern.compile("refused (E[A-Z]+): .*");

  /**
   * The reason must not be blank and {@code rows} a regular expression, else an {@link
   * IllegalArgumentException}.
   */
  public Deviation {
    if (reason == null || reason.isBlank()) {
      throw new IllegalArgumentException("a deviation needs a reason: " + rows);
    }
    Pattern.compile(rows);
  }

  /** A deviation with any cause. */
  public Deviation(String rows, String reason, boolean fatal) {
    this(rows, reason, fatal, null);
  }

  /** A deviation that the device survives. */
  public Deviation(String rows, String reason) {
    this(rows, reason, false);
  }

  /** Whether it speaks of this row. */
  public boolean concerns(String id) {
    return Pattern.matches(rows, id);
  }

  /** Whether a failure with this cause is the declared deviation. */
  public boolean excuses(Throwable cause) {
    for (Throwable each = cause; refusal != null && each != null; each = each.getCause()) {
      if (each instanceof VerbsException refused) {
        return refused.errno() == refusal;
      }
    }
    return refusal == null;
  }

  /**
   * Reads a list: a line with the reason, then the rows it concerns, indented. Empty lines and
   * those that begin with # say nothing. A reason that begins with {@code fatal:} is fatal; one
   * that begins with {@code refused EOPNOTSUPP:} or another errno is a refusal.
   *
   * @throws IllegalArgumentException if it is no such list, naming the line
   */
  public static List<Deviation> list(String text) {
    List<Deviation> deviations = new ArrayList<>();
    String reason = null;
    for (String line : text.lines().toList()) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (!line.startsWith(" ")) {
        reason = line.strip();
      } else if (reason == null) {
        throw new IllegalArgumentException("rows before a reason: " + line.strip());
      } else {
        boolean fatal = reason.startsWith(FATAL);
        String why = fatal ? reason.substring(FATAL.length()).strip() : reason;
        Matcher refused = REFUSED.matcher(reason);
        Errno refusal = refused.matches() ? Errno.valueOf(refused.group(1)) : null;
        deviations.add(new Deviation(line.strip(), why, fatal, refusal));
      }
    }
    return List.copyOf(deviations);
  }
}
