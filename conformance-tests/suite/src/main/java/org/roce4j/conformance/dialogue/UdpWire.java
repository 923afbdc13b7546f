package org.roce4j.conformance.dialogue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import java.util.stream.IntStream;
import jdk.net.ExtendedSocketOptions;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.UdpSourcePort;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.Dissector;
import org.roce4j.wire.capture.IpHeader;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.capture.UdpHeader;

/**
 * A wire on a UDP socket, from an address of this machine to any device. Over IPv4 the ICRC covers
 * the identification, which a socket does not show. Therefore it is judged only for emulators,
 * whose identifications are known. For one thread.
 */
public final class UdpWire implements Wire {
  private static final long PATIENCE_NS = 5_000_000_000L;
  private static final int MOST_PER_TRAIN = 64;
  private static final long SPIN_NS = 2_000_000;
  private static final int MOST_BYTES = 1 << 16;

  private final Gid address;
  private final Gid device;
  private final InetSocketAddress deviceSocket;
  private final boolean everyBit;
  private final DatagramChannel channel;
  private final Selector selector;
  private final ByteBuffer received = ByteBuffer.allocate(MOST_BYTES);
  private Set<Integer> qpns = Set.of();
  private int tos;

  /** A packet that arrived after the time that was waited for. */
  private Heard later;

  /**
   * Binds the socket.
   *
   * @param everyBit whether the device is an emulator of this version
   * @throws UncheckedIOException if the address and port cannot be bound
   */
  public UdpWire(InetAddress address, InetAddress device, int udpPort, boolean everyBit) {
    this.address = Gid.of(address);
    this.device = Gid.of(device);
    this.everyBit = everyBit;
    deviceSocket = new InetSocketAddress(device, udpPort);
    try {
      selector = Selector.open();
      channel =
          DatagramChannel.open(
              address instanceof Inet4Address
                  ? StandardProtocolFamily.INET
                  : StandardProtocolFamily.INET6);
      channel.bind(new InetSocketAddress(address, udpPort));
      // Don't-fragment on an unconnected socket: the identification, which the ICRC covers, is 0.
      channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot bind UDP port " + udpPort + " of " + address.getHostAddress() + ": " + e, e);
    }
  }

  /** Receives only packets to these queue pairs from now on. */
  public void listensFor(Set<Integer> numbers) {
    qpns = Set.copyOf(numbers);
  }

  @Override
  public Gid address() {
    return address;
  }

  @Override
  public Gid device() {
    return device;
  }

  @Override
  public void send(RocePacket packet) {
    send(packet, 0);
  }

  @Override
  public void sendDamaged(RocePacket packet) {
    send(packet, 1);
  }

  private void send(RocePacket draft, int damage) {
    RocePacket packet = addressed(draft);
    byte[] bytes = packet.withIcrc(packet.expectedIcrc() ^ damage).emit().toArray();
    int at = packet.ip().size() + UdpHeader.SIZE;
    try {
      mark(packet.ip());
      channel.send(ByteBuffer.wrap(bytes, at, bytes.length - at), deviceSocket);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot send to " + deviceSocket, e);
    }
  }

  /** The packet with its UDP ports and lengths, which the ICRC covers. */
  private RocePacket addressed(RocePacket draft) {
    int udpLength = UdpHeader.SIZE + draft.udpPayloadLength();
    int port = deviceSocket.getPort();
    return new RocePacket(
        draft.ip().sized(udpLength),
        new UdpHeader(port, port, udpLength, 0),
        draft.bth(),
        draft.extensions(),
        draft.payload(),
        draft.pad(),
        0);
  }

  private void mark(IpHeader ip) throws IOException {
    int wanted = ip instanceof Ipv4Header v4 ? v4.tos() : 0;
    if (wanted != tos) {
      channel.setOption(StandardSocketOptions.IP_TOS, wanted);
      tos = wanted;
    }
  }

  @Override
  public Heard next(long untilNs) {
    try {
      while (true) {
        Heard heard = later == null ? receive() : later;
        later = null;
        if (heard != null && heard.atNs() - untilNs <= 0) {
          return heard;
        }
        long leftNs = untilNs - System.nanoTime();
        if (heard != null || leftNs <= 0) {
          later = heard;
          return null;
        }
        if (leftNs > SPIN_NS) {
          selector.select((leftNs - SPIN_NS) / 1_000_000 + 1);
          selector.selectedKeys().clear();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot receive from " + deviceSocket, e);
    }
  }

  /** The next packet of the dialogue, or null. */
  private Heard receive() throws IOException {
    while (true) {
      received.clear();
      if (channel.receive(received) instanceof InetSocketAddress source) {
        long nowNs = System.nanoTime();
        received.flip();
        RocePacket packet = packet(source);
        if (packet != null && qpns.contains(packet.bth().destQp())) {
          return new Heard(nowNs, packet);
        }
      } else {
        return null;
      }
    }
  }

  /** The parsed packet; null if it is not RoCEv2. */
  private RocePacket packet(InetSocketAddress source) {
    Gid from = Gid.of(source.getAddress());
    IpHeader ip =
        from.isIpv4Mapped()
            ? Ipv4Header.of(from.ipv4(), address.ipv4(), 0)
            : Ipv6Header.of(from.high(), from.low(), address.high(), address.low());
    int udpLength = UdpHeader.SIZE + received.remaining();
    ByteBuffer b = ByteBuffer.allocate(ip.size() + udpLength);
    ip.sized(udpLength).emit(b, 0);
    // The dissector recognizes RoCEv2 by its port, but the ICRC covers the port that was used.
    UdpHeader.put(b, ip.size(), source.getPort(), UdpSourcePort.ROCE_V2, udpLength);
    b.put(ip.size() + UdpHeader.SIZE, received, 0, received.remaining());
    if (!(Dissector.dissectIp(b).getFirst() instanceof Dissection.Roce(RocePacket dissected))) {
      return null;
    }
    UdpHeader udp = new UdpHeader(source.getPort(), deviceSocket.getPort(), udpLength, 0);
    RocePacket packet = with(dissected, dissected.ip(), udp);
    if (everyBit && !icrcRight(packet)) {
      throw new AssertionError("a packet with a wrong ICRC came: " + packet);
    }
    return packet;
  }

  /** Tries the identifications that emulators send: 0, and the index within a train. */
  private static boolean icrcRight(RocePacket packet) {
    if (!(packet.ip() instanceof Ipv4Header v4)) {
      return packet.icrcRight();
    }
    return IntStream.range(0, MOST_PER_TRAIN)
        .anyMatch(id -> with(packet, v4.withIdentification(id), packet.udp()).icrcRight());
  }

  private static RocePacket with(RocePacket packet, IpHeader ip, UdpHeader udp) {
    return new RocePacket(
        ip, udp, packet.bth(), packet.extensions(), packet.payload(), packet.pad(), packet.icrc());
  }

  @Override
  public long nowNs() {
    return System.nanoTime();
  }

  @Override
  public long patienceNs() {
    return PATIENCE_NS;
  }

  @Override
  public boolean everyBit() {
    return everyBit;
  }

  @Override
  public void close() {
    try {
      channel.close();
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
