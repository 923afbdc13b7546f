package org.roce4j.conformance;

import java.util.regex.Pattern;

/**
 * One row of a table of the specification.
 *
 * @param id unique and stable, such as {@code QPT-RC-RTR-RTS-REQ-SQ_PSN}
 * @param source section, such as {@code verbs-tables 1.3}
 * @param title the rule, one sentence
 */
public record Row(String id, String source, String title, Check check) {
  private static final Pattern ID = Pattern.compile("[A-Z0-9]+(-[A-Z0-9_]+)+");

  /**
   * An id such as {@code QP-STATE-3}, a source and a title are required; without one an {@link
   * IllegalArgumentException}.
   */
  public Row {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException("no id of a row: " + id);
    }
    if (source.isBlank() || title.isBlank()) {
      throw new IllegalArgumentException(id + " needs a source and a title");
    }
  }

  @Override
  public String toString() {
    return id + " [" + source + "] " + title;
  }
}
