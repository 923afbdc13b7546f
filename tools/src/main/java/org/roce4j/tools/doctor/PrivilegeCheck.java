package org.roce4j.tools.doctor;

import java.util.List;
import org.roce4j.verbs.text.Wording;

/** No privilege is needed; the system only has to let us bind our port. */
final class PrivilegeCheck implements MachineCheck {
  private static final String NAME = "privileges";
  private static final int NET_BIND_SERVICE = 10;
  private static final int NET_ADMIN = 12;
  private static final int NET_RAW = 13;

  private final int port;

  PrivilegeCheck(int port) {
    this.port = port;
  }

  @Override
  public List<Finding> examine(SystemView system) {
    long first = number(system, "/proc/sys/net/ipv4/ip_unprivileged_port_start");
    long capabilities = capabilities(system);
    if (port < first && !has(capabilities, NET_BIND_SERVICE)) {
      return List.of(
          Finding.fail(
              NAME,
              Wording.of("ports below %d are for the privileged, and %d is one", first, port),
              "sysctl -w net.ipv4.ip_unprivileged_port_start=1024, or setcap"
                  + " cap_net_bind_service=ep on the java binary"));
    }
    return List.of(
        Finding.ok(
            NAME,
            Wording.of(
                    "none needed (here: CAP_NET_RAW %s, CAP_NET_ADMIN %s); memory is not pinned, so"
                        + " ulimit",
                    yes(has(capabilities, NET_RAW)), yes(has(capabilities, NET_ADMIN)))
                + " -l does not matter"));
  }

  private static String yes(boolean is) {
    return is ? "yes" : "no";
  }

  private static boolean has(long capabilities, int bit) {
    return (capabilities >>> bit & 1) != 0;
  }

  private static long capabilities(SystemView system) {
    return system.lines("/proc/self/status").stream()
        .filter(line -> line.matches("CapEff:\\s+[0-9a-f]{16}"))
        .map(line -> Long.parseUnsignedLong(line.replaceFirst("CapEff:\\s+", ""), 16))
        .findAny()
        .orElse(0L);
  }

  private static long number(SystemView system, String file) {
    return system.lines(file).stream()
        .map(String::strip)
        .filter(text -> text.matches("[0-9]{1,9}"))
        .map(Long::parseLong)
        .findFirst()
        .orElse(0L);
  }
}
