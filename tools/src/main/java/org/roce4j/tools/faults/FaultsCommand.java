package org.roce4j.tools.faults;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.roce4j.emulator.Faults;
import org.roce4j.fabric.LinkModel;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.options.FaultsConverter;
import org.roce4j.tools.options.GidConverter;
import org.roce4j.verbs.Gid;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j faults}. */
@Command(
    name = "faults",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Say what a plan of faults does, or would have done to the packets of a capture.",
    description = {
      "%nWithout options: the plan as one line. What cannot be is refused, with the line and the"
          + " column in the file. docs/faults.md describes the language.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j faults --explain plan.yaml",
      "  roce4j faults --explain 'drop direction=out opcode=RC_SEND_LAST nth=3'",
      "  roce4j faults --dry-run p.pcapng plan.yaml",
      "  roce4j pingpong --faults plan.yaml"
    })
public final class FaultsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "PLAN",
      converter = FaultsConverter.class,
      description = "A fault plan, or a file with one (.yaml, .yml, .json).")
  private Faults plan;

  @Option(names = "--explain", description = "Say what each rule does, in a sentence.")
  private boolean explain;

  @Option(
      names = "--dry-run",
      paramLabel = "CAPTURE",
      description =
          "Print the packets of a pcap or pcapng file that the rules would have hit, and how many"
              + " each rule hits.")
  private Path capture;

  @Option(
      names = "--end",
      paramLabel = "IP",
      converter = GidConverter.class,
      description =
          "Of a dry run: the device whose plan it is; what it sends goes out (default: the sender"
              + " of the first packet).")
  private Gid end;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (explain) {
      List<String> sentences = plan.explain();
      for (int i = 0; i < sentences.size(); i++) {
        out.printf(Locale.ROOT, "%d. %s%n", i + 1, sentences.get(i));
      }
      if (sentences.isEmpty()) {
        out.println("The plan has no rules: nothing happens.");
      }
    }
    if (capture != null) {
      dryRun(out);
    } else if (!explain) {
      out.println(plan);
    }
    out.flush();
    return 0;
  }

  private void dryRun(PrintWriter out) {
    if (!Files.exists(capture)) {
      throw ToolFailure.usage("there is no file " + capture);
    }
    if (plan.packets().isEmpty()) {
      throw ToolFailure.usage(
          "--dry-run: the plan has no rule of datagrams, and a capture shows nothing else");
    }
    try {
      new DryRun(plan.ofPackets(), end, out).run(capture);
      if (!plan.links().equals(LinkModel.PERFECT)) {
        out.println(
            "links (" + plan.links().changes() + "): not tried, the packets have passed them");
      }
      plan.verbs().forEach(rule -> out.println("(" + rule + "): not tried, no packet meets it"));
    } catch (IOException e) {
      throw ToolFailure.usage("cannot read " + capture + ": " + e.getMessage());
    }
  }
}
