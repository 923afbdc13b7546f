package org.roce4j.port.netty;

import io.netty.channel.IoHandlerFactory;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.PortOptions;
import org.roce4j.wire.GidAddress;

/** A transport of Netty: opens sockets and has their abilities. */
interface SocketFactory {
  String name();

  IoHandlerFactory handlers();

  /** Whether trains can be sent if the options allow them. */
  boolean trains();

  /** The identification of IPv4 datagrams sent one by one. */
  IdentificationRule singles();

  /** Opens and binds the socket of one of the port's addresses. */
  NettySocket open(PortOptions options, long high, long low) throws IOException;

  /** Opens a socket that receives the datagrams to a group, on the interface of one address. */
  NettySocket openGroup(PortOptions options, long high, long low, NettySocket member)
      throws IOException;

  /** The address of a GID, with the interface if it is link-local. */
  static InetSocketAddress address(long high, long low, int port, NetworkInterface scope) {
    InetAddress address = GidAddress.toInetAddress(high, low);
    if (scope != null && !GidAddress.isIpv4Mapped(high, low) && linkLocal(address)) {
      byte[] bytes = ByteBuffer.allocate(16).putLong(high).putLong(low).array();
      try {
        address = Inet6Address.getByAddress(null, bytes, scope.getIndex());
      } catch (UnknownHostException e) {
        throw new AssertionError("sixteen bytes are always an address", e);
      }
    }
    return new InetSocketAddress(address, port);
  }

  private static boolean linkLocal(InetAddress address) {
    return address.isLinkLocalAddress() || address.isMCLinkLocal() || address.isMCNodeLocal();
  }

  /** The interface that has an address, or null. */
  static NetworkInterface scope(long high, long low) throws SocketException {
    InetAddress address = GidAddress.toInetAddress(high, low);
    NetworkInterface holder = NetworkInterface.getByInetAddress(address);
    // 127.0.0.2 works although no interface has it.
    return holder == null && address.isLoopbackAddress()
        ? NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress())
        : holder;
  }
}
