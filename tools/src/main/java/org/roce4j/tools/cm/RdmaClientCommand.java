package org.roce4j.tools.cm;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.PortSpace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j rdma-client}: twenty steps of the manual, by endpoints and synchronous calls. */
@Command(
    name = "rdma-client",
    mixinStandardHelpOptions = true,
    header = "Call a server and exchange 16 bytes with it, as rdma_client does.",
    footerHeading = "%nExample:%n",
    footer = "  roce4j rdma-client -s 127.0.0.1")
public final class RdmaClientCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "-s",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "Where the server is (default: ${DEFAULT-VALUE}).")
  private String server;

  @Option(
      names = "-p",
      paramLabel = "PORT",
      defaultValue = "7471",
      description = "Port of rdma_cm (default: ${DEFAULT-VALUE}).")
  private String port;

  @Mixin private CmDevices devices;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    AddrInfo there = AddrInfo.resolve(server, port, new AddrInfo().portSpace(PortSpace.TCP));
    out.println("rdma_client: start");
    out.flush();
    try (CmDevices.Opened opened = devices.connecting(null, there.dstAddr().getAddress());
        CmId id = opened.cm().createEp(there, null, SixteenBytes.queuePair());
        SixteenBytes bytes = new SixteenBytes(id)) {
      id.connect(new ConnParam());
      bytes.send();
      bytes.receive();
      id.disconnect();
    }
    out.println("rdma_client: end 0");
    out.flush();
    return 0;
  }
}
