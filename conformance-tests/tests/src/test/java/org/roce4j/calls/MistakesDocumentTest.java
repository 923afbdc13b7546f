package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.FabricBackend;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.table.BadCallTable;
import org.roce4j.conformance.table.BadCallTable.BadCall;
import org.roce4j.verbs.VerbsException;

/** {@code docs/mistakes.md}: every bad call of the table is made, and what it says is written. */
class MistakesDocumentTest {
  private static final Path DOCUMENT = Path.of("..", "..", "docs", "mistakes.md");
  private static final Path WRITTEN = Path.of("target", "mistakes.md");
  private static final int LEAST = 70;

  private static final String PREFACE =
      """
      # Mistakes, and what one is told

      A test makes each of these calls on a virtual network and writes down what it says (`MistakesDocumentTest`; the calls are the rows
      `BAD-...` of [conformance.md](conformance.md)). Calls that say the same stand here once. Addresses and numbers of queue pairs are
      left out. What a completion in error says, [troubleshooting.md](troubleshooting.md) tells.

      | mistake | errno | what one is told |
      |---|---|---|
      """;

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

  @Test
  void theDocumentSaysWhatTheDevicesSay() throws IOException {
    Map<String, BadCall> calls = new LinkedHashMap<>();
    BadCallTable.calls().forEach(call -> calls.putIfAbsent(told(call), call));
    StringBuilder text = new StringBuilder(PREFACE);
    calls.forEach(
        (told, call) -> {
          assertFalse(told.contains("no rule of posting forbids it"), call::title);
          text.append("| %s | %s | %s |\n".formatted(call.title(), call.errno(), told));
        });
    Files.createDirectories(WRITTEN.getParent());
    Files.writeString(WRITTEN, text);
    assertTrue(calls.size() >= LEAST, () -> calls.size() + " mistakes");
    assertEquals(
        text.toString(),
        Files.exists(DOCUMENT) ? Files.readString(DOCUMENT) : "",
        "cp conformance-tests/tests/" + WRITTEN + " docs/mistakes.md");
  }
}
