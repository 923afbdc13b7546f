package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.assertPayload;
import static org.roce4j.port.NumberedDatagrams.freeUdpPort;
import static org.roce4j.port.NumberedDatagrams.haveIpv6;
import static org.roce4j.port.NumberedDatagrams.path;
import static org.roce4j.port.NumberedDatagrams.train;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.NumberedDatagrams.Datagram;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Gid;

/** Sockets that are read without control data, because their datagrams arrive one by one. */
class PlainReadsTest {
  private static final Gid LEFT = Gid.parse("127.0.0.1");
  private static final Gid RIGHT = Gid.parse("127.0.0.2");
  private static final Gid RIGHT6 = Gid.parse("::1");
  private static final int SIZE = 80;
  private static final int HOPS = 64;
  private static final int ECT = 2;

  private final int udpPort = freeUdpPort();
  private final Port left = open(List.of(LEFT));
  private final Port right = open(haveIpv6() ? List.of(RIGHT, RIGHT6) : List.of(RIGHT));
  private final Transmit train = train(left);

  private Port open(List<Gid> addresses) {
    return new LinuxPortProvider().open(new PortOptions(addresses, udpPort, true));
  }

  @AfterEach
  void close() {
    left.close();
    right.close();
  }

  /** Keeps what arrives. */
  private static final class Heard implements DatagramSink {
    final List<Datagram> datagrams = new ArrayList<>();
    private final boolean readsFields;

    Heard(boolean readsFields) {
      this.readsFields = readsFields;
    }

    @Override
    public void datagram(Inbound inbound) {
      datagrams.add(Datagram.of(inbound));
    }

    @Override
    public boolean readsNetworkFields() {
      return readsFields;
    }
  }

  private void send(int trafficClass, int datagrams) {
    train.clear();
    Path path = path(LEFT, RIGHT, trafficClass, HOPS);
    for (int i = 0; i < datagrams; i++) {
      assertTrue(add(train, path, SIZE, i));
    }
    left.send(train);
  }

  /** Sends datagrams one by one; each is received before the next is sent. */
  private List<Datagram> lone(int count, int trafficClass, boolean readsFields) {
    Heard heard = new Heard(readsFields);
    for (int i = 0; i < count; i++) {
      send(trafficClass, 1);
      receiveAll(heard);
    }
    assertEquals(count, heard.datagrams.size());
    return heard.datagrams;
  }

  private void receiveAll(Heard heard) {
    int before;
    do {
      before = heard.datagrams.size();
      right.receive(heard, 256);
    } while (heard.datagrams.size() > before);
  }

  private static boolean isPlain(Datagram datagram) {
    return datagram.hopLimit() == Inbound.UNKNOWN;
  }

  @BeforeEach
  void readPlainly() {
    List<Datagram> first = lone(LoneArrivals.MANY, 0, false);
    assertTrue(first.stream().noneMatch(PlainReadsTest::isPlain), "at first all fields are told");
    lone(LoneArrivals.EMPTY_READS, 0, false);
  }

  @Test
  void oneDatagramInSixtyFourTellsItsFields() {
    List<Datagram> later = lone(10 * LoneArrivals.SAMPLE, 0, false);
    List<Datagram> told = later.stream().filter(datagram -> !isPlain(datagram)).toList();
    assertEquals(10, told.size());
    for (Datagram datagram : told) {
      assertEquals(HOPS, datagram.hopLimit());
      assertEquals(0, datagram.trafficClass());
    }
  }

