package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.IcrcSealer;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.NumberedDatagrams.Datagram;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Gid;

/** Which datagrams leave from connected sockets, and how many sockets there are. */
@EnabledOnOs(OS.LINUX)
class LocalPeersTest {
  private static final Gid OWN = Gid.parse("127.0.0.1");
  private static final int SIZE = 80;

  private final MemorySegment errno = Libc.errnoOf(Arena.ofAuto());
  private final int udpPort = NumberedDatagrams.freeUdpPort();
  private final IcrcSealer sealer = new IcrcSealer(IdentificationRule.ZERO, udpPort);
  private final LocalPeers peers = new LocalPeers(errno, sealer, udpPort, true);
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), Transmit.MAX_SEGMENTS);
  private Port listener;

  /** Open descriptors before the test, and with the listener. */
  private int none;

  private int before;

  private static Gid peer(int index) {
    return Gid.parse("127.0.1." + (index + 1));
  }

  private static int descriptors() {
    return new File("/proc/self/fd").list().length;
  }

  @BeforeEach
  void theKernelTellsIdentifications() {
    new LinuxPortProvider().open(PortOptions.of(List.of(OWN)).withUdpPort(udpPort)).close();
    none = descriptors();
    List<Gid> gids = List.of(peer(0), peer(1), peer(LocalPeers.MOST));
    listener = new LinuxPortProvider().open(PortOptions.of(gids).withUdpPort(udpPort));
    ToldIdentifications.assumed();
    assertTrue(send(OWN, peer(0)));
    peers.forget(OWN);
    before = descriptors();
  }

  @AfterEach
  void close() {
    peers.close();
    listener.close();
    assertEquals(none, descriptors());
  }

  private boolean send(Gid from, Gid to) {
    train.clear();
    NumberedDatagrams.add(train, NumberedDatagrams.path(from, to, 0, 64), SIZE, 1);
    return peers.send(train, 0);
  }

  private Datagram arrived() {
    return NumberedDatagrams.receive(listener, 1).getFirst();
  }

  @Test
  void eachPeerHasASocket() {
    arrived();
    for (int round = 0; round < 2; round++) {
      assertTrue(send(OWN, peer(0)));
      int first = train.sourcePort();
      assertEquals(first, arrived().sourcePort());
      assertTrue(send(OWN, peer(1)));
      assertNotEquals(first, train.sourcePort());
      Datagram datagram = arrived();
      assertEquals(train.sourcePort(), datagram.sourcePort());
      assertEquals(round == 0 ? IcrcVerdict.SOLVED : IcrcVerdict.RIGHT, datagram.icrc());
      NumberedDatagrams.assertPayload(SIZE, 1, datagram);
    }
    assertEquals(before + 2, descriptors());
  }

  @Test
  void aDatagramMadeToFailArrivesWrong() {
    arrived();
    train.clear();
    NumberedDatagrams.add(train, NumberedDatagrams.path(OWN, peer(0), 0, 64), SIZE, 1);
    train.spoil(0);
    assertTrue(peers.send(train, 0));
    assertEquals(IcrcVerdict.WRONG, arrived().icrc());
  }

  @Test
  void withoutAnIcrcItsBytesStayAsTheyAre() {
    LocalPeers unsealed = new LocalPeers(errno, sealer, udpPort, false);
    train.clear();
    NumberedDatagrams.add(train, NumberedDatagrams.path(OWN, peer(0), 0, 64), SIZE, 1);
    int last = train.buffer().getInt(SIZE - 4);
    assertTrue(unsealed.send(train, 0));
    assertEquals(last, train.buffer().getInt(SIZE - 4));
    unsealed.close();
  }

  @Test
  void aPeerOfAnotherMachineHasNone() {
    assertFalse(send(OWN, Gid.parse("192.0.2.1")));
    assertEquals(0, train.sourcePort());
    assertEquals(before, descriptors());
  }

  @Test
  void thePlaceOfASilentPeerIsTaken() {
    for (int i = 0; i < LocalPeers.MOST; i++) {
      assertTrue(send(OWN, peer(i)));
    }
    Gid further = peer(LocalPeers.MOST);
    for (int sent = LocalPeers.MOST; sent < LocalPeers.PATIENCE; sent += 2) {
      assertFalse(send(OWN, further), "all places are taken");
      assertTrue(send(OWN, peer(1)));
    }
    assertTrue(send(OWN, further));
    assertFalse(send(OWN, peer(0)), "it was silent longest");
    assertEquals(before + LocalPeers.MOST, descriptors());
  }

  @Test
  void aSocketThatFailsIsOpenedAgainLater() {
    Gid deaf = peer(2);
    assertTrue(send(OWN, deaf));
    assertFalse(send(OWN, deaf), "the kernel tells that nobody listens");
    assertEquals(before, descriptors());
    for (int sent = 1; sent < LocalPeers.PATIENCE; sent++) {
      assertFalse(send(OWN, deaf));
    }
    assertTrue(send(OWN, deaf));
  }

  @Test
  void theSocketsOfARemovedAddressAreClosed() {
    Gid other = Gid.parse("127.0.0.2");
    assertTrue(send(OWN, peer(0)));
    assertTrue(send(other, peer(0)));
    assertTrue(send(other, peer(1)));
    peers.forget(new Gid(other.high() + 1, other.low()));
    assertEquals(before + 3, descriptors());
    peers.forget(other);
    assertEquals(before + 1, descriptors());
    assertTrue(send(other, peer(0)));
  }

  // ---- in a port

  @Test
  void datagramsThatComeOneAtATimeAreAnsweredFromAConnectedSocket() {
    arrived();
    LoneExchange exchange = new LoneExchange(listener, udpPort, peer(0), peer(1));
    assertEquals(0, exchange.bothWays(LoneArrivals.MANY, 0));
    int port = exchange.bothWays(LoneExchange.MANY, 0);
    assertTrue(port >= ConnectedSocket.FIRST_PORT);
    assertEquals(port, exchange.bothWays(LoneExchange.MANY, 0));
    assertEquals(0, listener.counters().get(Counter.ICRC_ERROR));
    assertEquals(3, listener.counters().get(Counter.ICRC_SOLVED), "the first of each socket");
    assertEquals(before + 2, descriptors());
  }

  @Test
  void trainsAndMarkedDatagramsLeaveFromThePortOfTheDevice() {
    arrived();
    LoneExchange exchange = new LoneExchange(listener, udpPort, peer(0), peer(1));
    assertEquals(0, exchange.bothWays(2 * LoneExchange.MANY, LoneExchange.MARKED));
    assertNotEquals(0, exchange.send(1));
    assertEquals(0, exchange.send(2));
    assertEquals(0, exchange.bothWays(1, LoneExchange.MARKED));
    assertNotEquals(0, exchange.send(1));
  }

  @Test
  void aRemovedAddressLeavesNoSocket() {
    arrived();
    LoneExchange exchange = new LoneExchange(listener, udpPort, peer(0), peer(1));
    exchange.bothWays(2 * LoneExchange.MANY, LoneExchange.MARKED);
    exchange.send(1);
    assertEquals(before + 1, descriptors());
    listener.remove(peer(0));
    assertEquals(before - 1, descriptors(), "the socket of the address and that to its peer");
  }
}
