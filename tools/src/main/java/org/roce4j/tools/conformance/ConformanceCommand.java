package org.roce4j.tools.conformance;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.backend.FabricBackend;
import org.roce4j.conformance.backend.HardwareBackend;
import org.roce4j.conformance.backend.PairBackend;
import org.roce4j.conformance.backend.UdpBackend;
import org.roce4j.conformance.error.ErrorDocument;
import org.roce4j.conformance.remote.WireDialogue;
import org.roce4j.conformance.remote.WireDialogues;
import org.roce4j.conformance.run.Suite;
import org.roce4j.conformance.run.SuiteReport;
import org.roce4j.conformance.run.SuiteRun;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.OutputFile;
import org.roce4j.tools.console.ProgressLine;
import org.roce4j.tools.console.Terminal;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code roce4j conformance}. */
@Command(
    name = "conformance",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Hold a backend against the specification's tables, row by row.",
    description = {
      "%nEvery row has an id, its source in docs/specification, and a verdict: passed, failed,"
          + " skipped (why) or deviation (why). Rows that did not simply pass are printed, then the"
          + " counts.",
      "%nExit status: 0 without failures, 1 with, 2 for a wrong command line.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j conformance --backend fabric",
      "  roce4j conformance --backend udp --json report.json --html report.html",
      "  roce4j conformance --backend hardware --device rxe0 --gid-index 1",
      "  roce4j conformance --backend pair --device roce0,rxe0 --gid-index 0,1",
      "      the first device with the second, at the near end and at the far one",
      "  roce4j conformance --serve                    in one terminal, and in another",
      "  roce4j conformance --target 127.0.0.1",
      "  roce4j conformance --compare fabric.json,hardware.json > report.md",
      "  roce4j conformance --list --only QPT-RC      the rows, without running them",
    })
