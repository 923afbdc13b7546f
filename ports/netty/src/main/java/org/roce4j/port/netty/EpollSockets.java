package org.roce4j.port.netty;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.Errors.NativeIoException;
import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import org.roce4j.port.BindFailure;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.wire.GidAddress;

/**
 * Sockets of Netty's epoll transport. Unconnected and with path MTU discovery set to PROBE the
 * kernel gives IPv4 datagrams the identification 0, and segment k of a train k.
 */
final class EpollSockets implements SocketFactory {
  /** The size of the largest train; receive offload returns no more at a time. */
  private static final int READ_SIZE = 1 << 16;

  // Numbers of the Linux user interface, equal on x86-64 and aarch64.
  private static final int SOL_IP = 0;
  private static final int SOL_UDP = 17;
  private static final int SOL_IPV6 = 41;
  private static final int IP_TOS = 1;
  private static final int IP_TTL = 2;
  private static final int IP_MTU_DISCOVER = 10;
  private static final int IP_MULTICAST_IF = 32;
  private static final int IP_MULTICAST_TTL = 33;
  private static final int IP_ADD_MEMBERSHIP = 35;
  private static final int IP_MULTICAST_ALL = 49;
  private static final int IPV6_UNICAST_HOPS = 16;
  private static final int IPV6_MULTICAST_IF = 17;
  private static final int IPV6_MULTICAST_HOPS = 18;
  private static final int IPV6_JOIN_GROUP = 20;
  private static final int IPV6_MTU_DISCOVER = 23;
  private static final int IPV6_MULTICAST_ALL = 29;
  private static final int IPV6_DONTFRAG = 62;
  private static final int IPV6_TCLASS = 67;
  private static final int PMTUDISC_PROBE = 3;
  private static final int UDP_NO_CHECK6_RX = 102;

  @Override
  public String name() {
    return "netty-epoll";
  }

  @Override
  public IoHandlerFactory handlers() {
    return EpollIoHandler.newFactory();
  }

  @Override
  public boolean trains() {
    return EpollDatagramChannel.isSegmentedDatagramPacketSupported();
  }

  @Override
  public IdentificationRule singles() {
    return IdentificationRule.ZERO;
  }

  @Override
  public NettySocket open(PortOptions options, long high, long low) throws IOException {
    NetworkInterface scope = SocketFactory.scope(high, low);
    LinuxSocket socket = configured(high, low);
    try {
      if (GidAddress.isIpv4Mapped(high, low)) {
        tryToSet(socket, SOL_IP, IP_MULTICAST_IF, Integer.reverseBytes(GidAddress.ipv4(low)));
      } else if (scope != null) {
        tryToSet(socket, SOL_IPV6, IPV6_MULTICAST_IF, scope.getIndex());
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
    LinuxSocket socket = configured(high, low);
    try {
      socket.setReuseAddress(true);
      bind(socket, options, high, low, member.scope());
      if (GidAddress.isIpv4Mapped(high, low)) {
        tryToSet(socket, SOL_IP, IP_MULTICAST_ALL, 0);
        ByteBuffer request = ByteBuffer.allocateDirect(8);
        request.putInt(GidAddress.ipv4(low)).putInt(GidAddress.ipv4(member.low())).flip();
        socket.setRawOpt(SOL_IP, IP_ADD_MEMBERSHIP, request);
      } else {
        tryToSet(socket, SOL_IPV6, IPV6_MULTICAST_ALL, 0);
        int index = member.scope() == null ? 0 : member.scope().getIndex();
        ByteBuffer request = ByteBuffer.allocateDirect(20);
        request.putLong(high).putLong(low).putInt(Integer.reverseBytes(index)).flip();
        socket.setRawOpt(SOL_IPV6, IPV6_JOIN_GROUP, request);
      }
      return channel(socket, high, low, member.scope());
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static LinuxSocket configured(long high, long low) throws IOException {
    boolean ipv4 = GidAddress.isIpv4Mapped(high, low);
    LinuxSocket socket =
        LinuxSocket.newSocketDgram(ipv4 ? SocketProtocolFamily.INET : SocketProtocolFamily.INET6);
    try {
      socket.setReceiveBufferSize(PortOptions.SOCKET_BUFFER_BYTES);
      socket.setSendBufferSize(PortOptions.SOCKET_BUFFER_BYTES);
      if (ipv4) {
        socket.setIntOpt(SOL_IP, IP_MTU_DISCOVER, PMTUDISC_PROBE);
      } else {
        socket.setIntOpt(SOL_IPV6, IPV6_MTU_DISCOVER, PMTUDISC_PROBE);
        socket.setIntOpt(SOL_IPV6, IPV6_DONTFRAG, 1);
        // rxe and hardware send checksum 0, which IPv6 sockets refuse by default.
        tryToSet(socket, SOL_UDP, UDP_NO_CHECK6_RX, 1);
      }
      return socket;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static void tryToSet(LinuxSocket socket, int level, int name, int value) {
    try {
      socket.setIntOpt(level, name, value);
    } catch (IOException | ChannelException unsupported) {
      // An older kernel, or an interface without multicast; sockets work without the option.
      return;
    }
  }

  private static void bind(
      LinuxSocket socket, PortOptions options, long high, long low, NetworkInterface scope)
      throws IOException {
    try {
      socket.bind(SocketFactory.address(high, low, options.udpPort(), scope));
    } catch (NativeIoException refused) {
      Errno errno = Errno.of(-refused.expectedErr());
      throw BindFailure.explain(errno == null ? Errno.EIO : errno, high, low, options.udpPort());
    }
  }

  private NettySocket channel(LinuxSocket socket, long high, long low, NetworkInterface scope) {
    EpollDatagramChannel channel = new EpollDatagramChannel(socket.intValue());
    TrainReadAllocator allocator = new TrainReadAllocator(READ_SIZE);
    channel.config().setOption(ChannelOption.RECVBUF_ALLOCATOR, allocator);
    channel.config().setOption(EpollChannelOption.UDP_GRO, true);
    EpollSocket opened = new EpollSocket(socket, channel, high, low, scope, trains());
    allocator.tell(opened);
    return opened;
  }

  private static final class EpollSocket extends NettySocket {
    private final LinuxSocket socket;
    private final EpollDatagramChannel channel;

    EpollSocket(
        LinuxSocket socket,
        EpollDatagramChannel channel,
        long high,
        long low,
        NetworkInterface scope,
        boolean trains) {
      super(channel, high, low, scope, trains);
      this.socket = socket;
      this.channel = channel;
    }

    @Override
    void closeUnderneath() throws IOException {
      // Through the channel's own descriptor object, which closes only once.
      channel.fd().close();
    }

    @Override
    void setTrafficClass(int trafficClass) throws IOException {
      if (ipv4()) {
        socket.setIntOpt(SOL_IP, IP_TOS, trafficClass);
      } else {
        socket.setIntOpt(SOL_IPV6, IPV6_TCLASS, trafficClass);
      }
    }

    @Override
    void setHopLimit(int hopLimit) throws IOException {
      if (ipv4()) {
        socket.setIntOpt(SOL_IP, IP_TTL, hopLimit);
        socket.setIntOpt(SOL_IP, IP_MULTICAST_TTL, hopLimit);
      } else {
        socket.setIntOpt(SOL_IPV6, IPV6_UNICAST_HOPS, hopLimit);
        socket.setIntOpt(SOL_IPV6, IPV6_MULTICAST_HOPS, hopLimit);
      }
    }
  }
}
