package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The help of every command in terminals of several widths: every word is whole. */
class HelpWidthTest {
  private static final int ENDLESS = 10_000;

  @ParameterizedTest
  @ValueSource(ints = {40, 45, 50, 55, 60, 70, 80, 120})
  void noWordIsCutAndNoLineIsTooLong(int width) {
    List<CommandLine> narrow = commands(width);
    List<CommandLine> wide = commands(ENDLESS);
    for (int i = 0; i < narrow.size(); i++) {
      String help = narrow.get(i).getUsageMessage();
      String name = narrow.get(i).getCommandName() + " in " + width + " columns:\n";
      assertEquals(words(wide.get(i).getUsageMessage()), words(help), name);
      help.lines()
          .filter(line -> line.length() > width)
          .forEach(line -> assertTrue(isWord(line.strip()), name + line));
    }
    assertTrue(narrow.size() > 25, narrow.size() + " commands");
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 80})
  void noLineEndsWithBlanks(int width) {
    for (CommandLine command : commands(width)) {
      command.getUsageMessage().lines().forEach(line -> assertEquals(line.stripTrailing(), line));
    }
  }

  private static List<CommandLine> commands(int width) {
    CommandLine root = Roce4j.commandLine(() -> width);
    return Stream.concat(Stream.of(root), root.getSubcommands().values().stream()).toList();
  }

  /** A label and its meaning may be beside or below each other. */
  private static List<String> words(String help) {
    return List.of(help.strip().split("\\s+"));
  }

  private static boolean isWord(String line) {
    return !line.contains(" ");
  }
}