public final class ConformanceCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  private final Interruption interruption;

  /** For the command line. */
  public ConformanceCommand() {
    this(new Interruption());
  }

  /** For a test, which asks for the end. */
  ConformanceCommand(Interruption interruption) {
    this.interruption = interruption;
  }

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "${COMPLETION-CANDIDATES}: what to hold against the rows.")
  private BackendName backendName;

  @Option(
      names = "--addresses",
      paramLabel = "IP",
      split = ",",
      converter = AddressConverter.class,
      defaultValue = "127.0.0.1,127.0.0.2",
      description = "Of the udp backend's two devices (default: ${DEFAULT-VALUE}).")
  private List<InetAddress> addresses;

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      defaultValue = "auto",
      description = "The port of the udp backend: auto, linux or netty.")
  private String transport;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of keys and numbers on the fabric (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      split = ",",
      description =
          "The device of the hardware backend, of those that roce4j devices lists; with --backend"
              + " pair the near and the far end, with a comma.")
  private List<String> devices = List.of();

  @Option(
      names = {"-g", "--gid-index"},
      paramLabel = "N",
      split = ",",
      defaultValue = "0",
      description =
          "Where that device's address stands in its GID table (default: ${DEFAULT-VALUE}); with"
              + " --backend pair two, with a comma, if they differ.")
  private List<Integer> gidIndexes;

  @ArgGroup(exclusive = false, heading = "%nDialogues with a device at an address:%n")
  private TargetOptions target = new TargetOptions();

  @Option(
      names = "--only",
      paramLabel = "PATTERN",
      description = "Rows whose id contains a match of this regular expression.")
  private String only;

  @Option(
      names = {"-v", "--verbose"},
      description = "Print every row as it is done.")
  private boolean verbose;

  @Option(names = "--list", description = "Print the rows; run nothing.")
  private boolean list;

  @Option(
      names = "--error-table",
      description = "Print docs/errors.md, which the rows ERR- hold; run nothing.")
  private boolean errorTable;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the report as JSON.")
  private Path json;

  @Option(names = "--html", paramLabel = "FILE", description = "Write the report as a page.")
  private Path html;

  @Option(
      names = "--from",
      paramLabel = "FILE",
      description = "Run nothing: write the page of a report that --json wrote.")
  private Path from;

  @Option(
      names = "--compare",
      paramLabel = "FILE",
      split = ",",
      description =
          "Run nothing: print reports that --json wrote, side by side, as Markdown. Those of one"
              + " backend, such as of rows that were run apart, become one.")
  private List<Path> compare;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (from != null) {
      demand(html != null, "--from FILE needs --html FILE, where the page is written");
      OutputFile.spare(List.of(from), html);
      OutputFile.write(html, HtmlReport.text(SavedReport.read(from)));
      return 0;
    }
    if (compare != null) {
      out.print(SideBySide.text(compare.stream().map(SavedReport::read).toList()));
      out.flush();
      return 0;
    }
    if (errorTable) {
      out.print(ErrorDocument.markdown());
      out.flush();
      return 0;
    }
    if (target.serve) {
      demand(devices.size() <= 1 && gidIndexes.size() == 1, "--serve has one device");
      target.serve(
          out, transport, devices.isEmpty() ? null : devices.getFirst(), gidIndexes.getFirst());
      return 0;
    }
    if (target.target != null) {
      return targetRun(out);
    }
    List<Row> rows = chosen(Suite.rows(), Row::id);
    if (list) {
      rows.forEach(out::println);
      out.println(rows.size() + " rows");
      out.flush();
      return 0;
    }
    checkBackend();
    return report(out, rows.size(), each -> run(rows, each));
  }

  private void checkBackend() {
    demand(
        backendName != null,
        "which --backend: fabric, udp, hardware or pair? Or --target IP, or --serve");
    demand(
        (backendName == BackendName.HARDWARE) == (devices.size() == 1),
        "--backend hardware and --device NAME belong together");
    demand(
        (backendName == BackendName.PAIR) == (devices.size() == 2),
        "--backend pair and --device NEAR,FAR belong together");
    demand(
        gidIndexes.size() == 1 || gidIndexes.size() == devices.size(),
        "--gid-index takes one, or with --backend pair one for each device");
    demand(
        addresses.size() == 2 && !addresses.get(0).equals(addresses.get(1)),
        "--addresses takes two different ones, with a comma between them");
  }

  private void demand(boolean holds, String otherwise) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }

  private int targetRun(PrintWriter out) {
    List<WireDialogue> dialogues = chosen(WireDialogues.all(), WireDialogue::id);
    if (list) {
      dialogues.forEach(d -> out.println(d.id() + " [" + d.rule().source() + "] " + d.title()));
      out.println(dialogues.size() + " dialogues");
      out.flush();
      return 0;
    }
    return report(out, dialogues.size(), each -> target.run(dialogues, each));
  }

  /** Runs rows and reports them; after Ctrl-C those that were run by then. */
  private int report(PrintWriter out, int rows, Function<Predicate<RowResult>, SuiteReport> run) {
    try (interruption) {
      interruption.begin();
      SuiteReport report = withProgress(rows, run);
      int done = report.results().size();
      print(out, report);
      if (done < rows) {
        out.println(Wording.of("interrupted after %d of %d rows", done, rows));
      }
      if (json != null) {
        OutputFile.write(json, JsonReport.text(report));
      }
      if (html != null) {
        OutputFile.write(html, HtmlReport.text(SavedReport.of(report)));
      }
      out.flush();
      return report.conforms() && done == rows ? 0 : ToolFailure.RUN_TIME;
    }
  }

  private <T> List<T> chosen(List<T> all, Function<T, String> id) {
    if (only == null) {
      return all;
    }
    Pattern pattern;
    try {
      pattern = Pattern.compile(only, Pattern.CASE_INSENSITIVE);
    } catch (PatternSyntaxException e) {
      throw ToolFailure.usage("--only is no regular expression: " + e.getDescription());
    }
    List<T> chosen = all.stream().filter(row -> pattern.matcher(id.apply(row)).find()).toList();
    if (chosen.isEmpty()) {
      throw ToolFailure.usage("no row's id matches " + only + "; --list prints them");
    }
    return chosen;
  }

  private SuiteReport run(List<Row> rows, Predicate<RowResult> each) {
    try (Backend backend = open()) {
      return new SuiteRun(backend).run(rows, each);
    }
  }

  private SuiteReport withProgress(int rows, Function<Predicate<RowResult>, SuiteReport> run) {
    PrintWriter err = spec.commandLine().getErr();
    ProgressLine progress =
        new ProgressLine(err, Terminal.isStderr(), "rows", rows, System.nanoTime());
    int[] done = new int[1];
    try {
      return run.apply(
          result -> {
            progress.update(++done[0], System.nanoTime());
            if (verbose) {
              spec.commandLine().getOut().println(result);
              spec.commandLine().getOut().flush();
            }
            return !interruption.asked();
          });
    } finally {
      progress.end();
    }
  }

  private Backend open() {
    try {
      return switch (backendName) {
        case FABRIC -> new FabricBackend(seed);
        case UDP -> new UdpBackend(transport, addresses.get(0), addresses.get(1));
        case HARDWARE -> HardwareBackend.of(devices.getFirst(), gidIndexes.getFirst());
        case PAIR ->
            new PairBackend(
                Verbs.device(devices.getFirst()),
                gidIndexes.getFirst(),
                Verbs.device(devices.getLast()),
                gidIndexes.getLast());
      };
    } catch (UncheckedIOException e) {
      throw ToolFailure.atRunTime(e.getMessage(), e);
    }
  }

  static void print(PrintWriter out, SuiteReport report) {
    out.println(report.description());
    for (Verdict verdict : new Verdict[] {Verdict.SKIPPED, Verdict.DEVIATION, Verdict.FAIL}) {
      for (RowResult result : report.results()) {
        if (result.verdict() == verdict) {
          out.printf(
              Locale.ROOT,
              "%-9s %s [%s] %s%n          %s%n",
              verdict.name().toLowerCase(Locale.ROOT),
              result.row().id(),
              result.row().source(),
              result.row().title(),
              result.reason());
        }
      }
    }
    out.println(report.summary());
  }

  /** Reads an address literal. */
  static final class AddressConverter implements ITypeConverter<InetAddress> {
    @Override
    public InetAddress convert(String value) {
      try {
        return InetAddress.ofLiteral(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException("'" + value + "' is no IPv4 or IPv6 address");
      }
    }
  }
}
