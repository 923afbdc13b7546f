package org.roce4j.backend;

import java.util.regex.Pattern;

/**
 * Rows that a backend is known not to keep. A row that is kept in spite of it fails: the
 * declaration is out of date.
 *
 * @param rows a row id, or a regular expression that matches whole ids
 * @param reason why, with what is deviating (device, driver, version)
 */
public record Deviation(String rows, String reason) {
  public Deviation {
    if (reason == null || reason.isBlank()) {
      throw new IllegalArgumentException("a deviation needs a reason: " + rows);
    }
    Pattern.compile(rows);
  }

  /** Whether it speaks of this row. */
  public boolean concerns(String id) {
    return Pattern.matches(rows, id);
  }
}
