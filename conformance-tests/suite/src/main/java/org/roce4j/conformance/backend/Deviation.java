package org.roce4j.conformance.backend;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Rows that a backend is known not to keep. A row that is kept in spite of it fails: the
 * declaration is out of date.
 *
 * @param rows a row id, or a regular expression that matches whole ids
 * @param reason why, with what is deviating (device, driver, version)
 * @param fatal the device does not survive the rows: they are skipped for that reason
 */
public record Deviation(String rows, String reason, boolean fatal) {
  private static final String FATAL = "fatal:";

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

  /** One that the device survives. */
  public Deviation(String rows, String reason) {
    this(rows, reason, false);
  }

  /** Whether it speaks of this row. */
  public boolean concerns(String id) {
    return Pattern.matches(rows, id);
  }

  /**
   * Reads a list: a line with the reason, then the rows it concerns, indented. Empty lines and
   * those that begin with # say nothing. A reason that begins with {@code fatal:} is fatal.
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
        deviations.add(new Deviation(line.strip(), why, fatal));
      }
    }
    return List.copyOf(deviations);
  }
}
