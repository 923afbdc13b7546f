package org.roce4j.tools;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.function.IntSupplier;
import org.roce4j.tools.cm.CmtimeCommand;
import org.roce4j.tools.cm.MckeyCommand;
import org.roce4j.tools.cm.RdmaClientCommand;
import org.roce4j.tools.cm.RdmaServerCommand;
import org.roce4j.tools.cm.RdmaXclientCommand;
import org.roce4j.tools.cm.RdmaXserverCommand;
import org.roce4j.tools.cm.RpingCommand;
import org.roce4j.tools.cm.UcmatoseCommand;
import org.roce4j.tools.cm.UdaddyCommand;
import org.roce4j.tools.conformance.ConformanceCommand;
import org.roce4j.tools.console.HelpPage;
import org.roce4j.tools.console.StandardOutput;
import org.roce4j.tools.console.Terminal;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.explore.ExploreCommand;
import org.roce4j.tools.faults.FaultsCommand;
import org.roce4j.tools.inspect.InspectCommand;
import org.roce4j.tools.lab.LabCommand;
import org.roce4j.tools.perf.PerfCommand;
import org.roce4j.tools.pingpong.PingPongCommand;
import org.roce4j.tools.proxy.ProxyCommand;
import org.roce4j.tools.view.ViewCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code roce4j} command. */
@Command(
    name = "roce4j",
    mixinStandardHelpOptions = true,
    versionProvider = ToolVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    header = "Software RDMA devices: RoCEv2 over UDP port 4791, behind the verbs API.",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j pingpong                       two devices of this process play ping-pong",
      "  roce4j pingpong --capture p.pcapng    the same, and keep every packet",
      "  roce4j inspect p.pcapng               say what every packet of a capture is",
      "  roce4j view p.pcapng                  draw it for a browser: ladder and sequence numbers",
      "  roce4j lab --play FILE                step through a scenario, packet by packet",
      "  roce4j faults --explain plan.yaml     say what a plan of faults does",
      "  roce4j explore -- java -cp . Program  search a plan of faults that makes it fail",
      "  roce4j perf write_bw -s 65536         bandwidth between two processes of this machine",
      "  roce4j devices                        list the devices and their addresses",
      "  roce4j top                            watch the queue pairs of running processes",
      "  roce4j explain REM_ACCESS_ERR         say what an error means and where to look",
      "  roce4j conformance --backend udp      hold the devices against the specification",
      "  roce4j simulate --seeds 100           random traffic over seeded faults, judged by an"
          + " oracle",
      "  roce4j help pingpong                  explain a command",
      "",
      "Exit status: 0 done, 1 failed while running or output lost, 2 wrong command line or setting,"
          + " 130 ended by Ctrl-C, 143 by SIGTERM."
    },
    subcommands = {
      PingPongCommand.class,
      PerfCommand.class,
      RpingCommand.class,
      RdmaServerCommand.class,
      RdmaClientCommand.class,
      RdmaXserverCommand.class,
      RdmaXclientCommand.class,
      UcmatoseCommand.class,
      UdaddyCommand.class,
      MckeyCommand.class,
      CmtimeCommand.class,
      InspectCommand.class,
      ViewCommand.class,
      LabCommand.class,
      FaultsCommand.class,
      ProxyCommand.class,
      ExploreCommand.class,
      DevicesCommand.class,
      DevinfoCommand.class,
      DoctorCommand.class,
      ExplainCommand.class,
      StatsCommand.class,
      TopCommand.class,
      ConformanceCommand.class,
      SimulateCommand.class,
      CommandLine.HelpCommand.class
    })
public final class Roce4j implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Print the stack trace of a failure.")
  private boolean debug;

  private Roce4j() {}

  /** Runs the command and exits with its status. */
  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT); // programs read the numbers, too
    StandardOutput stdout = new StandardOutput(new FileOutputStream(FileDescriptor.out));
    PrintWriter out = new PrintWriter(stdout, false, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int status = run(out, err, Terminal.isStdout() && Terminal.isStderr(), args);
    err.flush();
    System.exit(status == 0 && stdout.isLost() ? ToolFailure.RUN_TIME : status);
  }

  /** The command with its subcommands and those that other modules add. */
  static CommandLine commandLine() {
    return commandLine(() -> 0);
  }

  /**
   * As {@link #commandLine()}.
   *
   * @param columns gives the columns of the terminal, for the help; 0: as picocli finds
   */
  static CommandLine commandLine(IntSupplier columns) {
    CommandLine commandLine = new CommandLine(new Roce4j());
    ServiceLoader.load(AddedCommand.class).forEach(commandLine::addSubcommand);
    return commandLine.setHelpFactory((spec, colors) -> new HelpPage(spec, colors, columns));
  }

  /**
   * Runs the command in this process, which may run another when it has returned.
   *
   * @param colour whether help and messages may be coloured
   * @return the exit status
   */
  public static int run(PrintWriter out, PrintWriter err, boolean colour, String... args) {
    CommandLine commandLine = commandLine(Terminal::fewColumns);
    Roce4j root = commandLine.getCommand();
    FailureLine failures = new FailureLine(() -> root.debug);
    commandLine
        .setOut(out)
        .setErr(err)
        .setColorScheme(CommandLine.Help.defaultColorScheme(colour ? Ansi.ON : Ansi.OFF))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setAbbreviatedOptionsAllowed(false)
        .setUsageHelpAutoWidth(true)
        .setExecutionStrategy(parsed -> last(parsed, failures))
        .setParameterExceptionHandler(failures::usage)
        .setExecutionExceptionHandler(failures::execution);
    try {
      int status = commandLine.execute(args);
      out.flush();
      return status;
    } catch (ToolFailure | Error e) {
      return failures.report(commandLine, e, List.of(args));
    }
  }

  /** Runs the command that was named; help that cannot be printed is a failure like any other. */
  private static int last(ParseResult parsed, FailureLine failures) {
    try {
      return new RunLast().execute(parsed);
    } catch (ToolFailure e) {
      return failures.report(parsed.commandSpec().commandLine(), e, parsed.originalArgs());
    }
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which command?");
  }
}
