package org.roce4j.tools.explore;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.roce4j.emulator.Faults;
import org.roce4j.options.Quantity;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.Terminal;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.explore.search.Trial;
import org.roce4j.tools.options.FaultsConverter;
import org.roce4j.tools.options.OptionRange;
import org.roce4j.verbs.VerbsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j explore}. */
@Command(
    name = "explore",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Search a plan of faults that makes a program fail, and make it small.",
    description = {
      "%nRuns the command without faults, then under one plan after the other: the environment"
          + " names seed and plan (ROCE4J_SEED, ROCE4J_PLAN), which the first device of roce4j that"
          + " the program opens suffers, on sockets and on the virtual network, in a JUnit test"
          + " too. The plans are made of the traffic that the first run has.",
      "%nA run that fails, or does not end, is repeated; then faults are taken away for as long as"
          + " it fails in the same way. What is left is written to a file, with what repeats it."
          + " Ctrl-C prints the smallest so far.",
      "%nExit status: 0 when nothing was found, 1 when a plan was, 2 for a wrong command line, or a"
          + " program that fails without faults or opens no device of roce4j; 130 after Ctrl-C.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j explore -- java -cp target/classes com.example.Server",
      "  roce4j explore --time 60s -- mvn -q test -Dtest=TransferTest",
      "  roce4j explore --test com.example.TransferTest --class-path target/test-classes:...",
      "  roce4j explore --replay explored.yaml -- java -cp target/classes com.example.Server"
    })
