package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

class FabricTest {
  private static final String A = "10.0.0.1";
  private static final String B = "10.0.0.2";

  @ParameterizedTest
  @CsvSource({"10.0.0.1, 10.0.0.2", "fd77::1, fd77::2", "10.0.0.1, 10.0.0.1"})
  void aTrainArrivesWholeAfterTheDelay(String from, String to) {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, from);
      FabricPeer b = from.equals(to) ? a : new FabricPeer(fabric, to);
      drain(fabric);
      a.send(b.gid(), 0, 100, 4136);
      drain(fabric);

      assertEquals(range(100), b.numbers());
      assertEquals(2_000, fabric.nowNs());
      for (FabricPeer.Arrival arrival : b.arrivals) {
        assertEquals(2_000, arrival.atNs());
        assertEquals(4136, arrival.length());
        assertEquals(IcrcVerdict.RIGHT, arrival.icrc());
        assertEquals(a.gid(), arrival.source());
        assertEquals(b.gid(), arrival.local());
      }
      assertEquals(64, b.hopLimit);
      assertEquals(0x62, b.trafficClass);
      assertEquals(0xC123, b.sourcePort);
      assertEquals(0, fabric.inFlight());
    }
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.1, 10.0.0.2, 64", "fd77::1, fd77::2, 1"})
  void theIdentificationIsThePlaceInTheTrainOverIpv4Alone(String from, String to, int places) {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, from);
      FabricPeer b = new FabricPeer(fabric, to);
      List<Integer> identifications = new ArrayList<>();
      fabric.tap(
          new FabricObserver() {
            @Override
            public void sent(long nowNs, FabricDatagram datagram) {
              identifications.add(datagram.identification());
            }
          });
      a.send(b.gid(), 0, 100, 100);
      assertEquals(range(100).stream().map(i -> i % places).toList(), identifications);
    }
  }

  @Test
  void theSameSeedGivesTheSameRunAndAnotherSeedAnother() {
    assertEquals(stormyRun(5), stormyRun(5));
    assertNotEquals(stormyRun(5), stormyRun(6));
  }

  @Test
  void nothingIsLeftToHappenWhenAllHasArrived() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, A);
      assertTrue(fabric.step(), "a registered node has its first turn");
      assertFalse(fabric.step());
      assertEquals(1, a.turns);
      fabric.poke(a);
      assertTrue(fabric.step());
      assertFalse(fabric.step());
      assertEquals(2, a.turns);
      a.port.wakeup();
      assertTrue(fabric.step());
      assertEquals(3, a.turns);
      assertEquals(0, fabric.nowNs());
    }
  }

  @Test
  void theClockJumpsToTheNextDeadline() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, A);
      FabricPeer b = new FabricPeer(fabric, B);
      drain(fabric);
      a.deadlineNs = 500_000_000;
      b.deadlineNs = 400_000_000;
      assertTrue(fabric.step());
      assertEquals(400_000_000, fabric.nowNs());
      assertTrue(fabric.step());
      assertEquals(500_000_000, fabric.nowNs());
      assertFalse(fabric.step());
    }
  }

  @Test
  void runUntilEndsAtTheConditionOrAtTheLimit() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, A);
      FabricPeer b = new FabricPeer(fabric, B);
      a.send(b.gid(), 0, 1, 100);
      assertFalse(fabric.runUntil(() -> !b.arrivals.isEmpty(), 1_999));
      assertEquals(1_999, fabric.nowNs());
      assertTrue(fabric.runUntil(() -> !b.arrivals.isEmpty(), 5_000));
      assertEquals(2_000, fabric.nowNs());
      assertFalse(fabric.runUntil(() -> false, Long.MAX_VALUE), "would wait for ever");
      assertEquals(2_000, fabric.nowNs());
      fabric.run(1_000_000);
      assertEquals(1_002_000, fabric.nowNs());
    }
  }

  @Test
  void aNodeThatStaysInThePastIsFound() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      Node stuck =
          new Node() {
            @Override
            public void run(long nowNs) {}

            @Override
            public long nextDeadlineNs() {
              return 0;
            }
          };
      fabric.run(1_000);
      fabric.register(stuck, fabric.attach(List.of(Gid.parse(A))));
      assertThrows(IllegalStateException.class, () -> drain(fabric));
    }
  }

  @Test
  void aTurnMustNotStepTheFabric() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      Node nosy =
          new Node() {
            @Override
            public void run(long nowNs) {
              fabric.step();
            }

            @Override
            public long nextDeadlineNs() {
              return Long.MAX_VALUE;
            }
          };
      fabric.register(nosy, fabric.attach(List.of(Gid.parse(A))));
      assertThrows(IllegalStateException.class, fabric::step);
    }
  }

  @Test
  void anAddressBelongsToOnePortAtATime() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPort port = fabric.attach(List.of(Gid.parse(A), Gid.parse("fd77::1")));
      assertRefused(Errno.EADDRINUSE, () -> fabric.attach(List.of(Gid.parse("fd77::1"))));
      assertRefused(Errno.EADDRINUSE, () -> fabric.attach(List.of(Gid.parse(B), Gid.parse(B))));
      assertRefused(Errno.EINVAL, () -> fabric.attach(List.of()));
      assertRefused(Errno.EINVAL, () -> fabric.attach(List.of(Gid.ZERO)));
      assertRefused(Errno.EINVAL, () -> fabric.attach(List.of(Gid.parse("224.0.0.1"))));
      port.close();
      port.close();
      fabric.attach(List.of(Gid.parse("fd77::1"), Gid.parse(B)));
      port.close();
      assertRefused(Errno.EADDRINUSE, () -> fabric.attach(List.of(Gid.parse("fd77::1"))));
    }
  }

  @Test
  void aNodeNeedsAPortOfThisFabricWithoutAnother() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1));
        Fabric other = new Fabric(FabricOptions.of(1))) {
      FabricPort closed = fabric.attach(List.of(Gid.parse(B)));
      closed.close();
      FabricPeer node = new FabricPeer(fabric, A);
      assertRefused(Errno.EBUSY, () -> fabric.register(node, node.port));
      assertRefused(Errno.EINVAL, () -> fabric.register(node, closed));
      FabricPort elsewhere = other.attach(List.of(Gid.parse(A)));
      assertRefused(Errno.EINVAL, () -> fabric.register(node, elsewhere));
    }
  }

  @Test
  void whatIsSentToNobodyIsCounted() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, A);
      FabricPeer b = new FabricPeer(fabric, B);
      a.send(Gid.parse("10.9.9.9"), 0, 3, 100);
      a.send(Gid.parse("224.1.1.1"), 0, 4, 100);
      a.send(b.gid(), 0, 5, 100);
      b.close();
      drain(fabric);
      assertEquals(12, fabric.counts().dropped(DropReason.UNREACHABLE));
      a.close();
      a.send(b.gid(), 0, 5, 100);
      assertEquals(5, a.port.counters().get(Counter.SEND_ERROR));
      assertEquals(0, fabric.inFlight());
    }
  }

  @Test
  void aDatagramOverTheOtherIpVersionIsASendError() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, A);
      a.send(Gid.parse("fd77::2"), 0, 2, 100);
      assertEquals(2, a.port.counters().get(Counter.SEND_ERROR));
    }
  }

  @Test
  void aFullReceiveBufferDrops() {
    FabricOptions options = FabricOptions.of(0).withReceiveBufferBytes(1_000);
    try (Fabric fabric = new Fabric(options)) {
      FabricPeer a = new FabricPeer(fabric, A);
      FabricPeer b = new FabricPeer(fabric, B);
      a.send(b.gid(), 0, 12, 100);
      drain(fabric);
      assertEquals(range(10), b.numbers());
      assertEquals(2, fabric.counts().dropped(DropReason.RECEIVE_BUFFER_FULL));
      assertEquals(2, b.port.counters().get(Counter.SOCKET_RECEIVE_DROPPED));
    }
  }

  @Test
  void memoryIsBoundedAndReused() {
    FabricOptions options = FabricOptions.of(0).withMemoryBytes(200_000);
    try (Fabric fabric = new Fabric(options)) {
      FabricPeer a = new FabricPeer(fabric, A);
      FabricPeer b = new FabricPeer(fabric, B);
      a.send(b.gid(), 0, 100, 4136);
      assertTrue(fabric.counts().dropped(DropReason.MEMORY_FULL) > 0);
      drain(fabric);
      long bytes = fabric.memoryBytes();
      assertTrue(bytes <= 200_000, bytes + " bytes");
      long dropped = fabric.counts().dropped();
      for (int i = 0; i < 1_000; i++) {
        a.send(b.gid(), i, 10, 4136);
        drain(fabric);
      }
      assertEquals(bytes, fabric.memoryBytes());
      assertEquals(dropped, fabric.counts().dropped());
    }
  }

  /** Also a datagram for which there is no address, no member of its group, or no memory. */
  @Test
  void whatIsCarriedArrivesOrIsCountedAsDropped() {
    Map<DropReason, List<Integer>> lengths = new EnumMap<>(DropReason.class);
    try (Fabric fabric = new Fabric(FabricOptions.of(0).withMemoryBytes(200_000))) {
      FabricPeer a = new FabricPeer(fabric, A);
      FabricPeer b = new FabricPeer(fabric, B);
      fabric.tap(
          new FabricObserver() {
            @Override
            public void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {
              lengths.computeIfAbsent(reason, _ -> new ArrayList<>()).add(datagram.length);
            }
          });
      a.send(Gid.parse("10.0.0.9"), 0, 2, 100);
      a.send(Gid.parse("239.1.2.3"), 0, 3, 104);
      a.send(b.gid(), 0, 100, 4136);
      a.send(b.gid(), 0, 2, 4104);
      drain(fabric);
      FabricCounts counts = fabric.counts();
      assertEquals(107, counts.carried());
      assertEquals(107, counts.delivered() + counts.dropped());
      assertEquals(0, fabric.inFlight());
    }
    assertEquals(List.of(100, 100, 104, 104, 104), lengths.get(DropReason.UNREACHABLE));
    List<Integer> noMemory = lengths.get(DropReason.MEMORY_FULL);
    assertEquals(List.of(4136, 4104, 4104), noMemory.subList(noMemory.size() - 3, noMemory.size()));
  }

  @Test
  void addressesThatDifferInOneHalfAreDifferent() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, "fd00::9");
      List<FabricPeer> others =
          Stream.of("fd01::1", "fd02::1", "fd02::2", "fd01::2")
              .map(address -> new FabricPeer(fabric, address))
              .toList();
      for (int i = 0; i < others.size(); i++) {
        a.send(others.get(i).gid(), i, 1, 100);
        others.get(i).send(a.gid(), i, 1, 100);
      }
      drain(fabric);
      for (int i = 0; i < others.size(); i++) {
        assertEquals(List.of(i), others.get(i).numbers());
        assertEquals(others.get(i).gid(), a.arrivals.get(i).source());
      }
      assertEquals(range(4), a.numbers());
    }
  }

  @Test
  void noLinkJoinsAddressesOfDifferentIpVersions() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      assertRefused(Errno.EINVAL, () -> fabric.link(Gid.parse(A), Gid.parse("fd77::1")));
      assertRefused(Errno.EINVAL, () -> fabric.link(Gid.parse("fd77::1"), Gid.parse(A)));
    }
  }

  /** The largest payload of UDP, which is no multiple of the words that the memory consists of. */
  @Test
  void theLargestDatagramArrivesAndALargerOneIsASendError() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, A);
      FabricPeer b = new FabricPeer(fabric, B);
      a.send(b.gid(), 7, 1, Transmit.MAX_BYTES);
      a.sendFrom(0, b.gid(), 8, Transmit.MAX_BYTES + 1);
      drain(fabric);
      assertEquals(List.of(7), b.numbers());
      assertEquals(Transmit.MAX_BYTES, b.arrivals.getFirst().length());
      assertEquals(1, a.port.counters().get(Counter.SEND_ERROR));
    }
  }

  @Test
  void theMemoryIsUsedToTheLastByteOfItsLimit() {
    long taken;
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      new FabricPeer(fabric, A).send(new FabricPeer(fabric, B).gid(), 0, 1, 100);
      taken = fabric.memoryBytes();
    }
    for (long limit : new long[] {taken, taken - 1}) {
      try (Fabric fabric = new Fabric(FabricOptions.of(1).withMemoryBytes(limit))) {
        new FabricPeer(fabric, A).send(new FabricPeer(fabric, B).gid(), 0, 1, 100);
        assertEquals(limit == taken ? 0 : 1, fabric.counts().dropped(DropReason.MEMORY_FULL));
      }
    }
  }

  /** An address that the port has already, and one that another port has. */
  @Test
  void aPortKeepsWhatItHasAndTakesNothingFromAnother() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, A);
      FabricPeer b = new FabricPeer(fabric, B);
      a.port.add(a.gid());
      a.port.remove(b.gid());
      assertEquals(List.of(a.gid()), a.port.addresses());
      a.send(b.gid(), 5, 1, 100);
      drain(fabric);
      assertEquals(List.of(5), b.numbers());
      assertRefused(Errno.EADDRINUSE, () -> a.port.add(b.gid()));
    }
  }

  private static FabricPort portWithArrivals(Fabric fabric, int count) {
    FabricPeer a = new FabricPeer(fabric, A);
    FabricPort port = fabric.attach(List.of(Gid.parse(B)));
    a.send(Gid.parse(B), 0, count, 100);
    drain(fabric);
    return port;
  }

  @Test
  void aPortHandsOverNoMoreThanItIsAskedFor() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPort port = portWithArrivals(fabric, 5);
      assertEquals(2, port.receive(_ -> {}, 2));
      assertEquals(3, port.waiting());
      assertEquals(3, port.receive(_ -> {}, 9));
    }
  }

  @Test
  void aDatagramWhoseReceiverThrowsIsReleased() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPort port = portWithArrivals(fabric, 2);
      DatagramSink thrower =
          _ -> {
            throw new IllegalStateException("a defect");
          };
      assertThrows(IllegalStateException.class, () -> port.receive(thrower, 2));
      assertEquals(1, fabric.inFlight());
      assertEquals(1, port.receive(_ -> {}, 2));
      assertEquals(0, fabric.inFlight());
    }
  }

  @Test
  void aNodeThatLeavesDatagramsWaitingHasAnotherTurn() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, A);
      FabricPort port = fabric.attach(List.of(Gid.parse(B)));
      int[] received = new int[1];
      Node oneAtATime =
          new Node() {
            @Override
            public void run(long nowNs) {
              received[0] += port.receive(in -> {}, 1);
            }

            @Override
            public long nextDeadlineNs() {
              return Long.MAX_VALUE;
            }
          };
      fabric.register(oneAtATime, port);
      a.send(Gid.parse(B), 0, 7, 100);
      drain(fabric);
      assertEquals(7, received[0]);
    }
  }

  static void drain(Fabric fabric) {
    while (fabric.step()) {
      // Lets the next event happen.
    }
  }

  static List<Integer> range(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  /** Its ports, also those of several engines, and the memory of every datagram. */
  @Test
  void aClosedFabricHoldsNothing() {
    List<MemorySegment> memory = new ArrayList<>();
    Fabric fabric = new Fabric(FabricOptions.of(1));
    FabricPeer a = new FabricPeer(fabric, A);
    FabricPeer b = new FabricPeer(fabric, B);
    fabric.tap(
        new FabricObserver() {
          @Override
          public void delivered(long nowNs, FabricDatagram datagram) {
            memory.add(datagram.memory);
          }
        });
    a.send(b.gid(), 0, 1, 100);
    drain(fabric);
    a.send(b.gid(), 1, 1, 100);
    fabric.close();
    assertEquals(List.of(), fabric.underWay().datagrams());
    assertFalse(fabric.step());
    assertTrue(a.port.closed());
    assertTrue(b.port.closed());
    assertEquals(1, memory.size());
    assertFalse(memory.getFirst().scope().isAlive());
    fabric.close();
  }

  private static long stormyRun(long seed) {
    LinkModel storm =
        LinkModel.PERFECT
            .withJitterNs(5_000)
            .withBandwidth(10_000_000_000L)
            .withQueueBytes(200_000)
            .withLoss(0.1)
            .withBurst(0.01, 0.2, 0.9)
            .withDuplicate(0.1)
            .withReorder(0.1, 30_000)
            .withCorrupt(0.1, 8);
    FabricOptions options = FabricOptions.of(seed).withLink(storm);
    try (Fabric fabric = new Fabric(options)) {
      FabricPeer a = new FabricPeer(fabric, A);
      FabricPeer b = new FabricPeer(fabric, B);
      for (int i = 0; i < 20; i++) {
        a.send(b.gid(), i * 100, 50, 1064);
        b.send(a.gid(), i * 100, 10, 100);
        fabric.run(10_000);
      }
      drain(fabric);
      return fabric.digest();
    }
  }

  private static void assertRefused(Errno errno, Runnable call) {
    refused(errno, call::run);
  }
}
