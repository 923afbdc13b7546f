package org.roce4j.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.wire.capture.CaptureInspector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j inspect}. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Say what every RoCEv2 packet of a capture is, and whether its ICRC is right.",
    description = {
      "%nReads pcap and pcapng files of roce4j, tcpdump, dumpcap or Wireshark: Ethernet, VLAN, raw"
          + " IP or loopback; IPv4 and IPv6. Trains that were captured before segmentation (as on"
          + " the lo device) are split into the packets that would have been sent.",
      "%nThe last line is: N packets, N icrc ok, N icrc bad, N malformed. Exit status: 0 when every"
          + " packet is whole and right, 1 when not, 2 when the file cannot be read.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j inspect p.pcapng",
      "  roce4j inspect --json p.pcapng      the totals as JSON",
      "  roce4j inspect p.pcapng | grep -v 'icrc ok'",
    })
final class InspectCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "FILE", description = "A pcap or pcapng file.")
  private Path file;

  @Option(names = "--json", description = "Print the totals as one JSON object, no packets.")
  private boolean json;

  @Override
  public Integer call() {
    if (!Files.exists(file)) {
      throw ToolFailure.usage("there is no file " + file);
    }
    if (Files.isDirectory(file) || !Files.isReadable(file)) {
      throw ToolFailure.usage(
          file + (Files.isDirectory(file) ? " is a directory" : " may not be read"));
    }
    PrintWriter out = spec.commandLine().getOut();
    Consumer<String> lines = json ? line -> {} : out::println;
    CaptureInspector.Totals totals;
    try {
      totals = CaptureInspector.inspect(file, lines);
    } catch (IOException e) {
      out.flush();
      String why = String.valueOf(e.getMessage());
      String name = file.toString();
      throw ToolFailure.usage(why.contains(name) ? why : "cannot read " + name + ": " + why);
    }
    if (json) {
      out.println(Json.text(json(totals)));
    }
    out.flush();
    return totals.allRight() ? 0 : ToolFailure.RUN_TIME;
  }

  private static Map<String, Object> json(CaptureInspector.Totals totals) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("packets", totals.packets());
    json.put("icrcOk", totals.icrcOk());
    json.put("icrcBad", totals.icrcBad());
    json.put("malformed", totals.malformed());
    json.put("truncated", totals.truncated());
    json.put("skippedFrames", totals.skipped());
    json.put("damage", totals.damage().isEmpty() ? null : totals.damage());
    json.put("allRight", totals.allRight());
    return json;
  }
}
