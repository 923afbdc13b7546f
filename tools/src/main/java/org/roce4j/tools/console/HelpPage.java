package org.roce4j.tools.console;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntSupplier;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The help of a command. Its lines are broken at spaces only, also in a terminal of 40 columns,
 * whereas picocli assumes at least 55 columns.
 */
public final class HelpPage extends Help {
  private static final int MORE_INDENT = 4;

  /** The indent of the synopsis, whose words may be as long as a line of a narrow terminal. */
  private static final int LITTLE_INDENT = 4;

  private final CommandSpec spec;
  private final IntSupplier columns;

  /** The columns of the terminal; 0 before the first line. */
  private int margin;

  /**
   * @param columns gives the columns of the terminal; 0: as picocli found. Called once, and only by
   *     a page that is printed, because picocli also creates a page for each subcommand.
   */
  public HelpPage(CommandSpec spec, ColorScheme colors, IntSupplier columns) {
    super(spec, colors);
    this.spec = spec;
    this.columns = columns;
  }

  private int margin() {
    if (margin == 0) {
      int found = columns.getAsInt();
      margin = found > 0 ? found : spec.usageMessage().width();
    }
    return margin;
  }

  private String lines(String[] templates, int more) {
    StringBuilder out = new StringBuilder();
    for (String template : templates) {
      HelpWords.append(
          out,
          colorScheme().text(String.format(Locale.ROOT, template)).splitLines(),
          more,
          margin());
    }
    return out.toString();
  }

  @Override
  public String header(Object... params) {
    return lines(spec.usageMessage().header(), 0);
  }

  @Override
  public String description(Object... params) {
    return lines(spec.usageMessage().description(), 0);
  }

  /**
   * The examples. A line longer than the terminal continues below, further to the right, so that
   * the eye still finds where each example starts.
   */
  @Override
  public String footer(Object... params) {
    return lines(spec.usageMessage().footer(), MORE_INDENT);
  }

  @Override
  protected String insertSynopsisCommandName(int headingLength, Text arguments) {
    Text name = colorScheme().commandText(spec.qualifiedName());
    int length = headingLength + name.plainString().length();
    int indent = margin() < HelpTable.NARROW ? LITTLE_INDENT : Math.min(length + 1, margin() / 3);
    StringBuilder out = new StringBuilder();
    HelpWords.append(out, headingLength, name.concat(arguments), indent, margin());
    return out.toString();
  }

  @Override
  public Layout createDefaultLayout(
      List<OptionSpec> options, List<PositionalParamSpec> positionals, ColorScheme colors) {
    HelpTable all = new HelpTable(colors, margin(), 0);
    Layout measuring = new Layout(colors, all);
    measuring.addAllOptions(options, parameterLabelRenderer());
    measuring.addAllPositionalParameters(positionals, parameterLabelRenderer());
    return new Layout(colors, new HelpTable(colors, margin(), all.indent()));
  }

  @Override
  public String commandList(Map<String, Help> commands) {
    int longest = commands.keySet().stream().mapToInt(String::length).max().orElse(0);
    int indent = 2 + longest + 2;
    StringBuilder out = new StringBuilder();
    commands.forEach(
        (name, help) -> {
          String header = String.join(" ", help.commandSpec().usageMessage().header());
          out.append("  ").append(colorScheme().commandText(name));
          out.append(" ".repeat(longest - name.length() + 2));
          HelpWords.append(out, indent, colorScheme().text(header), indent, margin());
        });
    return out.toString();
  }
}
