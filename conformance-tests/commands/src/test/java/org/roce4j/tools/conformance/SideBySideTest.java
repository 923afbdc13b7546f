package org.roce4j.tools.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.run.SuiteReport;
import org.roce4j.tools.CommandRun;

/** Reports are read back and shown side by side. */
class SideBySideTest {
  @TempDir private Path directory;

  private static RowResult result(String id, Verdict verdict, String reason) {
    Row row = new Row(id, "nowhere 1", "what " + id + " says", bench -> {});
    return new RowResult(row, verdict, reason, null);
  }

  private Path saved(String backend, RowResult... results) throws IOException {
    Path file = Files.createTempFile(directory, backend, ".json");
    String text = JsonReport.text(new SuiteReport(backend, "a | b", List.of(results)));
    return Files.writeString(file, text);
  }

  private static String run(int status, String... args) {
    CommandRun run = CommandRun.of(String.join(" ", args));
    assertEquals(status, run.status());
    return run.out() + run.err();
  }

  private void assertHas(String page, String line) {
    assertTrue(page.lines().anyMatch(line::equals), () -> line + "\nis not in\n" + page);
  }

  @Test
  void tellsCountsReasonsAndTheRowsThatDiffer() throws IOException {
    Path good =
        saved(
            "good",
            result("AB-1", Verdict.PASS, ""),
            result("AB-2", Verdict.PASS, ""),
            result("CD-1", Verdict.PASS, ""));
    Path odd =
        saved(
            "odd",
            result("AB-1", Verdict.DEVIATION, "is odd (found 41)"),
            result("AB-2", Verdict.PASS, ""),
            result("CD-1", Verdict.SKIPPED, "cannot tell"));

    String page = run(0, "conformance", "--compare", good + "," + odd);

    assertHas(page, "| good | a \\| b | 3 | 0 | 0 | 0 |");
    assertHas(page, "| odd | a \\| b | 1 | 1 | 1 | 0 |");
    assertHas(page, "| AB | 2 of 2 | 1 of 2 |");
    assertHas(page, "| CD | 1 of 1 | skipped |");
    assertHas(page, "| deviation | is odd | 1 | AB-1 |");
    assertHas(page, "| skipped | cannot tell | 1 | CD-1 |");
    assertHas(page, "| AB-1: what AB-1 says | pass | deviation |");
    assertFalse(page.contains("what AB-2 says"), page);
  }

  @Test
  void partsOfOneBackendAreOneReportInWhichTheLaterRowCounts() throws IOException {
    Path all = saved("whole", result("AB-1", Verdict.PASS, ""), result("AB-2", Verdict.PASS, ""));
    Path first = saved("cut", result("AB-1", Verdict.FAIL, "is odd"));
    Path rest = saved("cut", result("AB-2", Verdict.PASS, ""), result("AB-1", Verdict.PASS, ""));

    String page = run(0, "conformance", "--compare", all + "," + first + "," + rest);

    assertHas(page, "| backend | what it is | passed | deviations | skipped | failed |");
    assertHas(page, "| cut | a \\| b | 2 | 0 | 0 | 0 |");
    assertHas(page, "| table | whole | cut |");
    assertFalse(page.contains("is odd"), page);
  }

  @Test
  void readsBackWhatTheCommandWrote() throws IOException {
    Path file = directory.resolve("fabric.json");
    run(0, "conformance", "--backend", "fabric", "--only", "^STR-", "--json", file.toString());

    SavedReport report = SavedReport.read(file);

    assertEquals("fabric", report.backend());
    assertTrue(report.rows().values().stream().allMatch(row -> row.verdict() == Verdict.PASS));
    assertTrue(report.rows().size() > 70, () -> report.rows().size() + " rows");
  }

  @Test
  void saysWhatIsNoReport() throws IOException {
    UnaryOperator<String> compare =
        text -> {
          try {
            return run(
                2,
                "conformance",
                "--compare",
                Files.writeString(directory.resolve("x.json"), text).toString());
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        };
    for (String text : List.of("", "[]", "{}", "{\"rows\":[{}]}", "{\"rows\":3}")) {
      assertTrue(compare.apply(text).contains("is no report of roce4j conformance"), text);
    }
    assertTrue(run(2, "conformance", "--compare", "/nowhere.json").contains("cannot read"));
  }

  @Test
  void theHardwareBackendNeedsADeviceAndNoOtherTakesOne() {
    String belong = "--backend hardware and --device NAME belong together";
    assertTrue(run(2, "conformance", "--backend", "hardware").contains(belong));
    assertTrue(run(2, "conformance", "--backend", "udp", "--device", "rxe0").contains(belong));
  }
}
