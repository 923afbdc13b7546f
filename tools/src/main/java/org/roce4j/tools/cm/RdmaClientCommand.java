package org.roce4j.tools.cm;

import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.PortSpace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code roce4j rdma-client}: twenty steps of the manual, by endpoints and synchronous calls. */
@Command(
    name = "rdma-client",
    mixinStandardHelpOptions = true,
    header = "Call a server and exchange 16 bytes with it, as rdma_client does.",
    footerHeading = "%nExample:%n",
    footer = "  roce4j rdma-client -s 127.0.0.1")
public final class RdmaClientCommand extends OneExchange {
  @Option(
      names = "-s",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "Where the server is (default: ${DEFAULT-VALUE}).")
  private String server;

  @Override
  public Integer call() {
    AddrInfo hints = new AddrInfo().portSpace(PortSpace.TCP);
    return call(server, hints, SixteenBytes.queuePair(), this::exchange);
  }

  private void exchange(CmId id) {
    try (SixteenBytes bytes = new SixteenBytes(id, hearing(id))) {
      connect(id);
      bytes.send();
      bytes.receive();
      id.disconnect();
    }
  }
}
