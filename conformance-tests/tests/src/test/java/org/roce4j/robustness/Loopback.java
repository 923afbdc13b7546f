package org.roce4j.robustness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.verbs.Gid;

/** Loopback addresses that no other process uses, including other runs of these tests. */
public final class Loopback {
  private static final AtomicInteger NEXT = new AtomicInteger();

  private Loopback() {}

  /** A new address of 127.0.0.0/8; its middle bytes are made of the process number. */
  public static Gid fresh() {
    long pid = ProcessHandle.current().pid();
    int n = NEXT.incrementAndGet();
    int second = (int) (100 + (pid / 250 + n / 250) % 100); // pid + 1 may run, too
    int third = (int) (pid % 250);
    return Gid.ofIpv4(127 << 24 | second << 16 | third << 8 | (n % 250 + 1));
  }

  /** The IPv6 loopback address; there is only one. */
  static Gid ipv6() {
    return Gid.parse("::1");
  }

  /** A UDP port that is not bound at any of these addresses. */
  public static int freeUdpPort(InetAddress first, InetAddress... others) {
    int port = bound(first, 0);
    for (InetAddress address : others) {
      bound(address, port);
    }
    return port;
  }

  private static int bound(InetAddress address, int port) {
    try (DatagramSocket probe = new DatagramSocket(port, address)) {
      return probe.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
