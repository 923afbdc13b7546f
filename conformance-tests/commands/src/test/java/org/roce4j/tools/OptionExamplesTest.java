package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The example value in the description of an option is valid. */
class OptionExamplesTest {
  private static final Pattern WITH_UNIT =
      Pattern.compile("(?<![\\w.])[0-9]+(?:KiB|MiB|GiB|ns|us|ms|s|min|h)(?!\\w)");

  /** An example value in the description of an option. */
  private record Example(String command, String option, String value) {
    /** Other options and parameters may be missing. */
    boolean taken() {
      try {
        Roce4j.commandLine().parseArgs(command, option, value);
        return true;
      } catch (MissingParameterException e) {
        return true;
      } catch (ParameterException e) {
        return false;
      }
    }

    @Override
    public String toString() {
      return command + " " + option + " " + value;
    }
  }

  @Test
  void aValueWithAUnitIsTaken() {
    List<Example> examples = new ArrayList<>();
    Roce4j.commandLine()
        .getSubcommands()
        .forEach(
            (name, command) ->
                command.getCommandSpec().options().forEach(o -> examples.addAll(of(name, o))));
    assertTrue(examples.size() >= 4, examples::toString);
    List<Example> refused = examples.stream().filter(each -> !each.taken()).toList();
    assertEquals(List.of(), refused);
  }

  private static List<Example> of(String command, OptionSpec option) {
    List<Example> found = new ArrayList<>();
    Matcher values = WITH_UNIT.matcher(String.join(" ", option.description()));
    while (values.find()) {
      found.add(new Example(command, option.longestName(), values.group()));
    }
    return found;
  }
}
