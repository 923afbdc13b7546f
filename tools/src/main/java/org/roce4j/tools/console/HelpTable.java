package org.roce4j.tools.console;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;

/**
 * The options or arguments of a command: labels on the left and their meanings on the right, or
 * below in a narrow terminal.
 */
final class HelpTable extends TextTable {
  /** With fewer columns there is too little room beside the labels. */
  static final int NARROW = 70;

  private static final int MOST_RIGHT = 30;
  private static final int BELOW = 10;
  private static final int MORE_INDENT = 2;
  private static final int[] WIDTHS = {2, 2, 1};
  private static final int LABEL = 6;

  private final List<Text[]> rows = new ArrayList<>();
  private final int margin;
  private final int indent;

  /**
   * @param indent where the meanings begin
   */
  HelpTable(ColorScheme colors, int margin, int indent) {
    super(colors, new Column[] {new Column(margin, 0, Column.Overflow.WRAP)});
    this.margin = margin;
    this.indent = indent;
  }

  /** A row of picocli's layout: the mark, the short name, a comma, the long name, the meaning. */
  @Override
  public void addRowValues(Text... row) {
    rows.add(row);
  }

  @Override
  public StringBuilder toString(StringBuilder out) {
    rows.forEach(row -> append(out, row));
    return out;
  }

  /**
   * The column at which the meanings of these rows begin: behind the longest label, ignoring labels
   * that leave too little room.
   */
  int indent() {
    if (margin < NARROW) {
      return BELOW;
    }
    return rows.stream()
        .mapToInt(row -> LABEL + row[WIDTHS.length].plainString().length() + 1)
        .filter(column -> column <= MOST_RIGHT)
        .max()
        .orElse(BELOW);
  }

  private void append(StringBuilder out, Text[] row) {
    int at = 0;
    for (int i = 0; i < WIDTHS.length; i++) {
      int length = row[i].plainString().length();
      out.append(row[i]).append(" ".repeat(WIDTHS[i] - length));
      at += WIDTHS[i];
    }
    Text label = row[WIDTHS.length];
    out.append(' ').append(label);
    at += 1 + label.plainString().length();
    if (at >= indent) {
      out.append('\n');
      at = 0;
    }
    out.append(" ".repeat(indent - at));
    HelpWords.append(out, indent, row[WIDTHS.length + 1], indent + MORE_INDENT, margin);
  }
}
