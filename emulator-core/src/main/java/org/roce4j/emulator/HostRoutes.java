package org.roce4j.emulator;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.function.UnaryOperator;
import org.roce4j.device.Routes;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.UdpSourcePort;

/**
 * Routes of a device on sockets: the host's. Where the host would send from an address that no
 * device has, another of the same family serves if both ends are of this host, or neither is. A
 * group is reached from every address, also where the host has no route to it, as by Linux from an
 * id that is bound.
 *
 * @param host the address from which the host would send to a destination; null: it has no route
 */
record HostRoutes(List<Gid> addresses, UnaryOperator<Gid> host) implements Routes {
  HostRoutes(List<Gid> addresses) {
    this(addresses, HostRoutes::hostsChoice);
  }

  @Override
  public Gid sourceFor(Gid destination, boolean best) {
    Gid chosen = host.apply(destination);
    if (chosen != null && addresses.contains(chosen)) {
      return chosen;
    }
    boolean group = destination.isMulticast();
    if (best || chosen == null && !group) {
      return null;
    }
    boolean inside = !group && isOfHost(destination);
    return addresses.stream()
        .filter(own -> own.isIpv4Mapped() == destination.isIpv4Mapped())
        .filter(own -> group || inside || own.toInetAddress().isLoopbackAddress() == inside)
        .findFirst()
        .orElse(null);
  }

  private boolean isOfHost(Gid address) {
    return address.toInetAddress().isLoopbackAddress() || address.equals(host.apply(address));
  }

  /** Nothing is sent: a connected datagram socket knows its own address. */
  private static Gid hostsChoice(Gid destination) {
    StandardProtocolFamily family =
        destination.isIpv4Mapped() ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
    try (DatagramChannel socket = DatagramChannel.open(family)) {
      InetAddress to = destination.toInetAddress();
      socket.connect(new InetSocketAddress(to, UdpSourcePort.ROCE_V2));
      return Gid.of(((InetSocketAddress) socket.getLocalAddress()).getAddress());
    } catch (IOException e) {
      return null; // no route
    }
  }
}
