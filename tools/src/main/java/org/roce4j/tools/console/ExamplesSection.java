package org.roce4j.tools.console;

import java.util.Locale;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.IHelpSectionRenderer;

/**
 * The examples at the end of a command's help. A line longer than the terminal continues below,
 * further to the right, so that the eye still finds where each example starts.
 */
public final class ExamplesSection implements IHelpSectionRenderer {
  private static final int MORE_INDENT = 4;

  @Override
  public String render(Help help) {
    StringBuilder text = new StringBuilder();
    for (String template : help.commandSpec().usageMessage().footer()) {
      String line = String.format(Locale.ROOT, template);
      String words = line.stripLeading();
      int indent = line.length() - words.length();
      TextTable table =
          TextTable.forColumns(
              help.colorScheme(), new Column(width(help), indent, Column.Overflow.WRAP));
      table.indentWrappedLines = indent == 0 ? 0 : MORE_INDENT;
      table.addRowValues(words);
      text.append(table);
    }
    return text.toString();
  }

  private static int width(Help help) {
    return help.commandSpec().usageMessage().width();
  }
}
