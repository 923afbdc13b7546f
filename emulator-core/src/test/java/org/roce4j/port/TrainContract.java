package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.assertPayload;
import static org.roce4j.port.NumberedDatagrams.haveIpv6;
import static org.roce4j.port.NumberedDatagrams.path;
import static org.roce4j.port.NumberedDatagrams.receive;
import static org.roce4j.port.NumberedDatagrams.train;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.NumberedDatagrams.Datagram;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Icrc;

/** Trains of datagrams, sent at once and split by the receiver. */
interface TrainContract extends PortsUnderTest {
  @Test
  default void trainsArriveDatagramByDatagramInOrderAndSealed() {
    exchangeTrains(LEFT, RIGHT);
  }

  @Test
  default void trainsArriveOverIpv6() {
    assumeTrue(haveIpv6(), "no ::1 here");
    exchangeTrains(LOOPBACK6, LOOPBACK6);
  }

  private void exchangeTrains(Gid from, Gid to) {
    Port left = open(options(from));
    Port right = from.equals(to) ? left : open(options(to));
    Path path = path(from, to, 0, 64);
    Transmit train = train(left);
    for (int size : new int[] {32, 60, 1040, 4156}) {
      int[] sizes = new int[40];
      Arrays.fill(sizes, size);
      sizes[12] = size / 2;
      sizes[39] = size - 4;
      train.clear();
      for (int i = 0; i < sizes.length; i++) {
        if (!add(train, path, sizes[i], i)) {
          left.send(train);
          train.clear();
          assertTrue(add(train, path, sizes[i], i));
        }
      }
      left.send(train);
      List<Datagram> received = receive(right, sizes.length);
      for (int i = 0; i < sizes.length; i++) {
        assertPayload(sizes[i], i, received.get(i));
        assertEquals(IcrcVerdict.RIGHT, received.get(i).icrc(), i + " of " + size + " bytes");
      }
    }
  }

  /**
   * The kernel's control data has room again after a datagram without control data, and a single
   * datagram that is longer than those of a train before it stays whole.
   */
  @Test
  default void trainsAreTakenApartAlsoAfterSingleDatagrams() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    Path path = path(LEFT, RIGHT, 0, 64);
    for (int round = 0; round < 20; round++) {
      train.clear();
      add(train, path, 200, 0);
      left.send(train);
      assertPayload(200, 0, receive(right, 1).getFirst());
      train.clear();
      int count = 0;
      while (count < 4 && add(train, path, 60, count)) {
        count++;
      }
      left.send(train);
      for (Datagram each : receive(right, count)) {
        assertEquals(60, each.bytes().length);
        assertEquals(right.capabilities().hopLimitIn() ? 64 : Inbound.UNKNOWN, each.hopLimit());
        assertEquals(
            right.capabilities().trafficClassIn() ? 0 : Inbound.UNKNOWN, each.trafficClass());
      }
    }
  }

  /** The second time singly, if the port has trains. */
  @Test
  default void withoutIcrcATrainIsSentAsItIs() throws IOException {
    Port left = open(options(LEFT).withCheckIcrc(false));
    Port right = open(options(RIGHT).withCheckIcrc(false));
    Path path = path(LEFT, RIGHT, 0, 64);
    Transmit train = train(left);
    int count = 0;
    while (count < 4 && add(train, path, 60, count)) {
      count++;
    }
    byte[] before = new byte[count * 60];
    train.buffer().get(0, before);
    exchangeAsItIs(left, train, right, before);
    if (left.capabilities().maxTrain() > 1) {
      refuseTrains(socketOf(LEFT));
    }
    exchangeAsItIs(left, train, right, before);
  }

  private void exchangeAsItIs(Port left, Transmit train, Port right, byte[] before) {
    left.send(train);
    int at = 0;
    for (Datagram each : receive(right, before.length / 60)) {
      assertArrayEquals(Arrays.copyOfRange(before, at, at + 60), each.bytes());
      assertEquals(IcrcVerdict.UNCHECKED, each.icrc());
      at += 60;
    }
  }

  /** Like a network device that cannot compute checksums, or one with an IPsec policy. */
  @Test
  default void aTrainThatTheKernelRefusesGoesSinglyAndIsNoError() throws IOException {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    assumeTrue(left.capabilities().maxTrain() > 1);
    refuseTrains(socketOf(LEFT));
    Path path = path(LEFT, RIGHT, 0, 64);
    Transmit train = train(left);
    Icrc icrc = new Icrc();
    for (int round = 0; round < 3; round++) {
      train.clear();
      for (int i = 0; i < 4; i++) {
        add(train, path, 60, i);
      }
      left.send(train);
      int number = 0;
      for (Datagram each : receive(right, 4)) {
        assertPayload(60, number++, each);
        ByteBuffer bytes = ByteBuffer.wrap(each.bytes());
        int sealed = icrc.ofIpv4(LEFT.ipv4(), RIGHT.ipv4(), udpPort(), udpPort(), 0, bytes, 0, 60);
        assertEquals(Icrc.read(bytes, 56), sealed, "sent singly, each bears identification 0");
      }
    }
    assertEquals(1, left.counters().get(Counter.GSO_REFUSED), "asked again and again");
    assertEquals(0, left.counters().get(Counter.SEND_ERROR));
  }

  /** From loopback no other machine is reached: neither a train nor a single datagram is sent. */
  @Test
  default void whatCannotBeSentAtAllIsNoReasonToSendSingly() throws IOException {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    assumeTrue(left.capabilities().maxTrain() > 1);
    Transmit train = train(left);
    for (String to : new String[] {"192.0.2.1", RIGHT.addressText()}) {
      Path path = path(LEFT, Gid.parse(to), 0, 64);
      train.clear();
      for (int i = 0; i < 4; i++) {
        add(train, path, 60, i);
      }
      left.send(train);
    }
    assertEquals(4, receive(right, 4).size());
    assertEquals(4, left.counters().get(Counter.SEND_ERROR));
    long before = left.counters().get(Counter.GSO_REFUSED);
    refuseTrains(socketOf(LEFT));
    left.send(train);
    assertEquals(before + 1, left.counters().get(Counter.GSO_REFUSED), "it is still a train");
  }

  /** The descriptor of the socket that is bound to an address, from the kernel. */
  private int socketOf(Gid address) throws IOException {
    String bound = "%08X:%04X".formatted(Integer.reverseBytes(address.ipv4()), udpPort());
    String inode =
        Files.readAllLines(java.nio.file.Path.of("/proc/net/udp")).stream()
            .map(line -> line.strip().split("\\s+"))
            .filter(column -> column[1].equals(bound))
            .findFirst()
            .orElseThrow()[9];
    try (Stream<java.nio.file.Path> all = Files.list(java.nio.file.Path.of("/proc/self/fd"))) {
      for (java.nio.file.Path descriptor : (Iterable<java.nio.file.Path>) all::iterator) {
        if (leadsTo("socket:[" + inode + "]", descriptor)) {
          return Integer.parseInt(descriptor.getFileName().toString());
        }
      }
    }
    throw new AssertionError("no descriptor of " + bound);
  }

  private static boolean leadsTo(String target, java.nio.file.Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().equals(target);
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }
}
