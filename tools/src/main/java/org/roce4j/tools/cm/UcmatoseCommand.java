package org.roce4j.tools.cm;

import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.options.OptionRange;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.PortSpace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code roce4j ucmatose}. */
@Command(
    name = "ucmatose",
    mixinStandardHelpOptions = true,
    header = "Connect many ids and exchange messages, as ucmatose does.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j ucmatose -b 127.0.0.1 -c 10          wait for ten clients",
      "  roce4j ucmatose -s 127.0.0.1 -c 10          call it ten times"
    })
public final class UcmatoseCommand extends MessageCommand {
  @Option(
      names = "-p",
      paramLabel = "PORT",
      defaultValue = "7471",
      converter = PortNumber.class,
      description = "Port of rdma_cm (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "-P",
      paramLabel = "SPACE",
      defaultValue = "tcp",
      converter = PortSpaceConverter.class,
      description = "Port space: tcp or ib (default: ${DEFAULT-VALUE}).")
  private PortSpace space;

  @Option(
      names = "-a",
      paramLabel = "CODE",
      description =
          "Local ACK timeout of the queue pairs, 1 to 31: 4.096 us x 2^CODE. The client tells the"
              + " server.")
  private Integer ackTimeout;

  @Option(names = "-m", description = "Move all ids to another event channel before the end.")
  private boolean migrate;

  @Override
  public Integer call() {
    check();
    if (space.qpType() != QpType.RC) {
      throw ToolFailure.usage("-P is tcp or ib: ids of " + space + " have no connections");
    }
    OptionRange.check("-a", ackTimeout == null ? 1 : ackTimeout, 1, 31);
    return play("cmatose", space, port, ackTimeout, migrate);
  }
}
