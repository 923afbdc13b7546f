package org.roce4j.tools.pingpong;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j pingpong}. */
@Command(
    name = "pingpong",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Exchange verified messages between two queue pairs and tell how fast it went.",
    description = {
      "%nWith neither --server nor HOST both ends run in this process, on two devices with the"
          + " addresses 127.0.0.1 and 127.0.0.2, over real UDP datagrams. With one of them this is"
          + " one end; the other is another roce4j pingpong or rdma-core's ibv_rc_pingpong,"
          + " ibv_uc_pingpong, ibv_ud_pingpong, ibv_srq_pingpong or ibv_xsrq_pingpong, whose"
          + " exchange of addresses (TCP) it speaks and whose defaults it has. Both sides must be"
          + " told the same --iters, --size, --mtu, --qps and --clients: the protocol does not"
          + " exchange them.",
      "%nEvery byte of every message is verified: another roce4j sends bytes that depend on the"
          + " message and the offset, the C programs send back what they received. Nothing repeats"
          + " a message that uc or ud lost: --patience ends the run. Ctrl-C ends it too, and tells"
          + " what was played.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j pingpong",
      "      1000 messages of 4096 bytes each way, in one process",
      "  roce4j pingpong --iters 500 --size 65536 --capture p.pcapng",
      "      keep every packet; wireshark, tshark and roce4j inspect read the file",
      "  roce4j pingpong --transport fabric",
      "      no socket: a virtual network in virtual time",
      "  roce4j pingpong --server --bind 127.0.0.1",
      "  roce4j pingpong --bind 127.0.0.2 127.0.0.1",
      "      two processes: the server first, then the client that calls it",
      "  ibv_rc_pingpong -g 1                       on host 10.77.0.2, with soft-RoCE",
      "  roce4j pingpong --bind 10.77.0.1 10.77.0.2     here",
      "      against the C program",
    })
public final class PingPongCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private PingPongOptions options;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Consumer<String> lines =
        line -> {
          if (!json) {
            out.println(line);
            out.flush();
          }
        };
    PrintWriter err = spec.commandLine().getErr();
    try (Interruption interruption = new Interruption()) {
      PingPongRun run = new PingPongRun(options(), lines, err, Terminal.isStderr(), interruption);
      PingPongReport report = run.play();
      if (json) {
        out.println(Json.text(report.json()));
      } else {
        report.results().forEach(out::println);
      }
      out.flush();
    }
    return 0;
  }

  /** The command line, checked as far as that needs no device. */
  PingPongOptions options() {
    return options.resolve();
  }
}
