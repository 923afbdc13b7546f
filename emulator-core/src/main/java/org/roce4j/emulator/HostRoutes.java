package org.roce4j.emulator;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.roce4j.device.Routes;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.UdpSourcePort;

/**
 * The host's routes for a device on sockets. If the host would send from an address that no device
 * has, another address of the same IP version is used, provided that both ends are on this host or
 * neither is. A group can be reached from every address, even if the host has no route to it, as on
 * Linux from a bound id.
 *
 * @param addresses all addresses of the device
 * @param up addresses of the ports that are up
 * @param host the address from which the host would send to a destination; null: it has no route
 */
record HostRoutes(Supplier<List<Gid>> addresses, Supplier<List<Gid>> up, UnaryOperator<Gid> host)
    implements Routes {
  HostRoutes(Supplier<List<Gid>> addresses, Supplier<List<Gid>> up) {
    this(addresses, up, HostRoutes::hostsChoice);
  }

  @Override
  public Gid sourceFor(Gid destination, Choice choice) {
    List<Gid> own = (choice == Choice.ANY ? addresses : up).get();
    Gid chosen = host.apply(destination);
    if (chosen != null && own.contains(chosen)) {
      return chosen;
    }
    boolean group = destination.isMulticast();
    if (choice == Choice.BEST || chosen == null && !group) {
      return null;
    }
    boolean inside = !group && isOfHost(destination);
    return own.stream()
        .filter(each -> each.isIpv4Mapped() == destination.isIpv4Mapped())
        .filter(each -> group || inside || !each.toInetAddress().isLoopbackAddress())
        .findFirst()
        .orElse(null);
  }

  private boolean isOfHost(Gid address) {
    return address.toInetAddress().isLoopbackAddress() || address.equals(host.apply(address));
  }

  /** Asks a connected datagram socket for its local address; nothing is sent. */
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
