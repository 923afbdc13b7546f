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

/** {@code roce4j rdma-server}: eighteen steps of the manual, by endpoints and synchronous calls. */
@Command(
    name = "rdma-server",
    mixinStandardHelpOptions = true,
    header = "Wait for one client and exchange 16 bytes with it, as rdma_server does.",
    footerHeading = "%nExample:%n",
    footer = "  roce4j rdma-server -s 127.0.0.1")
public final class RdmaServerCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "-s",
      paramLabel = "ADDRESS",
      defaultValue = "0.0.0.0",
      description = "Where to listen (default: ${DEFAULT-VALUE}).")
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
    AddrInfo hints = new AddrInfo().flags(AddrInfo.PASSIVE).portSpace(PortSpace.TCP);
    AddrInfo here = AddrInfo.resolve(server, port, hints);
    try (CmDevices.Opened opened = devices.listening(here.srcAddr().getAddress());
        CmId listener = opened.cm().createEp(here, null, SixteenBytes.queuePair())) {
      listener.listen(0);
      out.println("rdma_server: start");
      out.flush();
      try (CmId id = listener.getRequest();
          SixteenBytes bytes = new SixteenBytes(id)) {
        id.accept(new ConnParam());
        bytes.receive();
        bytes.send();
        id.disconnect();
      }
    }
    out.println("rdma_server: end 0");
    out.flush();
    return 0;
  }
}
