package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.datagram.Path;
import org.roce4j.port.IcrcSealer;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.UdpSourcePort;

/** A connected socket, and what the kernel makes of its datagrams. */
@EnabledOnOs(OS.LINUX)
class ConnectedSocketTest {
  private static final Gid OWN = Gid.parse("127.0.0.1");
  private static final Gid PEER = Gid.parse("127.0.0.2");
  private static final int SIZE = 80;
  private static final int ETHERNET = 14;
  private static final int IP = 20;
  private static final int UDP = 8;

  private final Arena arena = Arena.ofAuto();
  private final MemorySegment errno = Libc.errnoOf(arena);
  private final MemorySegment bytes = arena.allocate(SIZE);
  private final ByteBuffer buffer = bytes.asByteBuffer();
  private final MemorySegment frame = arena.allocate(256, 8);
  private final int udpPort = NumberedDatagrams.freeUdpPort();
  private ConnectedSocket socket;

  @AfterEach
  void close() {
    if (socket != null) {
      socket.close(errno);
    }
  }

  private ConnectedSocket open(Gid own, Gid peer) {
    Path path = NumberedDatagrams.path(own, peer, 0, UdpSocket.HOP_LIMIT);
    socket = ConnectedSocket.open(errno, path, udpPort, 0);
    return socket;
  }

  private UdpSocket listening(Gid gid) {
    PortOptions options = PortOptions.of(List.of(gid)).withUdpPort(udpPort);
    return UdpSocket.ofAddress(errno, options, gid.high(), gid.low(), 0, UdpSocket.Sharing.ALONE);
  }

  private void openOrSkip() {
    ToldIdentifications.assumed();
    assertNotNull(open(OWN, PEER));
  }

  /** A datagram as it left, with its headers; the kernel returns it with the time of sending. */
  private ByteBuffer returned() {
    int length = socket.returned(frame);
    assertEquals(ETHERNET + IP + UDP + SIZE, length);
    return frame.asByteBuffer().order(ByteOrder.BIG_ENDIAN);
  }

  /** The kernel's counter passes its end here. */
  @Test
  void theIcrcIsThatOfTheHeadersWithWhichDatagramsLeave() {
    openOrSkip();
    UdpSocket peer = listening(PEER);
    SocketOptions options = new SocketOptions(errno, socket.fd(), OWN.high(), OWN.low());
    assertTrue(options.tryToSet(Abi.SOL_SOCKET, Abi.SO_TIMESTAMPING, Abi.TIMESTAMPING_TX_SOFTWARE));
    IcrcSealer sealer = new IcrcSealer(IdentificationRule.ZERO, udpPort);
    Icrc icrc = new Icrc();
    Path path = NumberedDatagrams.path(OWN, PEER, 0, UdpSocket.HOP_LIMIT);
    for (int i = 0; i < 0x10001; i++) {
      buffer.putInt(12, i);
      int identification = socket.identification();
      sealer.seal(path, socket.port(), identification, buffer, 0, SIZE);
      assertTrue(socket.send(bytes.address(), SIZE));
      ByteBuffer frame = returned();
      assertEquals(identification, Short.toUnsignedInt(frame.getShort(ETHERNET + 4)));
      assertEquals(UdpSocket.HOP_LIMIT, frame.get(ETHERNET + 8));
      assertEquals(0, frame.getShort(ETHERNET + IP + 6), "the UDP checksum");
      assertEquals(socket.port(), Short.toUnsignedInt(frame.getShort(ETHERNET + IP)));
      assertEquals(
          Icrc.read(frame, ETHERNET + IP + UDP + SIZE - Icrc.SIZE),
          icrc.ofFrame(frame, ETHERNET, SIZE));
    }
    peer.close(errno);
  }

  @Test
  void datagramsAreNotReturnedAfterItIsOpen() {
    openOrSkip();
    UdpSocket peer = listening(PEER);
    assertTrue(socket.send(bytes.address(), SIZE));
    assertEquals(-1, socket.returned(frame));
    peer.close(errno);
  }

  /** A judge of ICRCs expects identifications of their own only below those of network cards. */
  @Test
  void itsPortIsNoneOfANetworkCard() {
    for (int i = 0; i < 100; i++) {
      openOrSkip();
      assertTrue(socket.port() >= ConnectedSocket.FIRST_PORT);
      assertTrue(socket.port() < UdpSourcePort.MIN);
      close();
    }
    socket = null;
  }

  @Test
  void aPeerThatDoesNotListenIsNoticed() {
    openOrSkip();
    socket.send(bytes.address(), SIZE);
    assertFalse(socket.send(bytes.address(), SIZE), "the kernel tells that nobody listens");
  }

  @Test
  void overIpv6NothingNeedBeLearned() {
    assumeTrue(NumberedDatagrams.haveIpv6());
    Gid own = Gid.parse("::1");
    assertNotNull(open(own, own));
    UdpSocket peer = listening(own);
    assertTrue(socket.send(bytes.address(), SIZE));
    assertTrue(socket.send(bytes.address(), SIZE));
    peer.close(errno);
  }

  @ParameterizedTest
  @CsvSource({"192.0.2.1, 127.0.0.1", "127.0.0.1, 192.0.2.1"})
  void anAddressThatIsNotHereIsNone(String own, String peer) {
    assertNull(open(Gid.parse(own), Gid.parse(peer)));
  }
}
