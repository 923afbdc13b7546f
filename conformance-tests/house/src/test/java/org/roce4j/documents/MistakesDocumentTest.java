package org.roce4j.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.FabricBackend;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.table.BadCallTable;
import org.roce4j.conformance.table.BadCallTable.BadCall;
import org.roce4j.verbs.VerbsException;

/** {@code docs/mistakes.md} has every mistake and the program's reaction to it. */
class MistakesDocumentTest {
  private static final Path DOCUMENT = Path.of("..", "..", "docs", "mistakes.md");
  private static final Path WRITTEN = Path.of("target", "mistakes.md");
  private static final int LEAST = 70;

  private static final String PREFACE =
      """
      # Mistakes, and what one is told

      A test makes each of these and writes down what it is told (`MistakesDocumentTest`). Mistakes that are told alike, but for numbers
      and names, stand here once. Addresses and numbers of queue pairs are left out. What a completion in error says,
      [troubleshooting.md](troubleshooting.md) tells.

      ## Connections, messages, settings, commands

      | mistake | errno | what one is told |
      |---|---|---|
      """;

  private static final String VERBS =
      """

      ## Verbs

      The calls are rows `BAD-...` of [conformance.md](conformance.md), on a virtual network.

      | mistake | errno | what one is told |
      |---|---|---|
      """;

  @TempDir Path directory;

  private final Backend backend = new FabricBackend(1);

  private String told(BadCall call) {
    Bench bench = new Bench(backend.open(), backend.capabilities());
    try {
      VerbsException e = assertThrows(VerbsException.class, () -> call.call().accept(bench));
      assertEquals(call.errno(), e.errno(), call::title);
      return e.remedy().replaceAll("0x[0-9a-f]{3,}", "0x...").replace("|", "\\|");
    } finally {
      bench.close();
    }
  }

  /** A sentence without its numbers, names of operations and names of services. */
  private static String kind(String told) {
    return told.replaceAll("0x\\.\\.\\.|0x\\p{XDigit}+|-?\\d+", "#")
        .replaceAll("\\b[A-Z][A-Z_]+\\b", "#");
  }

  @Test
  void theDocumentSaysWhatIsTold() throws IOException {
    StringBuilder text = new StringBuilder(PREFACE);
    Set<String> kinds = new HashSet<>();
    try (FirstDayMistakes day = new FirstDayMistakes(directory)) {
      day.made()
          .forEach(
              (title, told) -> {
                kinds.add(kind(told));
                text.append("| %s | %s |\n".formatted(title, told));
              });
    }
    text.append(VERBS);
    Map<String, BadCall> calls = new LinkedHashMap<>();
    BadCallTable.calls().forEach(call -> calls.putIfAbsent(told(call), call));
    calls.forEach(
        (told, call) -> {
          assertFalse(told.contains("no rule of posting forbids it"), call::title);
          if (kinds.add(kind(told))) {
            text.append("| %s | %s | %s |\n".formatted(call.title(), call.errno(), told));
          }
        });
    Files.createDirectories(WRITTEN.getParent());
    Files.writeString(WRITTEN, text);
    assertTrue(kinds.size() >= LEAST, () -> kinds.size() + " kinds of mistakes");
    assertEquals(
        text.toString(),
        Files.exists(DOCUMENT) ? Files.readString(DOCUMENT) : "",
        "cp conformance-tests/house/" + WRITTEN + " docs/mistakes.md");
  }
}
