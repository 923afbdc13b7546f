package org.roce4j.tools.cm;

import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.PortSpace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code roce4j rdma-server}: eighteen steps of the manual, by endpoints and synchronous calls. */
@Command(
    name = "rdma-server",
    mixinStandardHelpOptions = true,
    header = "Wait for one client and exchange 16 bytes with it, as rdma_server does.",
    footerHeading = "%nExample:%n",
    footer = "  roce4j rdma-server -s 127.0.0.1")
public final class RdmaServerCommand extends OneExchange {
  @Option(
      names = "-s",
      paramLabel = "ADDRESS",
      defaultValue = "0.0.0.0",
      description = "Where to listen (default: ${DEFAULT-VALUE}).")
  private String server;

  @Override
  public Integer call() {
    AddrInfo hints = new AddrInfo().portSpace(PortSpace.TCP);
    return listen(server, hints, SixteenBytes.queuePair(), this::exchange);
  }

  private void exchange(CmId id) {
    try (SixteenBytes bytes = new SixteenBytes(id, hearing(id))) {
      ConnectionEvents.accept(id, new ConnParam());
      bytes.receive();
      bytes.send();
      id.disconnect();
    }
  }
}
