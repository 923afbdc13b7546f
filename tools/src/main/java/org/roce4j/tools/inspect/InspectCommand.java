package org.roce4j.tools.inspect;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.OutputFile;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.inspect.CaptureInspector;
import org.roce4j.wire.inspect.InspectedPacket;
import org.roce4j.wire.inspect.InspectedPacket.PsnText;
import org.roce4j.wire.view.View;
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
      "%nEach packet stands beside those before it: a retransmission, the packet after a gap (lost"
          + " or overtaken before the place of the capture), a late one, a duplicate response, a"
          + " NAK and an RNR NAK are marked in brackets. A comment of the file follows after two"
          + " hyphens.",
      "%nThe last line is: N packets, N icrc ok, N icrc bad, N malformed. Exit status: 0 when every"
          + " packet is whole and right, 1 when not, 2 when the file cannot be read.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j inspect p.pcapng",
      "  roce4j inspect --filter 'mark' p.pcapng                what is not as it should be",
      "  roce4j inspect --filter 'qpn=0x11 opcode=RC_RDMA_*' p.pcapng",
      "  roce4j inspect --filter 'icrc=bad,unknown psn=10..20' p.pcapng",
      "  roce4j inspect --json p.pcapng | jq 'select(.mark == \"retransmission\")'",
    })
public final class InspectCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "FILE", description = "A pcap or pcapng file.")
  private Path file;

  @Option(
      names = "--json",
      description =
          "Print a JSON object a line: one for each packet, with its header fields, and at last one"
              + " with the totals.")
  private boolean json;

  @Option(
      names = "--filter",
      paramLabel = "WORDS",
      defaultValue = "",
      description =
          "Print only packets for which every word holds: FIELD=VALUE, FIELD!=VALUE or FIELD, with"
              + " the field names of --json; a value is a number, a range such as 10..20, or text"
              + " with * for anything; several are separated by commas. The totals are those of the"
              + " whole file.")
  private String filter;

  @Option(
      names = "--relative",
      description =
          "Print PSNs as distances from the first of their requests in the capture, such as +3.")
  private boolean relative;

  @Option(
      names = "--html",
      paramLabel = "OUT",
      description = "Also write the page of roce4j view there.")
  private Path html;

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
    Predicate<Map<String, Object>> chosen = chosen();
    if (html != null) {
      OutputFile.spare(List.of(file), html);
    }
    CaptureInspector.Totals totals;
    try {
      totals = CaptureInspector.inspect(file, packet -> print(out, packet, chosen));
    } catch (IOException e) {
      out.flush();
      String why = String.valueOf(e.getMessage());
      String name = file.toString();
      throw ToolFailure.usage(why.contains(name) ? why : "cannot read " + name + ": " + why);
    }
    if (html != null) {
      draw();
    }
    if (json) {
      out.println(Json.text(json(totals)));
    } else {
      if (!filter.isEmpty()) {
        out.println(Wording.of("%d of %d packets chosen", printed, totals.packets()));
      }
      out.println(totals.remarks());
      out.println(totals.summary());
    }
    out.flush();
    return totals.allRight() ? 0 : ToolFailure.RUN_TIME;
  }

  private void draw() {
    try {
      View.read(List.of(file), List.of()).writePage(html);
    } catch (IOException e) {
      throw OutputFile.failure(html, e);
    }
  }

  private Predicate<Map<String, Object>> chosen() {
    try {
      return new PacketFilter(filter);
    } catch (VerbsException e) {
      throw ToolFailure.usage("--filter: " + e.remedy());
    }
  }

  /** How many packets the filter has chosen. */
  private long printed;

  private void print(
      PrintWriter out, InspectedPacket packet, Predicate<Map<String, Object>> chosen) {
    Map<String, Object> fields = json || !filter.isEmpty() ? PacketFields.of(packet) : Map.of();
    if (chosen.test(fields)) {
      printed++;
      out.println(
          json ? Json.text(fields) : packet.text(relative ? PsnText.RELATIVE : PsnText.ABSOLUTE));
    }
  }

  private Map<String, Object> json(CaptureInspector.Totals totals) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("packets", totals.packets());
    if (!filter.isEmpty()) {
      json.put("chosen", printed);
    }
    json.put("icrcOk", totals.icrcOk());
    json.put("icrcBad", totals.icrcBad());
    json.put("malformed", totals.malformed());
    json.put("truncated", totals.truncated());
    json.put("skippedFrames", totals.skipped());
    json.put("unread", totals.unread().isEmpty() ? null : totals.unread());
    json.put("damage", totals.damage().isEmpty() ? null : totals.damage());
    json.put("allRight", totals.allRight());
    return json;
  }
}
