package org.roce4j.tools;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.roce4j.tools.console.Columns;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.Terminal;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.doctor.Doctor;
import org.roce4j.tools.doctor.Finding;
import org.roce4j.tools.doctor.LiveSystem;
import org.roce4j.tools.doctor.SystemView;
import org.roce4j.tools.options.ConfiguredDevices;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j doctor}. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    header = "Say what on this machine is in the way of a device, and what to do.",
    description =
        "%nLooks and tries, changes nothing. Exit status 1 when something does not work.%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j doctor",
      "  roce4j doctor --peer 192.0.2.7",
      "  roce4j doctor --json",
    })
final class DoctorCommand implements Callable<Integer> {
  private final SystemView system;

  @Spec private CommandSpec spec;
  @Mixin private ConfiguredDevices configured;

  @Option(
      names = "--peer",
      paramLabel = "ADDRESS",
      description = "Look at the way to this peer, an IP address, too.")
  private String peer;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  DoctorCommand() {
    this(new LiveSystem());
  }

  DoctorCommand(SystemView system) {
    this.system = system;
  }

  @Override
  public Integer call() {
    List<Finding> findings = new Doctor(configured::loaded, peerAddress()).examine(system);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(
          Json.text(Map.of("findings", findings.stream().map(DoctorCommand::describe).toList())));
    } else {
      print(out, findings, Terminal.isStdout() ? spec.usageMessage().width() : 0);
    }
    out.flush();
    return findings.stream().anyMatch(finding -> finding.level() == Finding.Level.FAIL)
        ? ToolFailure.RUN_TIME
        : 0;
  }

  private InetAddress peerAddress() {
    try {
      return peer == null ? null : InetAddress.ofLiteral(peer);
    } catch (IllegalArgumentException e) {
      throw ToolFailure.usage("--peer " + peer + ": give an IPv4 or IPv6 address");
    }
  }

  private static Map<String, Object> describe(Finding finding) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("check", finding.check());
    json.put("level", word(finding.level()));
    json.put("says", finding.says());
    json.put("remedy", finding.remedy().isEmpty() ? null : finding.remedy());
    return json;
  }

  private static void print(PrintWriter out, List<Finding> findings, int margin) {
    Map<Finding.Level, Integer> counts = new EnumMap<>(Finding.Level.class);
    for (Finding finding : findings) {
      counts.merge(finding.level(), 1, Integer::sum);
      String start = Wording.of("%-5s %-14s ", word(finding.level()), finding.check());
      out.println(Columns.wrapped(start, finding.says(), margin));
      if (!finding.remedy().isEmpty()) {
        out.println(Columns.wrapped(" ".repeat(21) + "-> ", finding.remedy(), margin));
      }
    }
    out.println(
        Wording.of(
            "%d ok, %d to improve, %d in the way",
            counts.getOrDefault(Finding.Level.OK, 0),
            counts.getOrDefault(Finding.Level.WARN, 0),
            counts.getOrDefault(Finding.Level.FAIL, 0)));
  }

  private static String word(Finding.Level level) {
    return level.name().toLowerCase(Locale.ROOT);
  }
}
