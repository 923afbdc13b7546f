package org.roce4j.tools.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.error.ErrorDocument;
import org.roce4j.conformance.run.SuiteReport;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.OwnNetwork;

/** The effect of each option of the command, and its output. */
class ConformanceCommandTest {
  private static final String NEAR = OwnNetwork.address(83);
  private static final String FAR = OwnNetwork.address(84);

  @TempDir private Path directory;

  private static RowResult result(String id, Verdict verdict, String reason) {
    return new RowResult(
        new Row(id, "book 1", "what " + id + " says", bench -> {}), verdict, reason, null);
  }

  @Test
  void rowsThatDidNotPassAreToldByVerdict() {
    StringWriter out = new StringWriter();
    ConformanceCommand.print(
        new PrintWriter(out, true),
        new SuiteReport(
            "odd",
            "an odd device",
            List.of(
                result("A-1", Verdict.FAIL, "found 41"),
                result("A-2", Verdict.PASS, ""),
                result("A-3", Verdict.DEVIATION, "is odd"),
                result("A-4", Verdict.SKIPPED, "too long"),
                result("A-5", Verdict.SKIPPED, "not here"))));
    assertEquals(
        """
        an odd device
        skipped   A-4 [book 1] what A-4 says
                  too long
        skipped   A-5 [book 1] what A-5 says
                  not here
        deviation A-3 [book 1] what A-3 says
                  is odd
        fail      A-1 [book 1] what A-1 says
                  found 41
        odd: 5 rows: 1 passed, 1 failed, 2 skipped, 1 deviations
        """,
        out.toString().replace(System.lineSeparator(), "\n"));
  }

  @Test
  void aRunIsToldAndWritten() throws IOException {
    Path json = directory.resolve("r.json");
    Path html = directory.resolve("r.html");
    Path again = directory.resolve("again.html");
    CommandRun run =
        CommandRun.of(
            "conformance --backend fabric --seed 9 --only ref-mr-mw --json %s --html %s"
                .formatted(json, html));
    assertEquals(0, run.status(), run::toString);
    List<String> lines = run.out().lines().toList();
    SavedReport report = SavedReport.read(json);
    int rows = report.rows().size();
    assertTrue(rows > 0);
    assertEquals(
        List.of(
            "emulated devices on a virtual network in virtual time, seed 9",
            "fabric: %d rows: %d passed, 0 failed, 0 skipped, 0 deviations".formatted(rows, rows)),
        lines);
    assertEquals(lines.getFirst(), report.description());
    assertEquals(0, CommandRun.of("conformance --from " + json + " --html " + again).status());
    assertEquals(Files.readString(html), Files.readString(again));
  }

  @Test
  void theReportForProgramsHasTheCounts() {
    String json =
        JsonReport.text(
            new SuiteReport(
                "odd",
                "an odd device",
                List.of(
                    result("A-1", Verdict.FAIL, "found 41"),
                    result("A-2", Verdict.SKIPPED, "is odd"),
                    result("A-3", Verdict.SKIPPED, "is odd"),
                    result("A-4", Verdict.DEVIATION, "is odd"),
                    result("A-5", Verdict.DEVIATION, "is odd"),
                    result("A-6", Verdict.DEVIATION, "is odd"),
                    result("A-7", Verdict.PASS, ""),
                    result("A-8", Verdict.PASS, ""),
                    result("A-9", Verdict.PASS, ""),
                    result("A-10", Verdict.PASS, ""))));
    String counts = "\"passed\":4,\"failed\":1,\"skipped\":2,\"deviations\":3,";
    assertTrue(json.contains(counts), json);
  }

  /** A run cannot always be repeated. */
  @Test
  void aReportIsNotReplacedByItsPage() throws IOException {
    Path json = directory.resolve("r.json");
    CommandRun.of("conformance --backend fabric --only ^STR- --json " + json);
    String before = Files.readString(json);
    CommandRun run = CommandRun.of("conformance --from %s --html %s".formatted(json, json));
    assertEquals(2, run.status(), run::toString);
    assertEquals(before, Files.readString(json));
  }

  @Test
  void theTableOfErrorsIsPrinted() {
    CommandRun run = CommandRun.of("conformance --error-table");
    assertEquals(0, run.status());
    assertEquals(ErrorDocument.markdown(), run.out());
  }

