package org.roce4j.tools.lab;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.roce4j.lab.Happening;
import org.roce4j.lab.LabSession;
import org.roce4j.tools.console.ToolFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
      "  roce4j lab --play docs/lessons/rnr.yaml       print what happens in a lesson",
    })
public final class LabCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--play",
      paramLabel = "FILE",
      required = true,
      description =
          "Play a scenario and print what happens; the status is 1 if what the file expects does"
              + " not.")
  private Path play;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    ScenarioFile file = ScenarioFile.read(play);
    try (LabSession lab = LabSession.of(file.scenario())) {
      List<String> lines = lab.happenings().stream().map(Happening::toString).toList();
      lines.forEach(out::println);
      out.flush();
      String missing = file.missing(lines);
      if (missing != null) {
        throw ToolFailure.atRunTime(play + ": this was expected and did not happen: " + missing);
      }
    } catch (IllegalArgumentException e) {
      throw ToolFailure.usage(play + ": " + e.getMessage());
    }
    return 0;
  }
}
