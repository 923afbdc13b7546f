package org.roce4j.benchmarks.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.tools.Roce4j;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.perf.PerfCommand;
import picocli.CommandLine;

@Timeout(120)
class BenchCommandTest {
  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  @EnabledOnOs(OS.LINUX)
  void aPartOfTheTableIsMeasuredPlottedAndInserted() throws IOException {
    Path markdown = directory.resolve("table.md");
    Path html = directory.resolve("table.html");
    Files.writeString(
        markdown, "before\n" + BenchReport.BEGIN + "old" + BenchReport.END + "\nafter");
    int status =
        run(
            "bench --quick --seconds 0.05 --no-pin --only rate --json --markdown "
                + markdown
                + " --html "
                + html);
    assertEquals(0, status, out.toString() + err);
    assertTrue(out.toString().contains("\"section\":\"rate\""), out.toString());
    assertTrue(err.toString().contains("0 of 2 rows (0 %) in "), err.toString());
    String text = Files.readString(markdown);
    assertTrue(text.startsWith("before\n") && text.endsWith("\nafter"), text);
    assertTrue(text.contains("| send_bw, lists of 64 | 64 | ") && !text.contains("old"), text);
    assertTrue(Files.readString(html).contains("<h2>Rate of small messages, RC</h2>"));
  }

  /** The rest of a file that holds a table stands. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void anInterruptionEndsItWithTheRowsSoFar() throws IOException {
    Interruption interruption = new Interruption();
    interruption.request();
    Path markdown = Files.writeString(directory.resolve("table.md"), "as it was");
    CommandLine command = new CommandLine(new BenchCommand(interruption));
    command.setCaseInsensitiveEnumValuesAllowed(true);
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    assertEquals(
        1,
        command.execute(
            "--quick", "--no-pin", "--only", "rate", "--markdown", markdown.toString()));
    assertEquals("interrupted after 0 of 2 rows", out.toString().strip());
    assertEquals("as it was", Files.readString(markdown));
  }

  @Test
  void theFabricIsNoMachine() {
    assertEquals(2, run("bench --transport fabric"));
    assertTrue(err.toString().contains("not the fabric"), err.toString());
  }

  @Test
  void everyRowIsACommandLineThatPerfObeys() {
    for (BenchRow row : BenchTable.rows(false)) {
      List<String> words = new ArrayList<>(row.arguments());
      words.replaceAll(word -> word.replace(',', ' '));
      words.addAll(List.of("-D", "1"));
      PerfCommand.parse(words);
    }
  }

  private int run(String line) {
    return Roce4j.run(
        new PrintWriter(out, true), new PrintWriter(err, true), false, line.split(" "));
  }
}
