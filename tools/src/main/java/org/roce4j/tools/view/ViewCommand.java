package org.roce4j.tools.view;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.roce4j.tools.console.OutputFile;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.lab.ScenarioFile;
import org.roce4j.wire.view.View;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j view}. */
@Command(
    name = "view",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Draw a capture: ladder diagram, sequence numbers over time, every header field.",
    description = {
      "%nReads one capture, or one of each end of the same traffic, of roce4j, tcpdump, dumpcap or"
          + " Wireshark, and writes one page that any browser shows without a network. With both"
          + " ends it tells which packets were lost, and how long the others took.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j view p.pcapng                              writes p.html beside it",
      "  roce4j view client.pcapng server.pcapng --html both.html",
      "  roce4j view p.pcapng p.jfr                        with requests and completions",
      "  roce4j view docs/lessons/rnr.yaml                 a lesson",
      "  roce4j view --serve p.pcapng                      for a browser of this machine",
      "  roce4j view p.pcapng --log events.json            the events, for other programs",
    })
public final class ViewCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description =
          "A pcap or pcapng file, or one of each end, and recordings of the flight recorder (.jfr)"
              + " with requests and completions; or a scenario of roce4j lab, which is played.")
  private List<Path> files;

  /** The flight recordings among the files. */
  private List<Path> beside = List.of();

  @ArgGroup private Destination destination;

  private static final class Destination {
    @Option(
        names = "--html",
        paramLabel = "OUT",
        description = "Write the page there; else beside the first FILE, with the ending .html.")
    private Path html;

    @Option(
        names = "--serve",
        arity = "0..1",
        fallbackValue = "0",
        preprocessor = PortOrFile.class,
        paramLabel = "PORT",
        description =
            "Serve the page on 127.0.0.1, on this port or on a free one, until Ctrl-C; the files"
                + " are read again whenever the page is loaded.")
    private Integer serve;
  }

  /** The word after {@code --serve} is a port, or the first file. */
  static final class PortOrFile implements IParameterPreprocessor {
    @Override
    public boolean preprocess(
        Stack<String> words, CommandSpec command, ArgSpec option, Map<String, Object> how) {
      boolean attached = !" ".equals(how.get("separator"));
      if (!attached && !words.isEmpty() && !words.peek().matches("-?\\d+")) {
        words.push(((OptionSpec) option).fallbackValue());
      }
      return false;
    }
  }

  @Option(
      names = "--log",
      paramLabel = "OUT",
      description =
          "Write the events as JSON, described in docs/view.md; then no page is written"
              + " unless --html asks for it.")
  private Path log;

  @Override
  public Integer call() {
    files.forEach(ViewCommand::check);
    List<Path> recordings = files.stream().filter(FlightRecording::isNamed).toList();
    files = files.stream().filter(file -> !FlightRecording.isNamed(file)).toList();
    if (files.isEmpty() || files.size() > 2) {
      throw ToolFailure.usage("give one capture, or one of each end");
    }
    if (files.size() == 2 && OutputFile.isSame(files.getFirst(), files.getLast())) {
      throw ToolFailure.usage(
          files.getLast() + " is given twice: give one capture, or one of each end");
    }
    beside = recordings;
    spareWhatIsRead();
    PrintWriter out = spec.commandLine().getOut();
    View view = read();
    if (log != null) {
      OutputFile.write(log, view::writeLog);
      out.println(log + ": events of " + view.size() + " packets");
    }
    if (destination != null && destination.serve != null) {
      PageServer.serve(destination.serve, () -> read().page(), out);
    } else if (log == null || destination != null) {
      OutputFile.write(page(), view::writePage);
      out.println(page() + ": " + view.size() + " packets");
    }
    view.summaries().forEach(out::println);
    out.flush();
    return 0;
  }

  private Path page() {
    return destination == null ? beside(files.getFirst()) : destination.html;
  }

  private void spareWhatIsRead() {
    List<Path> read = Stream.concat(files.stream(), beside.stream()).toList();
    if (log != null) {
      OutputFile.spare(read, log);
    }
    if (page() != null && (log == null || destination != null)) {
      OutputFile.spare(read, page());
    }
  }

  /** {@code p.html} beside {@code p.pcapng}. */
  public static Path beside(Path capture) {
    String name = capture.getFileName().toString().replaceFirst("\\.(pcapng|pcap|cap|ya?ml)$", "");
    return capture.resolveSibling(name + ".html");
  }

  private static void check(Path file) {
    if (!Files.exists(file)) {
      throw ToolFailure.usage("there is no file " + file);
    }
    if (Files.isDirectory(file) || !Files.isReadable(file)) {
      throw ToolFailure.usage(
          file + (Files.isDirectory(file) ? " is a directory" : " may not be read"));
    }
  }

  private View read() {
    files.forEach(ViewCommand::check);
    if (files.size() == 1 && ScenarioFile.isNamed(files.getFirst())) {
      return ScenarioFile.read(files.getFirst()).view();
    }
    try {
      View view = View.read(files, List.of());
      for (Path recording : beside) {
        view = view.with(FlightRecording.read(recording));
      }
      return view;
    } catch (IOException e) {
      throw ToolFailure.usage("cannot read the capture: " + e.getMessage());
    }
  }
}
