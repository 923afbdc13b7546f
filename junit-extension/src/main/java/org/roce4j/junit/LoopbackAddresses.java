package org.roce4j.junit;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Gid;

/**
 * Addresses of the loopback interface and a UDP port that is free on all of them. Each test has
 * other addresses, 127.P.T.1, 127.P.T.2, ... by process and test. The port is 4791, which every
 * dissector knows; if a soft-RoCE device of the kernel or another program holds it on every
 * address, it is any free port.
 */
record LoopbackAddresses(List<Gid> gids, int udpPort) {
  private static final int LOOPBACK = 0x7f00_0000;
  private static final int ATTEMPTS = 100;
  private static final AtomicInteger TESTS = new AtomicInteger();

  static LoopbackAddresses of(List<Gid> wanted, int count) {
    List<Gid> gids = new ArrayList<>(wanted);
    if (gids.isEmpty()) {
      int process = 1 + (int) (ProcessHandle.current().pid() % 254);
      int test = TESTS.getAndIncrement() & 0xff;
      boolean onlyOne = System.getProperty("os.name", "").startsWith("Mac");
      for (int i = 0; i < count; i++) {
        gids.add(
            Gid.ofIpv4(onlyOne ? LOOPBACK | 1 : LOOPBACK | process << 16 | test << 8 | (i + 1)));
      }
      if (onlyOne && count > 1) {
        throw RequestedNetwork.refuse(
            "macOS has but one loopback address: use devices = 1 or transport = \"fabric\"");
      }
    }
    return new LoopbackAddresses(gids, freePort(gids));
  }

  /**
   * A port that is free on all addresses. If none is found, the usual port: binding it then fails
   * and names the address that is in use.
   */
  private static int freePort(List<Gid> gids) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = attempt == 0 ? PortOptions.ROCE_UDP_PORT : 0;
      try {
        for (Gid gid : gids) {
          port = bound(gid.toInetAddress(), port);
        }
        return port;
      } catch (SocketException e) {
        // The port is in use at one of them, or the system does not have the address.
      }
    }
    return PortOptions.ROCE_UDP_PORT;
  }

  private static int bound(InetAddress address, int port) throws SocketException {
    try (DatagramSocket probe = new DatagramSocket(null)) {
      probe.setReuseAddress(false);
      probe.bind(new InetSocketAddress(address, port));
      return probe.getLocalPort();
    }
  }
}
