package org.roce4j.tools.doctor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.roce4j.tools.doctor.SocketTable.Socket;
import org.roce4j.verbs.text.Wording;

/** The kernel has dropped no datagrams. */
final class DropCheck implements MachineCheck {
  private static final String NAME = "drops";
  private static final String FULL =
      "raise net.core.rmem_max, lower limits.path-window-bytes of the senders, or give the program"
          + " another processor";

  private final int port;

  DropCheck(int port) {
    this.port = port;
  }

  @Override
  public List<Finding> examine(SystemView system) {
    List<Finding> findings = new ArrayList<>();
    for (Socket socket : SocketTable.boundTo(port, system)) {
      if (socket.drops() > 0) {
        findings.add(
            Finding.warn(
                NAME,
                Wording.of(
                    "%d datagrams to %s:%d found the socket's buffer full",
                    socket.drops(), socket.address().getHostAddress(), port),
                FULL));
      }
    }
    long full = counted("RcvbufErrors", system);
    if (full > 0) {
      findings.add(
          Finding.warn(
              NAME,
              Wording.of("since boot, %d datagrams of all programs found a full buffer", full),
              "if the number grows while roce4j runs (nstat -az UdpRcvbufErrors): " + FULL));
    }
    long checksums = counted("InCsumErrors", system);
    if (checksums > 0) {
      findings.add(
          Finding.warn(
              NAME,
              Wording.of("since boot, %d datagrams had a wrong UDP checksum", checksums),
              "a cable, a driver or a tunnel damages packets: ethtool -S shows where"));
    }
    if (findings.isEmpty()) {
      findings.add(Finding.ok(NAME, "the kernel has dropped no datagram"));
    }
    return findings;
  }

  /** A counter of UDP in {@code /proc/net/snmp}: a line of names, then one of values. */
  private static long counted(String counter, SystemView system) {
    List<List<String>> lines =
        system.lines("/proc/net/snmp").stream()
            .filter(line -> line.startsWith("Udp: "))
            .map(line -> Arrays.asList(line.split("\\s+")))
            .toList();
    if (lines.size() != 2) {
      return 0;
    }
    int column = lines.getFirst().indexOf(counter);
    if (column < 0 || column >= lines.getLast().size()) {
      return 0;
    }
    String value = lines.getLast().get(column);
    return value.matches("[0-9]{1,18}") ? Long.parseLong(value) : 0;
  }
}
