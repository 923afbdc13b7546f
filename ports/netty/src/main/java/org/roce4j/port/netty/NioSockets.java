package org.roce4j.port.netty;

import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import jdk.net.ExtendedSocketOptions;
import org.roce4j.port.BindFailure;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.wire.GidAddress;

/**
 * Sockets of {@code java.nio}, for every system. With don't-fragment, if the system has it, IPv4
 * datagrams have identification 0. Missing are the TTL of unicast datagrams, the receipt of IPv6
 * datagrams without checksum (which rxe sends), and trains.
 */
final class NioSockets implements SocketFactory {
  /** Larger than any RoCE v2 packet. A larger datagram is cut, so that its ICRC is wrong. */
  private static final int READ_SIZE = 1 << 13;

  @Override
  public String name() {
    return "netty-nio";
  }

  @Override
  public IoHandlerFactory handlers() {
    return NioIoHandler.newFactory();
  }

  @Override
  public boolean trains() {
    return false;
  }

  @Override
  public IdentificationRule singles() {
    try (DatagramChannel probe = DatagramChannel.open(StandardProtocolFamily.INET)) {
      return probe.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)
          ? IdentificationRule.ZERO
          : IdentificationRule.NONE;
    } catch (IOException e) {
      return IdentificationRule.NONE;
    }
  }

  @Override
  public NettySocket open(PortOptions options, long high, long low) throws IOException {
    NetworkInterface scope = SocketFactory.scope(high, low);
    DatagramChannel socket = configured(high, low);
    try {
      if (scope != null) {
        tryToSet(socket, StandardSocketOptions.IP_MULTICAST_IF, scope);
      }
      bind(socket, options, high, low, scope);
      return channel(socket, high, low, scope);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  @Override
  public NettySocket openGroup(PortOptions options, long high, long low, NettySocket member)
      throws IOException {
    DatagramChannel socket = configured(high, low);
    try {
      socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      bind(socket, options, high, low, member.scope());
      socket.join(GidAddress.toInetAddress(high, low), member.scope());
      return channel(socket, high, low, member.scope());
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static DatagramChannel configured(long high, long low) throws IOException {
    DatagramChannel socket =
        DatagramChannel.open(
            GidAddress.isIpv4Mapped(high, low)
                ? StandardProtocolFamily.INET
                : StandardProtocolFamily.INET6);
    tryToSet(socket, StandardSocketOptions.SO_RCVBUF, PortOptions.SOCKET_BUFFER_BYTES);
    tryToSet(socket, StandardSocketOptions.SO_SNDBUF, PortOptions.SOCKET_BUFFER_BYTES);
    tryToSet(socket, ExtendedSocketOptions.IP_DONTFRAGMENT, true);
    return socket;
  }

  private static <T> void tryToSet(DatagramChannel socket, SocketOption<T> option, T value) {
    try {
      if (socket.supportedOptions().contains(option)) {
        socket.setOption(option, value);
      }
    } catch (IOException unsupported) {
      // The system declares the option but refuses it; sockets work without it.
      return;
    }
  }

  private static void bind(
      DatagramChannel socket, PortOptions options, long high, long low, NetworkInterface scope)
      throws IOException {
    InetSocketAddress address = SocketFactory.address(high, low, options.udpPort(), scope);
    try {
      socket.bind(address);
    } catch (BindException refused) {
      // The JDK gives the errno only as the text of strerror.
      String words = String.valueOf(refused.getMessage());
      Errno errno =
          words.contains("assign")
              ? Errno.EADDRNOTAVAIL
              : words.contains("ermission") ? Errno.EACCES : Errno.EADDRINUSE;
      throw BindFailure.explain(errno, high, low, options.udpPort());
    }
  }

  private static NettySocket channel(
      DatagramChannel socket, long high, long low, NetworkInterface scope) {
    NioDatagramChannel channel = new NioDatagramChannel(socket);
    channel.config().setOption(ChannelOption.RECVBUF_ALLOCATOR, new TrainReadAllocator(READ_SIZE));
    return new NioSocket(socket, channel, high, low, scope);
  }

  private static final class NioSocket extends NettySocket {
    private final DatagramChannel socket;

    NioSocket(
        DatagramChannel socket,
        NioDatagramChannel channel,
        long high,
        long low,
        NetworkInterface scope) {
      super(channel, high, low, scope, false);
      this.socket = socket;
    }

    @Override
    void closeUnderneath() throws IOException {
      socket.close();
    }

    @Override
    void setTrafficClass(int trafficClass) throws IOException {
      socket.setOption(StandardSocketOptions.IP_TOS, trafficClass);
    }

    @Override
    void setHopLimit(int hopLimit) throws IOException {
      socket.setOption(StandardSocketOptions.IP_MULTICAST_TTL, hopLimit);
    }
  }
}
