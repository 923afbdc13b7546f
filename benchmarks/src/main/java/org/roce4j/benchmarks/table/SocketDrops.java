package org.roce4j.benchmarks.table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The datagrams that Linux dropped because a UDP socket's receive buffer was full ({@code
 * RcvbufErrors}), of all sockets of this machine since its start. A loss on one machine is a fault
 * of this program.
 */
final class SocketDrops {
  private static final Path IPV4 = Path.of("/proc/net/snmp");
  private static final Path IPV6 = Path.of("/proc/net/snmp6");
  private static final String IPV4_NAMES = "Udp: ";
  private static final String IPV4_COUNT = "RcvbufErrors";
  private static final String IPV6_COUNT = "Udp6RcvbufErrors";

  private SocketDrops() {}

  /** The number of dropped datagrams, or -1 if the system does not report it. */
  static long count() {
    try {
      return ofIpv4(Files.readAllLines(IPV4)) + (Files.exists(IPV6) ? ofIpv6() : 0);
    } catch (IOException e) {
      return -1;
    }
  }

  /** Reads {@code /proc/net/snmp}, where a line of names precedes a line of numbers. */
  static long ofIpv4(List<String> lines) throws IOException {
    List<List<String>> udp =
        lines.stream()
            .filter(line -> line.startsWith(IPV4_NAMES))
            .map(line -> Arrays.asList(line.split(" ")))
            .toList();
    int column = udp.size() == 2 ? udp.getFirst().indexOf(IPV4_COUNT) : -1;
    if (column < 0) {
      throw new IOException("no " + IPV4_COUNT);
    }
    return Long.parseLong(udp.getLast().get(column));
  }

  private static long ofIpv6() throws IOException {
    try (Stream<String> lines = Files.lines(IPV6)) {
      return lines
          .map(line -> line.split("\\s+"))
          .filter(words -> words[0].equals(IPV6_COUNT))
          .mapToLong(words -> Long.parseLong(words[1]))
          .sum();
    }
  }
}
