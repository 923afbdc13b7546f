package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class Roce4jTest extends CommandFixture {
  @Test
  void helpTeachesOnStandardOutput() {
    assertEquals(0, run("--help"));
    assertTrue(out.toString().contains("Examples:"), out.toString());
    assertTrue(out.toString().contains("devices"), out.toString());
    assertEquals("", err.toString());
  }

  @Test
  void versionNamesTheJavaItRunsOn() {
    assertEquals(0, run("--version"));
    assertTrue(out.toString().startsWith("roce4j "), out.toString());
    assertTrue(out.toString().contains("Java 25"), out.toString());
  }

  @Test
  void noCommandIsAWrongCommandLine() {
    assertEquals(2, run());
    assertEquals("roce4j: which command? (roce4j --help explains)", err.toString().strip());
  }

  @Test
  void anUnknownCommandIsOneLine() {
    assertEquals(2, run("pinpong"));
    assertEquals(
        "roce4j: there is no command 'pinpong'; did you mean pingpong? (roce4j --help explains)",
        err.toString().strip());
    assertEquals("", out.toString());
  }

  @Test
  void anUnknownOptionIsNamedWithTheNearestOne() {
    assertEquals(2, run("pingpong", "--itres", "5"));
    assertEquals(
        "roce4j pingpong: there is no option '--itres'; did you mean --iters?"
            + " (roce4j pingpong --help explains)",
        err.toString().strip());
  }

  @Test
  void colourIsLeftOutWhereNobodyWatches() {
    run("--help");
    run("--nonsense");
    assertTrue((out.toString() + err).chars().noneMatch(c -> c == 0x1b));
  }

  /** In a narrow terminal each example still starts where the eye looks for it. */
  @Test
  void aLongExampleContinuesFurtherRight() {
    Roce4j.commandLine().getSubcommands().values().forEach(Roce4jTest::assertExamplesStandOut);
  }

  private static void assertExamplesStandOut(CommandLine command) {
    String help = command.setUsageHelpWidth(60).getUsageMessage();
    String[] lines = help.substring(Math.max(0, help.lastIndexOf("\nExample") + 1)).split("\n");
    List<String> examples = List.of(command.getCommandSpec().usageMessage().footer());
    for (int i = 1; i < lines.length && !examples.isEmpty(); i++) {
      String line = lines[i];
      assertTrue(line.length() <= 60, line);
      assertTrue(
          line.startsWith("    ") || examples.stream().anyMatch(all -> starts(all, line)),
          () -> command.getCommandName() + ": " + line);
    }
  }

  /** A sentence among the examples may continue at the margin. */
  private static boolean starts(String example, String line) {
    return example.startsWith(line) || (!example.startsWith(" ") && example.contains(line));
  }

  /** A setting in the help can be copied: it is on one line, even in a narrow terminal. */
  @Test
  void aSettingInTheHelpIsWhole() {
    int commands = 0;
    for (CommandLine command : Roce4j.commandLine().getSubcommands().values()) {
      if (command.getCommandSpec().optionsMap().containsKey("--set")) {
        commands++;
        for (int width : new int[] {60, 80, 100, 200}) {
          String help = command.setUsageHelpWidth(width).getUsageMessage();
          assertTrue(help.contains("device.roce0.mtu=1024."), help);
          assertTrue(help.contains("roce4j.properties."), help);
        }
      }
    }
    assertTrue(commands > 10, commands + " commands");
  }
}
