package org.roce4j.tools.console;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help.Ansi.Text;

/** Breaks the lines of a help at spaces only, where picocli also breaks names and numbers. */
final class HelpWords {
  private HelpWords() {}

  /**
   * Appends text that starts at one column and continues at another, in lines that end before the
   * margin. A word that is longer than the room has its own line.
   *
   * @param out its last line has {@code at} columns
   */
  static void append(StringBuilder out, int at, Text text, int indent, int margin) {
    int column = at;
    for (Text word : words(text)) {
      int blanks = blanks(word);
      int length = word.plainString().length();
      if (column > indent && column + length > margin) {
        out.append('\n').append(" ".repeat(indent)).append(word.substring(blanks));
        column = indent + length - blanks;
      } else {
        out.append(word);
        column += length;
      }
    }
    out.append('\n');
  }

  /** Each word with the blanks before it. */
  private static List<Text> words(Text text) {
    String plain = text.plainString();
    List<Text> words = new ArrayList<>();
    for (int from = 0; from < plain.length(); ) {
      Text rest = text.substring(from);
      int space = plain.indexOf(' ', from + blanks(rest));
      int end = space < 0 ? plain.length() : space;
      words.add(text.substring(from, end));
      from = end;
    }
    return words;
  }

  private static int blanks(Text text) {
    String plain = text.plainString();
    return plain.length() - plain.stripLeading().length();
  }

  /** Appends lines as they come, each with the indentation that it has. */
  static void append(StringBuilder out, Text[] lines, int more, int margin) {
    for (Text line : lines) {
      int indent = blanks(line);
      out.append(" ".repeat(indent));
      append(out, indent, line.substring(indent), indent == 0 ? 0 : indent + more, margin);
    }
  }
}
