package org.roce4j.benchmarks.table;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.tools.AddedCommand;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.OutputFile;
import org.roce4j.tools.console.ProgressLine;
import org.roce4j.tools.console.Terminal;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.options.TransportName;
import org.roce4j.tools.perf.LocalPair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code roce4j bench}. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Measure the whole table: throughput, rate, latency, queue pairs, loss.",
    description = {
      "%nRuns roce4j perf between two processes of this machine, one row after the other: SEND,"
          + " WRITE and READ of 64 bytes to 8 MiB, small messages from posted lists, latency by"
          + " polling and by events, 1 to 10,000 queue pairs, 0.1 and 1 %% loss, and the ratios to"
          + " plain UDP.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j bench --quick                           a selection, under two minutes",
      "  roce4j bench --html bench.html                 with charts",
      "  roce4j bench --markdown docs/performance.md    replace the table in that file",
    })
public final class BenchCommand implements AddedCommand {
  private static final long QUICK_BUDGET_NS = 120_000_000_000L;

  private final Interruption interruption;

  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "A selection in under two minutes.")
  private boolean quick;

  @Option(
      names = "--transport",
      paramLabel = "TRANSPORT",
      defaultValue = "auto",
      description = "What carries the packets: linux, netty or auto (default).")
  private TransportName transport;

  @Option(
      names = "--only",
      paramLabel = "SECTION",
      description = "Only these parts: ${COMPLETION-CANDIDATES}.",
      split = ",")
  private List<BenchRow.Section> only = List.of(BenchRow.Section.values());

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long a row is measured (default: 0.8; --quick: 0.3; under loss: 1.5).")
  private Double seconds;

  @Option(names = "--json", description = "Print one JSON object instead of the table.")
  private boolean json;

  @Option(
      names = "--from",
      paramLabel = "FILE",
      description =
          "Measure nothing: take the table that --json printed, for --html or --markdown.")
  private Path from;

  @Option(names = "--html", paramLabel = "FILE", description = "Write a page with charts.")
  private Path html;

  @Option(
      names = "--markdown",
      paramLabel = "FILE",
      description = "Write the table into this file, between its two marks if it has them.")
  private Path markdown;

  @Option(
      names = "--pin",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description = "Tie each process to a processor of its own (default), as perf does.")
  private boolean pin;

  /** Made by picocli. */
  public BenchCommand() {
    this(new Interruption());
  }

  /** Ends with the rows so far when the interruption is asked for. */
  BenchCommand(Interruption interruption) {
    this.interruption = interruption;
  }

  @Override
  public Integer call() {
    if (transport == TransportName.FABRIC) {
      throw new ParameterException(spec.commandLine(), "bench measures a machine, not the fabric");
    }
    if (seconds != null && !(seconds > 0 && seconds <= 60)) {
      throw new ParameterException(spec.commandLine(), "--seconds must be over 0, up to 60");
    }
    try (interruption) {
      return from == null ? measure() : tell(read(from));
    }
  }

  private int measure() {
    List<BenchRow> rows = BenchTable.rows(quick);
    rows = rows.stream().filter(row -> only.contains(row.section())).toList();
    interruption.begin();
    List<BenchRow> done = run(rows);
    if (done.size() == rows.size()) {
      return tell(new BenchReport(about(), done));
    }
    if (!json) {
      PrintWriter out = spec.commandLine().getOut();
      out.println(Wording.of("interrupted after %d of %d rows", done.size(), rows.size()));
      out.flush();
    }
    return ToolFailure.RUN_TIME;
  }

  private int tell(BenchReport report) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.text(report.json()));
    }
    out.flush();
    if (html != null) {
      OutputFile.write(html, BenchPage.text(report));
    }
    if (markdown != null) {
      OutputFile.write(markdown, inserted(report.markdown()));
    }
    return from == null && report.rows().stream().anyMatch(BenchRow::hasFailed) ? 1 : 0;
  }

  /** Returns the rows that were measured: all, unless it is interrupted. */
  private List<BenchRow> run(List<BenchRow> rows) {
    PrintWriter out = spec.commandLine().getOut();
    List<BenchRow> done = new ArrayList<>();
    BenchRow.Section last = null;
    long beginNs = System.nanoTime();
    ProgressLine progress =
        new ProgressLine(
            spec.commandLine().getErr(), Terminal.isStderr(), "rows", rows.size(), beginNs);
    try (LocalPair pair = new LocalPair(pin && LocalPair.mayPin(transport))) {
      for (BenchRow row : rows) {
        if (interruption.asked()) {
          break;
        }
        if (!json && row.section() != last) {
          out.println(row.section().title());
          out.flush();
        }
        last = row.section();
        boolean late = quick && System.nanoTime() - beginNs > QUICK_BUDGET_NS;
        BenchRow result = late ? row.notRun() : measure(pair, row, done.size(), progress);
        progress.end();
        if (interruption.asked()) {
          break; // Ctrl-C has ended the other process
        }
        done.add(result);
        if (!json) {
          out.println(BenchReport.text(result));
          out.flush();
        }
      }
    }
    return done;
  }

  /**
   * Measures a row with a new warm-up: code compiled for another kind of row is not the code that
   * this row needs.
   */
  private BenchRow measure(LocalPair pair, BenchRow row, int done, ProgressLine progress) {
    List<String> words = new ArrayList<>(row.arguments());
    words.replaceAll(word -> word.replace(',', ' '));
    words.addAll(List.of("--transport", transport.toString(), "--patience", "20"));
    double measured = seconds != null ? seconds : row.section().seconds(quick);
    words.addAll(List.of("-D", Double.toString(measured)));
    try {
      long before = SocketDrops.count();
      Map<String, Object> result =
          pair.measure(words, nowNs -> progress.update(done, nowNs), interruption);
      return row.with(result, before < 0 ? -1 : SocketDrops.count() - before);
    } catch (ToolFailure e) {
      return row.failed(e.getMessage());
    } catch (VerbsException e) {
      return row.failed(e.remedy());
    }
  }

  private static BenchReport read(Path file) {
    try {
      return BenchReport.read(Files.readString(file));
    } catch (IOException | IllegalArgumentException e) {
      throw ToolFailure.usage("cannot read " + file + ": " + e.getMessage());
    }
  }

  private Map<String, String> about() {
    Map<String, String> about = new LinkedHashMap<>();
    about.put("transport", LocalPair.chosen(transport));
    about.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
    about.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    about.put("machine", System.getProperty("os.arch"));
    about.put("java", Runtime.version().toString());
    return about;
  }

  private String inserted(String table) {
    try {
      String text = Files.exists(markdown) ? Files.readString(markdown) : "";
      int begin = text.indexOf(BenchReport.BEGIN);
      int end = text.indexOf(BenchReport.END);
      if (begin < 0 || end < begin) {
        return table + "\n";
      }
      return text.substring(0, begin) + table + text.substring(end + BenchReport.END.length());
    } catch (IOException e) {
      throw ToolFailure.atRunTime("cannot read " + markdown + ": " + e.getMessage(), e);
    }
  }
}