public final class ExploreCommand implements Callable<Integer> {
  private static final int MOST_JOBS = 1_000;
  private static final int MOST_STATUS = 255;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "COMMAND",
      arity = "0..*",
      description = "What to run, behind --, so that its options are its own.")
  private List<String> command = List.of();

  @Option(
      names = "--test",
      paramLabel = "TEST",
      description =
          "Instead of a command: a JUnit test, CLASS or CLASS#METHOD, run again and again in one"
              + " JVM, which is much quicker.")
  private String test;

  @Option(
      names = "--class-path",
      paramLabel = "PATH",
      description =
          "Of --test: the classes of the tests and of the program and all jars, as mvn"
              + " dependency:build-classpath prints them.")
  private String classPath;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Plans to try at most. Default: 200; with --time any number.")
  private Integer runs;

  @Option(
      names = "--time",
      paramLabel = "TIME",
      description = "How long to search, such as 60s; what it takes to shrink is added.")
  private String time;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The same seed and traffic give the same plans. Default: drawn from the clock.")
  private Long seed;

  @Option(
      names = "--plan-base",
      paramLabel = "PLAN",
      converter = FaultsConverter.class,
      description = "Rules, or a file of them, that are always there, without faults too.")
  private Faults base = Faults.NONE;

  @Option(
      names = "--verbs",
      description =
          "Faults at the verbs too: calls that are refused, completions that come late or fail,"
              + " events without cause. What a program does then is for it to say:"
              + " --exit-status, or the assertions of a test.")
  private boolean verbs;

  @Option(
      names = "--exit-status",
      paramLabel = "N",
      split = ",",
      description = "What counts as a failure, such as 1,3. Default: all but 0.")
  private Set<Integer> failures = Set.of();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description =
          "A run that takes longer hangs, which is a failure. Default: ten times the run without"
              + " faults, and 10s.")
  private String timeout;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Runs at once. On sockets each needs addresses of its own; on the virtual network none"
              + " meets another. Default: ${DEFAULT-VALUE}.")
  private int jobs;

  @Option(
      names = "--repeats",
      paramLabel = "N",
      defaultValue = "4",
      description = "How often a run that fails is repeated. Default: ${DEFAULT-VALUE}.")
  private int repeats;

  @Option(
      names = "--shrink",
      paramLabel = "N",
      defaultValue = "500",
      description = "Runs at most that look for a smaller plan. Default: ${DEFAULT-VALUE}.")
  private int shrinks;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      defaultValue = "explored.yaml",
      description = "Where the plan that was found goes. Default: ${DEFAULT-VALUE}.")
  private Path output;

  @Option(
      names = "--replay",
      paramLabel = "PLAN",
      converter = FaultsConverter.class,
      description = "Run it under this plan only, as often as --repeats says.")
  private Faults replay;

  @Option(names = "--json", description = "Print the outcome as one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    checkWhatToRun();
    Bounds bounds = bounds();
    long chosen = seed == null ? 1 + System.currentTimeMillis() % 1_000_000 : seed;
    OptionRange.check("--seed", chosen, 1, Integer.MAX_VALUE);
    try (Interruption interruption = new Interruption();
        Runner runner = runner(interruption);
        Trials trials = new Trials(runner, replay == null ? base : replay, bounds.jobs())) {
      interruption.begin();
      if (replay != null) {
        return new Replay(trials, bounds, spec.commandLine().getOut()).run(replay.seed());
      }
      return explore(runner, trials, bounds, chosen, interruption);
    }
  }

  private void checkWhatToRun() {
    Path directory = output.toAbsolutePath().getParent();
    if (!Files.isDirectory(directory)) {
      throw ToolFailure.usage("--output: there is no directory " + directory);
    }
    if (test == null && command.isEmpty()) {
      throw ToolFailure.usage(
          "what to run? Give it behind --, such as -- java -cp . Program, or --test CLASS");
    }
    if (test != null && !command.isEmpty()) {
      throw ToolFailure.usage("--test takes the place of a command: leave out " + command.get(0));
    }
    if ((test == null) != (classPath == null)) {
      throw ToolFailure.usage("--test and --class-path belong together");
    }
    if (test != null && !failures.isEmpty()) {
      throw ToolFailure.usage("--exit-status is about a command: a test fails or passes");
    }
  }

  private Runner runner(Interruption interruption) {
    return test == null
        ? new CommandRunner(command, failures, interruption::asked)
        : new TestRunner(test, classPath, interruption::asked);
  }

  private int explore(
      Runner runner, Trials trials, Bounds bounds, long chosen, Interruption interruption) {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    ExploreReport report =
        new ExploreReport(out, err, Terminal.isStderr(), json, bounds, base, chosen);
    Exploration exploration =
        new Exploration(trials, bounds, chosen, verbs, report, interruption::asked);
    Optional<FaultFinding> found = exploration.run();
    if (found.isPresent()) {
      Trial trial = found.get().trial();
      report.found(found.get(), runner.repeat(trial.behind(base)), output);
      report.packets(packets(runner, trials, trial));
    } else {
      report.nothing(exploration, interruption.asked());
    }
    report.end(exploration);
    return found.isPresent() ? ToolFailure.RUN_TIME : 0;
  }

  /** The pages of packets that the test leaves, from another failing run. */
  private List<Path> packets(Runner runner, Trials trials, Trial trial) {
    if (test == null) {
      return List.of();
    }
    Path directory = Path.of(output.toString().replaceFirst("\\.\\w+$", "") + ".packets");
    runner.keepFiles(directory);
    trials.run(trial);
    return DirectoryTree.files(directory, "packets.html");
  }

  private Bounds bounds() {
    OptionRange.check("--runs", runs == null ? 1 : runs, 1, Integer.MAX_VALUE);
    OptionRange.check("--jobs", jobs, 1, MOST_JOBS);
    OptionRange.check("--repeats", repeats, 0, Integer.MAX_VALUE);
    OptionRange.check("--shrink", shrinks, 0, Integer.MAX_VALUE);
    failures.forEach(status -> OptionRange.check("--exit-status", status, 0, MOST_STATUS));
    long timeNs = time == null ? Long.MAX_VALUE : time("--time", time);
    long timeoutNs = timeout == null ? 0 : time("--timeout", timeout);
    int usual = time == null ? 200 : Integer.MAX_VALUE;
    return new Bounds(runs == null ? usual : runs, timeNs, timeoutNs, jobs, repeats, shrinks);
  }

  private static long time(String option, String text) {
    try {
      return Quantity.TIME.read(text, 1_000_000, Long.MAX_VALUE);
    } catch (VerbsException e) {
      throw ToolFailure.usage("%s=%s: %s", option, text, e.remedy());
    }
  }
}
