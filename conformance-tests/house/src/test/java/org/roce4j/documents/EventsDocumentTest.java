package org.roce4j.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.EventType;

/** {@code docs/events.md} has a row for each event, in order, with an existing test. */
class EventsDocumentTest {
  private static final Path TOP = Path.of("..", "..");
  private static final Pattern ROW =
      Pattern.compile("^\\| `(\\w+)` \\|.*\\| `(\\w+)\\.(\\w+)` \\|$", Pattern.MULTILINE);

  @Test
  void everyEventHasARowWithATest() throws IOException {
    List<MatchResult> rows =
        ROW.matcher(Files.readString(TOP.resolve("docs/events.md"))).results().toList();
    assertEquals(
        Arrays.stream(EventType.values()).map(EventType::name).toList(),
        rows.stream().map(row -> row.group(1)).toList());
    for (MatchResult row : rows) {
      String source = source(row.group(2));
      assertTrue(source.contains(" " + row.group(3) + "("), row.group());
      assertTrue(source.contains(row.group(1)), row.group());
    }
  }

  private static String source(String type) throws IOException {
    try (Stream<Path> files = Files.walk(TOP.resolve("conformance-tests"))) {
      Path file =
          files
              .filter(path -> path.endsWith(type + ".java"))
              .filter(path -> !path.toString().contains("/target/"))
              .findFirst()
              .orElseThrow(() -> new AssertionError("there is no " + type));
      return Files.readString(file);
    }
  }
}
