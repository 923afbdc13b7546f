package org.roce4j.tools.console;

import java.util.ArrayList;
import java.util.List;

/** Text in a column: its lines end before the margin, and each begins where the first does. */
public final class Columns {
  /** With less room than this a column is left to the terminal. */
  private static final int LEAST = 30;

  private Columns() {}

  /**
   * A line, or several if it is wider than the margin. Lines are broken at spaces only.
   *
   * @param start the first line up to the column
   * @param text text of the column, without line breaks
   * @param margin number of columns of the terminal; 0 or less: no margin
   */
  public static String wrapped(String start, String text, int margin) {
    int room = margin - start.length();
    if (room < LEAST) {
      return start + text;
    }
    List<String> lines = new ArrayList<>();
    String rest = text;
    while (rest.length() > room) {
      int space = rest.lastIndexOf(' ', room);
      if (space < 0) {
        space = rest.indexOf(' ');
      }
      if (space < 0) {
        break;
      }
      lines.add(rest.substring(0, space));
      rest = rest.substring(space + 1);
    }
    lines.add(rest);
    return start + String.join("\n" + " ".repeat(start.length()), lines);
  }
}
