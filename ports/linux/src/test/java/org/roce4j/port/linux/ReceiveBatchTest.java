package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.PortOptions;
import org.roce4j.port.linux.UdpSocket.Sharing;
import org.roce4j.verbs.Gid;

/** What the kernel tells of a message is told of this message alone. */
@EnabledOnOs(OS.LINUX)
class ReceiveBatchTest {
  private static final int ECT = 2;

  private final Arena arena = Arena.ofAuto();
  private final MemorySegment errno = Libc.errnoOf(arena);
  private final ReceiveBatch batch = new ReceiveBatch(arena);
  private final int udpPort = NumberedDatagrams.freeUdpPort();

  private UdpSocket open(Gid gid) {
    PortOptions options = PortOptions.of(List.of(gid)).withUdpPort(udpPort);
    return UdpSocket.ofAddress(errno, options, gid.high(), gid.low(), 0, Sharing.ALONE);
  }

  private void read(UdpSocket socket) {
    assertEquals(1, batch.receiveOne(socket.fd()));
    batch.open(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1"})
  void trafficClassAndHopLimitAreRead(String address) throws IOException {
    Gid gid = Gid.parse(address);
    assumeTrue(gid.isIpv4Mapped() || NumberedDatagrams.haveIpv6());
    UdpSocket socket = open(gid);
    try (DatagramChannel sender =
        DatagramChannel.open(
            gid.isIpv4Mapped() ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6)) {
      InetSocketAddress to = new InetSocketAddress(gid.toInetAddress(), udpPort);
      sender.setOption(StandardSocketOptions.IP_TOS, ECT);
      sender.send(ByteBuffer.allocate(20), to);
      sender.send(ByteBuffer.allocate(21), to);
      sender.setOption(StandardSocketOptions.IP_TOS, 0);
      sender.send(ByteBuffer.allocate(22), to);
      read(socket);
      assertEquals("20 bytes, class 2, hops 64", told());
      assertEquals(1, batch.receivePlain(socket.fd()));
      assertEquals("21 bytes, class " + Inbound.UNKNOWN + ", hops " + Inbound.UNKNOWN, told());
      read(socket);
      assertEquals("22 bytes, class 0, hops 64", told());
      assertEquals(-1, batch.receiveOne(socket.fd()));
      assertEquals(-1, batch.receivePlain(socket.fd()));
    } finally {
      socket.close(errno);
    }
  }

  private String told() {
    return batch.length(0) + " bytes, class " + batch.trafficClass() + ", hops " + batch.hopLimit();
  }
}
