package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.assertPayload;
import static org.roce4j.port.NumberedDatagrams.haveIpv6;
import static org.roce4j.port.NumberedDatagrams.path;
import static org.roce4j.port.NumberedDatagrams.receive;
import static org.roce4j.port.NumberedDatagrams.train;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.NumberedDatagrams.Datagram;
import org.roce4j.verbs.Gid;

/** Single datagrams at a port: bytes, addresses, traffic class, ICRC, time of arrival. */
interface DatagramContract extends PortsUnderTest {
  @Test
  default void aSingleDatagramArrivesWholeWithItsAddresses() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    add(train, path(LEFT, RIGHT, 0, 64), 60, 1);
    left.send(train);
    Datagram datagram = receive(right, 1).getFirst();
    assertPayload(60, 1, datagram);
    assertEquals(LEFT, datagram.source());
    assertEquals(RIGHT, datagram.local());
    assertEquals(udpPort(), datagram.sourcePort());
    assertEquals(IcrcVerdict.RIGHT, datagram.icrc());
  }

  @Test
  default void aPortTakesDatagramsOfAllItsAddresses() {
    Gid third = Gid.parse("127.0.0.3");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT, third));
    Transmit train = train(left);
    add(train, path(LEFT, RIGHT, 0, 64), 32, 1);
    left.send(train);
    train.clear();
    add(train, path(LEFT, third, 0, 64), 32, 2);
    left.send(train);
    List<Gid> locals = receive(right, 2).stream().map(Datagram::local).toList();
    assertTrue(locals.contains(RIGHT) && locals.contains(third), locals.toString());
    train.clear();
    add(train, path(third, LEFT, 0, 64), 32, 3);
    right.send(train);
    assertEquals(third, receive(left, 1).getFirst().source());
  }

  /** Addresses of one family leave room for those of the other. */
  @Test
  default void aPortOfBothFamiliesKeepsThemApart() {
    assumeTrue(haveIpv6(), "no ::1 here");
    Port port = open(options(LEFT, LOOPBACK6));
    Transmit train = train(port);
    for (int i = 0; i < 8; i++) {
      Gid self = i % 2 == 0 ? LEFT : LOOPBACK6;
      train.clear();
      add(train, path(self, self, 0, 64), 60, i);
      port.send(train);
      Datagram datagram = receive(port, 1).getFirst();
      assertPayload(60, i, datagram);
      assertEquals(self, datagram.source());
      assertEquals(self, datagram.local());
      assertEquals(IcrcVerdict.RIGHT, datagram.icrc());
    }
  }

  @Test
  default void trafficClassAndHopLimitTravelWhereDeclared() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    PortCapabilities can = right.capabilities();
    Transmit train = train(left);
    for (int trafficClass : new int[] {0, 0xB8, 0x02, 0xFC}) {
      train.clear();
      add(train, path(LEFT, RIGHT, trafficClass, 17), 32, trafficClass);
      left.send(train);
      Datagram datagram = receive(right, 1).getFirst();
      assertEquals(
          can.trafficClassIn()
              ? left.capabilities().trafficClassOut() ? trafficClass : datagram.trafficClass()
              : Inbound.UNKNOWN,
          datagram.trafficClass());
      assertEquals(can.hopLimitIn() ? 17 : Inbound.UNKNOWN, datagram.hopLimit());
      assertEquals(IcrcVerdict.RIGHT, datagram.icrc());
    }
  }

  @Test
  default void withoutIcrcNothingIsJudged() {
    PortOptions plain = options(LEFT).withCheckIcrc(false);
    Port left = open(plain);
    Transmit train = train(left);
    add(train, path(LEFT, LEFT, 0, 64), 32, 7);
    byte[] before = new byte[32];
    train.buffer().get(0, before);
    left.send(train);
    Datagram datagram = receive(left, 1).getFirst();
    assertArrayEquals(before, datagram.bytes());
    assertEquals(IcrcVerdict.UNCHECKED, datagram.icrc());
  }

  @Test
  default void aForeignDatagramIsHandedOverAsWrongAndCounted() throws IOException {
    Port port = open(options(LEFT));
    try (DatagramSocket stranger = new DatagramSocket(0)) {
      for (int size : new int[] {0, 3, 15, 16, 60, 2000}) {
        stranger.send(
            new DatagramPacket(
                new byte[size], size, new InetSocketAddress("127.0.0.1", udpPort())));
      }
    }
    for (Datagram datagram : receive(port, 6)) {
      assertEquals(IcrcVerdict.WRONG, datagram.icrc(), datagram.bytes().length + " bytes");
    }
    assertEquals(6, port.counters().get(Counter.ICRC_ERROR));
  }

  @Test
  default void whatCannotBeSentIsCountedAndNotThrown() {
    Port port = open(options(LEFT));
    Transmit train = train(port);
    // From a foreign address, to a network that loopback does not reach, and too long.
    add(train, path(RIGHT, LEFT, 0, 64), 32, 1);
    port.send(train);
    assertEquals(1, port.counters().get(Counter.SEND_ERROR));
    train.clear();
    add(train, path(LEFT, Gid.parse("192.0.2.1"), 0, 64), 32, 1);
    port.send(train);
    port.receive(in -> {}, 1);
    assertEquals(2, port.counters().get(Counter.SEND_ERROR));
    Transmit huge = new Transmit(ByteBuffer.allocateDirect(1 << 17), 1);
    int size = 65_600;
    huge.claim(path(LEFT, LEFT, 0, 64), 0, size);
    huge.commit(size);
    port.send(huge);
    port.receive(in -> {}, 1);
    assertEquals(3, port.counters().get(Counter.SEND_ERROR));
  }

  @Test
  default void anAddressThatIsFloodedDoesNotKeepAnotherFromBeingHeard() {
    Gid third = Gid.parse("127.0.0.3");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT, third));
    Transmit train = train(left);
    for (Gid flooded : List.of(RIGHT, third)) {
      Gid other = flooded.equals(RIGHT) ? third : RIGHT;
      for (int i = 0; i < 100; i++) {
        train.clear();
        add(train, path(LEFT, i < 99 ? flooded : other, 0, 64), 32, i);
        left.send(train);
      }
      List<Gid> locals = new ArrayList<>();
      for (int call = 0; call < 4; call++) {
        right.receive(in -> locals.add(new Gid(in.localHigh(), in.localLow())), 8);
      }
      assertTrue(locals.contains(other), () -> "heard: " + locals);
      receive(right, 100 - locals.size());
    }
  }

  @Test
  default void theTimeOfABatchIsThatOfItsArrival() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    add(train, path(LEFT, RIGHT, 0, 64), 32, 1);
    for (int i = 0; i < 3; i++) {
      long sent = right.nowNs();
      left.send(train);
      List<Long> times = new ArrayList<>();
      while (times.isEmpty()) {
        right.receive(in -> times.add(right.receivedNs()), 8);
      }
      assertTrue(times.getFirst() >= sent && times.getFirst() <= right.nowNs(), "batch " + i);
    }
  }

  @Test
  default void whatASinkThrowsIsThrownOnce() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    add(train, path(LEFT, RIGHT, 0, 64), 32, 1);
    left.send(train);
    DatagramSink throwing =
        in -> {
          throw new IllegalStateException("thrown by a test");
        };
    assertThrows(
        IllegalStateException.class,
        () -> {
          long deadline = System.nanoTime() + PATIENCE_NS;
          while (System.nanoTime() - deadline < 0) {
            right.receive(throwing, 8);
          }
        });
    left.send(train);
    receive(right, 1);
  }
}