  /** However the socket is read; the engine counts it as broken. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEmptyDatagramIsHandedOver(boolean readsFields) throws IOException {
    Heard heard = new Heard(readsFields);
    receiveAll(heard);
    try (DatagramSocket stranger = new DatagramSocket(0)) {
      stranger.send(
          new DatagramPacket(new byte[0], 0, new InetSocketAddress("127.0.0.2", udpPort)));
    }
    receiveAll(heard);
    assertEquals(1, heard.datagrams.size());
    assertEquals(0, heard.datagrams.getFirst().bytes().length);
    assertEquals(!readsFields, isPlain(heard.datagrams.getFirst()));
  }

  @Test
  void theTimeOfADatagramIsThatOfItsArrival() {
    long before = right.nowNs();
    assertTrue(isPlain(lone(1, 0, false).getFirst()));
    assertTrue(right.receivedNs() >= before && right.receivedNs() <= right.nowNs());
  }

  @Test
  void aTrainArrivesAsItsDatagrams() {
    Heard heard = new Heard(false);
    send(0, 10);
    receiveAll(heard);
    assertEquals(10, heard.datagrams.size());
    for (int i = 0; i < 10; i++) {
      Datagram datagram = heard.datagrams.get(i);
      assertPayload(SIZE, i, datagram);
      assertEquals(IcrcVerdict.RIGHT, datagram.icrc());
      assertEquals(LEFT, datagram.source());
      assertEquals(udpPort, datagram.sourcePort());
    }
    assertEquals(0, right.counters().get(Counter.RECEIVED_TRAINS), "the kernel has split it");
  }

  @Test
  void datagramsOfAllLengthsAndBothIpVersionsAreWhole() {
    assumeTrue(haveIpv6());
    Heard heard = new Heard(false);
    Path path = path(LEFT, RIGHT, 0, HOPS);
    Path path6 = path(RIGHT6, RIGHT6, 0, HOPS);
    int count = LoneArrivals.MANY + 2 * LoneArrivals.EMPTY_READS;
    for (int i = 0; i < count; i++) {
      int size = SIZE + i % 7;
      send(left, path, size, i);
      send(right, path6, size, i);
      receiveAll(heard);
    }
    assertEquals(2 * count, heard.datagrams.size());
    assertTrue(isPlain(heard.datagrams.getLast()));
    for (int i = 0; i < count; i++) {
      List<Datagram> two = heard.datagrams.subList(2 * i, 2 * i + 2);
      two.forEach(datagram -> assertEquals(IcrcVerdict.RIGHT, datagram.icrc()));
      assertEquals(Set.of(LEFT, RIGHT6), Set.of(two.get(0).source(), two.get(1).source()));
      assertPayload(SIZE + i % 7, i, two.get(0));
      assertPayload(SIZE + i % 7, i, two.get(1));
    }
  }

  /** The kernel must not join datagrams any more once they are read without control data. */
  @Test
  void aTrainIsSplitAsSoonAsControlDataAreLeftOut() {
    receiveAll(new Heard(true));
    lone(LoneArrivals.MANY, 0, false);
    Heard heard = new Heard(false);
    for (int i = 0; i < LoneArrivals.EMPTY_READS; i++) {
      receiveAll(heard);
    }
    send(0, 10);
    receiveAll(heard);
    assertEquals(10, heard.datagrams.size());
    assertTrue(isPlain(heard.datagrams.getFirst()));
  }

  private void send(Port from, Path path, int size, int number) {
    train.clear();
    assertTrue(add(train, path, size, number));
    from.send(train);
  }

  @Test
  void trainsOfAStreamArriveUnsplit() {
    Heard heard = new Heard(false);
    for (int i = 0; i < 4; i++) {
      send(0, LoneArrivals.STREAM);
      receiveAll(heard);
    }
    assertEquals(4 * LoneArrivals.STREAM, heard.datagrams.size());
    assertEquals(3, right.counters().get(Counter.RECEIVED_TRAINS));
  }

  @Test
  void aSinkThatReadsThemIsToldTheFieldsOfEveryDatagram() {
    assertTrue(lone(100, 0, true).stream().noneMatch(PlainReadsTest::isPlain));
    send(0, 2);
    receiveAll(new Heard(true));
    assertEquals(1, right.counters().get(Counter.RECEIVED_TRAINS), "trains arrive unsplit again");
  }

  @Test
  void aSenderThatBeginsToUseEcnIsNoticedWithinSixtyFourDatagrams() {
    List<Datagram> marked = lone(2 * LoneArrivals.MANY, ECT, false);
    long missed = marked.stream().filter(datagram -> datagram.trafficClass() != ECT).count();
    assertTrue(missed < LoneArrivals.SAMPLE, () -> missed + " missed");
  }
}
