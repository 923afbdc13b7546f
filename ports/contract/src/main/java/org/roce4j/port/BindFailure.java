package org.roce4j.port;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.GidAddress;

/**
 * Explains why a bind was refused, with a remedy: the process that holds the address and a free
 * address, or the addresses of this machine.
 */
public final class BindFailure {
  private static final int LAST_CANDIDATE = 254;

  private BindFailure() {}

  /**
   * @param errno errno of the bind
   */
  public static VerbsException explain(Errno errno, long high, long low, int port) {
    String address = GidAddress.addressText(high, low);
    String remedy =
        switch (errno) {
          case EADDRINUSE ->
              address
                  + ":"
                  + port
                  + " is in use"
                  + by(high, low, port)
                  + freeLoopback(high, low, port)
                      .map(free -> "; use " + free + " instead")
                      .orElse("; stop that program or use another address");
          case EADDRNOTAVAIL -> address + " is no address of this machine; it has " + addresses();
          case EACCES, EPERM ->
              "not permitted to bind "
                  + address
                  + ":"
                  + port
                  + "; check the security policy of this process";
          case ENODEV, EINVAL ->
              "cannot bind " + address + "; name the network interface of a link-local address";
          default -> "cannot bind " + address + ":" + port + " (" + errno.text() + ")";
        };
    return new VerbsException(errno, remedy);
  }

  private static Optional<String> freeLoopback(long high, long low, int port) {
    int ipv4 = GidAddress.ipv4(low);
    if (!GidAddress.isIpv4Mapped(high, low) || ipv4 >>> 24 != 127) {
      return Optional.empty();
    }
    for (int last = 1; last <= LAST_CANDIDATE; last++) {
      int candidate = ipv4 & 0xFFFF_FF00 | last;
      InetAddress address = GidAddress.toInetAddress(0, GidAddress.ipv4Mapped(candidate));
      try (DatagramSocket probe = new DatagramSocket(null)) {
        probe.setReuseAddress(false);
        probe.bind(new InetSocketAddress(address, port));
        return Optional.of(address.getHostAddress());
      } catch (SocketException inUse) {
        continue;
      }
    }
    return Optional.empty();
  }

  private static String addresses() {
    try {
      return NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .map(InetAddress::getHostAddress)
          .collect(Collectors.joining(", "));
    } catch (SocketException e) {
      return "none that could be listed";
    }
  }

  /**
   * Names the process that holds the address, if {@code /proc} shows it. An IPv6 socket may hold an
   * IPv4 address.
   */
  private static String by(long high, long low, int port) {
    String suffix = Wording.of(":%04X", port);
    String ipv6 = hex(high >>> 32) + hex(high) + hex(low >>> 32) + hex(low);
    String holder =
        owner(Path.of("/proc/net/udp6"), List.of(ipv6 + suffix, "0".repeat(32) + suffix));
    if (holder.isEmpty() && GidAddress.isIpv4Mapped(high, low)) {
      holder = owner(Path.of("/proc/net/udp"), List.of(hex(low) + suffix, "0".repeat(8) + suffix));
    }
    return holder;
  }

  /**
   * 32 bits as the kernel's tables print them: in the machine's byte order, not in network order.
   */
  private static String hex(long bits) {
    int shown = (int) bits;
    return Wording.of(
        "%08X",
        ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Integer.reverseBytes(shown) : shown);
  }

  static String owner(Path table, List<String> addresses) {
    try {
      for (String line : Files.readAllLines(table)) {
        String[] column = line.strip().split("\\s+");
        if (column.length > 9 && addresses.contains(column[1])) {
          return column[9].equals("0")
              ? " by the kernel (is a Linux rxe device configured?)"
              : process(column[9]).map(name -> " by " + name).orElse("");
        }
      }
    } catch (IOException unreadable) {
      return "";
    }
    return "";
  }

  private static Optional<String> process(String inode) {
    String wanted = "socket:[" + inode + "]";
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        if (holds(process, wanted)) {
          String name = Files.readString(process.resolve("comm")).strip();
          return Optional.of("process " + process.getFileName() + " (" + name + ")");
        }
      }
    } catch (IOException gone) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  private static boolean holds(Path process, String wanted) {
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path descriptor : descriptors) {
        if (Files.readSymbolicLink(descriptor).toString().equals(wanted)) {
          return true;
        }
      }
    } catch (IOException notOurs) {
      return false;
    }
    return false;
  }
}
