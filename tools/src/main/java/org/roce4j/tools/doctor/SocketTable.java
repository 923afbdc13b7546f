package org.roce4j.tools.doctor;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** The UDP sockets that the kernel shows in {@code /proc/net/udp} and {@code udp6}. */
final class SocketTable {
  private static final int LOCAL_ADDRESS = 1;
  private static final int INODE = 9;
  private static final int DROPS = 12;

  /**
   * A bound socket.
   *
   * @param inode 0: the kernel's own
   * @param drops datagrams that found its buffer full
   */
  record Socket(InetAddress address, int port, long inode, long drops) {
    boolean wildcard() {
      return address.isAnyLocalAddress();
    }
  }

  private SocketTable() {}

  /** The sockets that are bound to a port. */
  static List<Socket> boundTo(int port, SystemView system) {
    List<Socket> found = new ArrayList<>();
    for (String table : new String[] {"/proc/net/udp", "/proc/net/udp6"}) {
      for (String line : system.lines(table)) {
        parse(line).filter(socket -> socket.port() == port).ifPresent(found::add);
      }
    }
    return found;
  }

  private static Optional<Socket> parse(String line) {
    String[] column = line.strip().split("\\s+");
    if (column.length <= DROPS || !column[LOCAL_ADDRESS].matches("([0-9A-F]{8})+:[0-9A-F]{4}")) {
      return Optional.empty();
    }
    String[] local = column[LOCAL_ADDRESS].split(":");
    try {
      return Optional.of(
          new Socket(
              address(local[0]),
              Integer.parseInt(local[1], 16),
              Long.parseLong(column[INODE]),
              Long.parseLong(column[DROPS])));
    } catch (NumberFormatException | UnknownHostException e) {
      return Optional.empty();
    }
  }

  /** Words of four bytes, each in reversed byte order. */
  private static InetAddress address(String digits) throws UnknownHostException {
    byte[] shown = HexFormat.of().parseHex(digits);
    byte[] bytes = new byte[shown.length];
    for (int i = 0; i < shown.length; i++) {
      bytes[i] = shown[i ^ 3];
    }
    return InetAddress.getByAddress(bytes);
  }

  /**
   * The process that holds a socket, such as {@code 1234 (java)}, as far as this user may see it.
   */
  static Optional<String> holder(Socket socket, SystemView system) {
    String wanted = "socket:[" + socket.inode() + "]";
    for (String process : system.names("/proc")) {
      if (!process.matches("[0-9]+")) {
        continue;
      }
      String descriptors = "/proc/" + process + "/fd";
      for (String descriptor : system.names(descriptors)) {
        if (system.link(descriptors + "/" + descriptor).filter(wanted::equals).isPresent()) {
          List<String> name = system.lines("/proc/" + process + "/comm");
          return Optional.of(process + (name.isEmpty() ? "" : " (" + name.getFirst() + ")"));
        }
      }
    }
    return Optional.empty();
  }
}
