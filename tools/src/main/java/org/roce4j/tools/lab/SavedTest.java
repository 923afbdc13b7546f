package org.roce4j.tools.lab;

import java.util.List;
import java.util.stream.Collectors;
import org.roce4j.lab.Action;
import org.roce4j.lab.Happening;
import org.roce4j.lab.LabSession;
import org.roce4j.lab.Scenario;

/** A session as the source of a JUnit test: the same actions, and what must happen again. */
final class SavedTest {
  private static final String TEMPLATE =
      """
      import static org.junit.jupiter.api.Assertions.assertEquals;

      import org.junit.jupiter.api.Test;
      import org.roce4j.lab.LabSession;
      import org.roce4j.lab.Scenario;

      /** Saved by {@code roce4j lab}; it needs roce4j-emulator and JUnit. */
      class %s {
        @Test
        void happensAsItWasPlayed() {
          Scenario scenario =
              Scenario.of(%s)
                  .withSeed(%dL)
      %s            .withDevices(%s)
                  .then(
      %s);
          try (LabSession lab = LabSession.of(scenario)) {
            assertEquals(
                \"""
      %s
                \""",
                lab.transcript());
          }
        }
      }
      """;

  private SavedTest() {}

  /** Letters and digits of a title as the name of a class. */
  static String className(String title) {
    String name =
        List.of(title.split("[^A-Za-z0-9]+")).stream()
            .filter(word -> !word.isEmpty())
            .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
            .collect(Collectors.joining());
    return (name.isEmpty() || Character.isDigit(name.charAt(0)) ? "Lab" + name : name) + "Test";
  }

  /** The source of a test that plays what was played. */
  static String of(LabSession lab, String className) {
    Scenario scenario = lab.scenario();
    return TEMPLATE.formatted(
        className,
        quoted(scenario.title()),
        scenario.seed(),
        link(scenario),
        scenario.devices().stream().map(SavedTest::quoted).collect(Collectors.joining(", ")),
        scenario.actions().stream()
            .map(Action::text)
            .map(line -> " ".repeat(16) + quoted(line))
            .collect(Collectors.joining(",\n")),
        lab.happenings().stream()
            .map(Happening::toString)
            .map(line -> " ".repeat(10) + escaped(line))
            .collect(Collectors.joining("\n")));
  }

  /** Nothing for the link that a scenario has anyway. */
  private static String link(Scenario scenario) {
    return scenario.link().equals(Scenario.USUAL_LINK)
        ? ""
        : "            .withLink(" + quoted(scenario.link().toString()) + ")\n";
  }

  private static String quoted(String text) {
    return '"' + escaped(text) + '"';
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }
}