  @Test
  void eachRowIsToldWhenThatIsAskedFor() {
    CommandRun run = CommandRun.of("conformance --backend fabric -v --only ^STR-");
    List<String> lines = run.out().lines().toList();
    String last = lines.getLast();
    assertTrue(last.startsWith("fabric: " + (lines.size() - 2) + " rows: "), run::toString);
    assertTrue(lines.getFirst().contains("STR-"), run::toString);
  }

  @ParameterizedTest
  @CsvSource({"'', rows", "--target 127.0.0.1, dialogues"})
  void theListHasALineForEachAndTheirNumber(String target, String what) {
    String line = "conformance --list --only ^[A-Z]*-R " + target;
    List<String> lines = CommandRun.of(line.strip()).out().lines().toList();
    assertTrue(lines.size() > 1);
    assertEquals(lines.size() - 1 + " " + what, lines.getLast());
    for (String each : lines.subList(0, lines.size() - 1)) {
      assertTrue(each.matches("[A-Z]+-R\\S* .*"), each);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX) // only there is every 127.0.0.0/8 address of this host
  void theBackendOnSocketsHasTheAddressesAndThePortThatAreGiven() {
    CommandRun run =
        CommandRun.of(
            "conformance --backend udp --addresses %s,%s --transport netty --only REF-MR-MW"
                .formatted(OwnNetwork.address(81), OwnNetwork.address(82)));
    assertEquals(0, run.status(), run::toString);
    assertEquals(
        "emulated devices on UDP sockets of %s and %s (port netty)"
            .formatted(OwnNetwork.address(81), OwnNetwork.address(82)),
        run.out().lines().findFirst().orElseThrow());
  }

  /** The server's thread is interrupted at the end, and what it had is free for another. */
  @Test
  @Timeout(120)
  @EnabledOnOs(OS.LINUX)
  void aDeviceIsServedUntilTheEndAndTriedFromElsewhere() throws Exception {
    for (int time = 0; time < 2; time++) {
      StringWriter said = new StringWriter();
      CompletableFuture<CommandRun> served = new CompletableFuture<>();
      String serve = "conformance --serve --transport netty --control-port 0 --bind " + NEAR;
      Thread server = Thread.ofVirtual().start(() -> served.complete(CommandRun.of(serve, said)));
      while (said.toString().lines().count() == 0 || !said.toString().endsWith("\n")) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
      String where = "roce4j emulator on port netty at " + NEAR + ", TCP port ";
      assertTrue(said.toString().startsWith(where), said::toString);
      String port = said.toString().strip().substring(where.length());
      CommandRun run =
          CommandRun.of(
              "conformance --target %s --bind %s --control-port %s --only DLG-PSN-AHEAD"
                  .formatted(NEAR, FAR, port));
      assertEquals(0, run.status(), run::toString);
      assertTrue(run.out().startsWith(NEAR + ": roce4j emulator on port netty"), run::out);
      server.interrupt();
      assertEquals(0, served.get().status());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --only STR-                                | which --backend: fabric, udp, hardware or pair?
          --backend hardware                         | --backend hardware and --device NAME belong together
          --backend fabric --device a                | --backend hardware and --device NAME belong together
          --backend pair --device a                  | --backend hardware and --device NAME belong together
          --backend pair                             | --backend pair and --device NEAR,FAR belong together
          --backend fabric --device a,b              | --backend pair and --device NEAR,FAR belong together
          --backend pair --device a,b -g 0,1,2       | -g takes one, or with --backend pair one for each device
          --backend fabric -g 0,1                    | -g takes one, or with --backend pair one for each device
          --backend udp --addresses 10.0.0.1         | --addresses takes two different ones
          --backend udp --addresses 10.0.0.1,10.0.0.1 | --addresses takes two different ones
          --backend udp --addresses here,there       | 'here' is no IPv4 or IPv6 address
          --backend fabric --only [                  | --only is no regular expression: Unclosed
          --backend fabric --only NO_SUCH_ROW        | no row's id matches NO_SUCH_ROW; --list prints them
          --from r.json                              | --from FILE needs --html FILE
          --serve --device a,b                       | --serve has one device
          --serve --device a -g 1,2                  | --serve has one device
          """)
  void whatIsWrongIsSaidBeforeAnythingRuns(String options, String words) {
    CommandRun run = CommandRun.of("conformance " + options);
    assertEquals(2, run.status(), run::toString);
    assertEquals("", run.out());
    assertTrue(run.err().contains(words), run::err);
  }
}
