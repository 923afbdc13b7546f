package org.roce4j.tools.cm;

import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.PortSpace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code roce4j udaddy}. */
@Command(
    name = "udaddy",
    mixinStandardHelpOptions = true,
    header = "Find datagram services and exchange datagrams, as udaddy does.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j udaddy -b 127.0.0.1 -c 10          wait for ten clients",
      "  roce4j udaddy -s 127.0.0.1 -c 10          call it ten times"
    })
public final class UdaddyCommand extends MessageCommand {
  @Option(
      names = {"-P", "-p"},
      paramLabel = "SPACE",
      defaultValue = "udp",
      converter = PortSpaceConverter.class,
      description =
          "Port space: udp or ipoib, also by number, 0x111 or 0x2 (default: ${DEFAULT-VALUE}).")
  private PortSpace space;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "7174",
      converter = PortNumber.class,
      description = "Port of rdma_cm (default: ${DEFAULT-VALUE}).")
  private int port;

  @Override
  public Integer call() {
    check();
    if (space.qpType() != QpType.UD) {
      throw ToolFailure.usage("-P is udp or ipoib: ids of " + space + " have no datagrams");
    }
    return play("udaddy", space, port, null, false);
  }
}
