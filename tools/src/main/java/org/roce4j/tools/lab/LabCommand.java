package org.roce4j.tools.lab;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.roce4j.lab.Happening;
import org.roce4j.lab.LabSession;
import org.roce4j.lab.Scenario;
import org.roce4j.tools.console.LoopbackServer;
import org.roce4j.tools.console.ToolFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j lab}. */
@Command(
    name = "lab",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Play with devices on a virtual network whose time stands still.",
    description = {
      "%nPosts requests, lets packets arrive one by one, loses, delays, copies and damages them,"
          + " and shows what both sides make of it. What is played is a scenario: a file with a"
          + " line for each action, described in docs/lab.md.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j lab                                    a page for a browser of this machine",
      "  roce4j lab docs/lessons/rnr.yaml              the page with a lesson played",
      "  roce4j lab --play docs/lessons/rnr.yaml       print what happens in a lesson",
    })
public final class LabCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description = "A scenario; without one two devices, and nothing done yet.")
  private Path scenario;

  @Option(
      names = "--play",
      paramLabel = "FILE",
      description =
          "Play a scenario and print what happens; the status is 1 if what the file expects does"
              + " not.")
  private Path play;

  @Option(
      names = "--devices",
      paramLabel = "N",
      description = "Devices of a new scenario: 1 to 4, a to d. Default: 2.")
  private Integer devices;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Serve on this port of 127.0.0.1. Default: a free one.")
  private Integer port;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (play != null && scenario != null) {
      throw ToolFailure.usage("give one scenario: to play it here, or for the page");
    }
    if (devices != null && (play != null || scenario != null)) {
      throw ToolFailure.usage("--devices is for a new scenario; the file names its devices");
    }
    if (port != null && play != null) {
      throw ToolFailure.usage("--port is for the page; --play prints what happens");
    }
    if (play != null) {
      play(ScenarioFile.read(play), out);
    } else {
      serve(beginning(), out);
    }
    return 0;
  }

  private ScenarioFile beginning() {
    if (scenario != null) {
      return ScenarioFile.read(scenario);
    }
    Scenario empty = Scenario.of("A lab");
    if (devices == null) {
      return ScenarioFile.of(empty);
    }
    String[] names = {"a", "b", "c", "d"};
    if (devices < 1 || devices > names.length) {
      throw ToolFailure.usage("--devices: %d: a lab has 1 to 4", devices);
    }
    return ScenarioFile.of(empty.withDevices(Arrays.copyOf(names, devices)));
  }

  private void play(ScenarioFile file, PrintWriter out) {
    try (LabSession lab = file.session()) {
      List<String> lines = lab.happenings().stream().map(Happening::toString).toList();
      lines.forEach(out::println);
      out.flush();
      String missing = file.missing(lines);
      if (missing != null) {
        throw ToolFailure.atRunTime(play + ": this was expected and did not happen: " + missing);
      }
    }
  }

  private void serve(ScenarioFile beginning, PrintWriter out) {
    try (LabSession lab = beginning.session();
        LabServer server = new LabServer(lab, port == null ? 0 : port)) {
      out.println(server.address() + " (Ctrl-C ends)");
      out.flush();
      LoopbackServer.untilInterrupted();
    }
  }
}
