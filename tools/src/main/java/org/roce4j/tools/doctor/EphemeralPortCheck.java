package org.roce4j.tools.doctor;

import java.util.List;
import org.roce4j.verbs.text.Wording;

/** The system assigns our port to no program as an ephemeral port. */
final class EphemeralPortCheck implements MachineCheck {
  private static final String NAME = "ephemeral";

  private final int port;

  EphemeralPortCheck(int port) {
    this.port = port;
  }

  @Override
  public List<Finding> examine(SystemView system) {
    List<String> range = system.lines("/proc/sys/net/ipv4/ip_local_port_range");
    String[] ends = range.isEmpty() ? new String[0] : range.getFirst().strip().split("\\s+");
    if (ends.length == 2
        && ends[0].matches("[0-9]{1,5}")
        && ends[1].matches("[0-9]{1,5}")
        && Integer.parseInt(ends[0]) <= port
        && port <= Integer.parseInt(ends[1])
        && !isReserved(system)) {
      return List.of(
          Finding.warn(
              NAME,
              Wording.of(
                  "any program may be given UDP port %d: local ports are %s to %s",
                  port, ends[0], ends[1]),
              "sysctl -w net.ipv4.ip_local_reserved_ports=" + port));
    }
    return List.of(Finding.ok(NAME, "UDP port " + port + " is given to nobody by chance"));
  }

  private boolean isReserved(SystemView system) {
    for (String line : system.lines("/proc/sys/net/ipv4/ip_local_reserved_ports")) {
      for (String part : line.strip().split(",")) {
        String[] ends = part.split("-");
        if (part.matches("[0-9]{1,5}(-[0-9]{1,5})?")
            && Integer.parseInt(ends[0]) <= port
            && port <= Integer.parseInt(ends[ends.length - 1])) {
          return true;
        }
      }
    }
    return false;
  }
}
