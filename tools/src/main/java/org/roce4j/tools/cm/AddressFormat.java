package org.roce4j.tools.cm;

import java.net.InetAddress;
import org.roce4j.tools.console.ToolFailure;
import picocli.CommandLine.Option;

/** How {@code ucmatose} and {@code udaddy} read the addresses that they are given. */
final class AddressFormat {
  @Option(
      names = "-f",
      paramLabel = "FORMAT",
      defaultValue = "name",
      description =
          "What -s and -b are: name, or an address: ip, ipv6 (default: ${DEFAULT-VALUE}). gid means"
              + " the addresses of InfiniBand, which RoCE does not have.")
  private String format;

  /** Refuses a format that there is not. */
  void check() {
    switch (format) {
      case "name", "ip", "ipv6" -> {}
      case "gid" ->
          throw ToolFailure.usage(
              "-f gid: ids of family AF_IB are InfiniBand's; a RoCE device is reached by its IP"
                  + " address, -f ip");
      default -> throw ToolFailure.usage("-f is name, ip, ipv6 or gid, not " + format);
    }
  }

  /** The address that a text names, in this format. */
  InetAddress address(String text) {
    return format.equals("name") ? CmDevices.address(text) : literal(text);
  }

  private InetAddress literal(String text) {
    try {
      return InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException e) {
      throw ToolFailure.usage("-f " + format + " takes an address, not '" + text + "'");
    }
  }
}
