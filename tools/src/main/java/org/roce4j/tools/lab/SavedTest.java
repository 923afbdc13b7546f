package org.roce4j.tools.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.roce4j.lab.Action;
import org.roce4j.lab.Happening;
import org.roce4j.lab.LabSession;
import org.roce4j.lab.Scenario;
import org.roce4j.verbs.text.Wording;

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
      %s,
                lab.transcript());
          }
        }
      }
      """;

  private static final String INDENT = " ".repeat(10);

  /** The longest text block: a class file takes 65,535 bytes, and a character up to three. */
  private static final int MOST_CHARS = 20_000;

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

  /** The source of a test that plays the same actions. */
  static String of(LabSession lab, String className) {
    Scenario scenario = lab.scenario();
    return Wording.of(
        TEMPLATE,
        className,
        quoted(scenario.title()),
        scenario.seed(),
        link(scenario),
        scenario.devices().stream().map(SavedTest::quoted).collect(Collectors.joining(", ")),
        scenario.actions().stream()
            .map(Action::text)
            .map(line -> " ".repeat(16) + quoted(line))
            .collect(Collectors.joining(",\n")),
        transcript(lab.happenings()));
  }

  /** The expected events as one text, or as several, because a constant has a greatest length. */
  private static String transcript(List<Happening> happenings) {
    List<String> texts = new ArrayList<>();
    StringBuilder lines = new StringBuilder();
    for (Happening each : happenings) {
      String line = INDENT + escaped(each.toString()) + "\n";
      if (lines.length() + line.length() > MOST_CHARS) {
        texts.add(block(lines));
        lines.setLength(0);
      }
      lines.append(line);
    }
    texts.add(lines.isEmpty() ? INDENT + "\"\"" : block(lines));
    return texts.size() == 1
        ? texts.getFirst()
        : INDENT + "String.join(\n" + INDENT + "\"\",\n" + String.join(",\n", texts) + ")";
  }

  private static String block(CharSequence lines) {
    return INDENT + "\"\"\"\n" + lines + INDENT + "\"\"\"";
  }

  /** The line that sets the link; empty for the default link. */
  private static String link(Scenario scenario) {
    return scenario.link().equals(Scenario.USUAL_LINK)
        ? ""
        : "            .withLink(" + quoted(scenario.link().toString()) + ")\n";
  }

  private static String quoted(String text) {
    return '"' + escaped(text) + '"';
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\")
        .replace("\"", "\\\"")
        .replace("\n", "\\n")
        .replace("\r", "\\r");
  }
}
