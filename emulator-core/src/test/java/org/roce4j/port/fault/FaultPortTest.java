package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.FabricPort;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.Port;
import org.roce4j.verbs.Gid;

/** Two ports of a fabric with faults at either end; datagrams carry their number as PSN. */
class FaultPortTest {
  private static final Gid A = Gid.parse("10.0.0.1");
  private static final Gid B = Gid.parse("10.0.0.2");
  private static final int SIZE = 64;
  private static final int RC_SEND_ONLY = 0x04;
  private static final int HOP_LIMIT = 33;

  private record Arrival(int psn, int length, IcrcVerdict icrc, int trafficClass) {}

  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));
  private final List<Arrival> arrivals = new ArrayList<>();
  private Path path = new Path(0, A.high(), A.low(), B.high(), B.low(), 0x60, HOP_LIMIT);
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), Transmit.MAX_SEGMENTS);
  private FabricPort left;
  private FabricPort right;

  @BeforeEach
  void attach() {
    left = fabric.attach(List.of(A));
    right = fabric.attach(List.of(B));
  }

  private void send(Port port, int first, int count) {
    train.clear();
    for (int i = 0; i < count; i++) {
      NumberedDatagrams.addPacket(train, path, SIZE, RC_SEND_ONLY, 17, first + i);
    }
    port.send(train);
  }

  private int receive(Port port) {
    while (fabric.step()) {
      // Until everything has arrived.
    }
    return port.receive(this::note, 1000);
  }

  private void note(Inbound in) {
    assertEquals(HOP_LIMIT, in.hopLimit());
    assertEquals(0xC123, in.sourcePort());
    arrivals.add(
        new Arrival(
            in.buffer().getInt(in.at() + 8) & 0xFFFFFF, in.length(), in.icrc(), in.trafficClass()));
  }

  private List<Integer> psns() {
    return arrivals.stream().map(Arrival::psn).toList();
  }

  /** The datagrams that arrive when ten are sent as one train under a plan at one end. */
  private void tenUnder(String end, String rule) {
    FaultPlan plan = FaultPlan.parse(rule);
    if (end.equals("out")) {
      send(new FaultPort(left, plan), 0, 10);
      receive(right);
    } else {
      send(left, 0, 10);
      receive(new FaultPort(right, plan));
    }
  }

  private static List<Integer> range(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void withoutRulesAllPasses(String end) {
    tenUnder(end, "");
    assertEquals(range(10), psns());
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void whatIsDroppedLeavesAGap(String end) {
    tenUnder(end, "drop psn=3; drop psn=9; drop direction=" + (end.equals("in") ? "out" : "in"));
    assertEquals(List.of(0, 1, 2, 4, 5, 6, 7, 8), psns());
    assertTrue(arrivals.stream().allMatch(a -> a.icrc() == IcrcVerdict.RIGHT));
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void whatIsDuplicatedArrivesSoOftenMore(String end) {
    tenUnder(end, "duplicate=2 psn=0; duplicate psn=9");
    assertEquals(List.of(0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9), psns());
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void whatIsReorderedIsOvertakenBySoMany(String end) {
    tenUnder(end, "reorder=9 psn=0");
    assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 0), psns());
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void everyRuleCountsADatagramWhicheverDecides(String end) {
    tenUnder(end, "drop nth=1; drop nth=2; drop nth=3");
    assertEquals(List.of(3, 4, 5, 6, 7, 8, 9), psns());
  }

  @Test
  void whatIsKeptBackStaysAsWrongOrRightAsItCame() {
    FaultPort sender =
        new FaultPort(left, FaultPlan.parse("corrupt-icrc psn=1; corrupt-icrc psn=2"));
    FaultPort receiver = new FaultPort(right, FaultPlan.parse("delay=1ms psn=0; delay=1ms psn=1"));
    send(sender, 0, 4);
    receive(receiver);
    fabric.run(1_000_000);
    receive(receiver);
    assertEquals(List.of(2, 3, 0, 1), psns());
    for (Arrival each : arrivals) {
      boolean wrong = each.psn() == 1 || each.psn() == 2;
      assertEquals(wrong ? IcrcVerdict.WRONG : IcrcVerdict.RIGHT, each.icrc(), "" + each.psn());
    }
  }

  @Test
  void whatIsReorderedWaitsForLaterTrains() {
    FaultPort port = new FaultPort(left, FaultPlan.parse("reorder=2 psn=2"));
    send(port, 0, 3);
    send(port, 3, 1);
    receive(right);
    assertEquals(List.of(0, 1, 3), psns());
    send(port, 4, 1);
    receive(right);
    assertEquals(List.of(0, 1, 3, 4, 2), psns());
  }

  @Test
  void aTrainOvertakesWithEachOfItsDatagrams() {
    FaultPort port = new FaultPort(left, FaultPlan.parse("reorder=5 psn=2"));
    send(port, 0, 3);
    send(port, 3, 5);
    send(port, 8, 1);
    receive(right);
    assertEquals(List.of(0, 1, 3, 4, 5, 6, 7, 2, 8), psns());
  }

  @Test
  void whatIsReorderedDoesNotWaitForEver() {
    FaultPort port = new FaultPort(left, FaultPlan.parse("reorder=5 within=3ms psn=0"));
    send(port, 0, 1);
    assertEquals(0, receive(right));
    fabric.run(3_000_000);
    port.receive(this::note, 1);
    receive(right);
    assertEquals(List.of(0), psns());
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void whatIsDelayedComesWhenItsTimeIsUp(String end) {
    FaultPlan plan = FaultPlan.parse("delay=1ms psn=1");
    FaultPort sender = new FaultPort(left, end.equals("out") ? plan : FaultPlan.NONE);
    FaultPort receiver = new FaultPort(right, end.equals("in") ? plan : FaultPlan.NONE);
    send(sender, 0, 3);
    receive(receiver);
    assertEquals(List.of(0, 2), psns());
    fabric.run(990_000);
    sender.receive(this::note, 1);
    receive(receiver);
    assertEquals(List.of(0, 2), psns());
    fabric.run(20_000);
    sender.receive(this::note, 1);
    receive(receiver);
    assertEquals(List.of(0, 2, 1), psns());
    assertEquals(IcrcVerdict.RIGHT, arrivals.getLast().icrc());
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void whatIsCorruptedIsWrongAndAlone(String end) {
    tenUnder(end, "corrupt-icrc psn=4; corrupt-payload=3 psn=6");
    assertEquals(range(10), psns());
    for (Arrival arrival : arrivals) {
      boolean damaged = arrival.psn() == 4 || arrival.psn() == 6;
      assertEquals(damaged ? IcrcVerdict.WRONG : IcrcVerdict.RIGHT, arrival.icrc());
    }
    assertEquals(2, right.counters().get(Counter.ICRC_ERROR));
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void whatIsTruncatedIsShorter(String end) {
    tenUnder(end, "truncate=20 psn=4; truncate=1000 psn=5");
    assertEquals(10, arrivals.size());
    assertEquals(SIZE, arrivals.get(3).length());
    assertEquals(SIZE - 20, arrivals.get(4).length());
    assertEquals(4, arrivals.get(5).length());
    assertFalse(arrivals.get(5).icrc().acceptable());
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void whatIsMarkedSaysCongestionExperienced(String end) {
    tenUnder(end, "mark-ecn psn=4");
    assertEquals(range(10), psns());
    for (Arrival arrival : arrivals) {
      assertEquals(arrival.psn() == 4 ? 0x63 : 0x60, arrival.trafficClass());
    }
  }

  /** Netty does not report the traffic class of received datagrams. */
  @Test
  void whatIsMarkedSaysSoOnAPortThatTellsNoTrafficClass() {
    Port untold =
        (Port)
            Proxy.newProxyInstance(
                Port.class.getClassLoader(),
                new Class<?>[] {Port.class},
                (_, method, arguments) ->
                    method.getName().equals("receive")
                        ? right.receive(
                            in ->
                                ((DatagramSink) arguments[0])
                                    .datagram(in.network(-1, in.hopLimit())),
                            (int) arguments[1])
                        : method.invoke(right, arguments));
    send(left, 0, 10);
    receive(new FaultPort(untold, FaultPlan.parse("mark-ecn psn=4")));
    assertEquals(range(10), psns());
    for (Arrival arrival : arrivals) {
      assertEquals(arrival.psn() == 4 ? 3 : -1, arrival.trafficClass());
    }
  }

  @Test
  void answersFromWithinTheSinkAreSafe() {
    FaultPort port =
        new FaultPort(right, FaultPlan.parse("delay=1us direction=in; duplicate direction=out"));
    send(left, 0, 20);
    while (fabric.step()) {
      // Until everything has arrived.
    }
    List<Integer> seen = new ArrayList<>();
    Path back = new Path(0, B.high(), B.low(), A.high(), A.low(), 0, HOP_LIMIT);
    Transmit answer = new Transmit(ByteBuffer.allocateDirect(SIZE), 1);
    DatagramSink sink =
        in -> {
          int psn = in.buffer().getInt(in.at() + 8);
          answer.clear();
          answer.claim(back, 0xC123, 16);
          answer.buffer().putInt(0, 0x1100FFFF).putInt(8, psn);
          answer.commit(16);
          port.send(answer);
          assertEquals(psn, in.buffer().getInt(in.at() + 8), "not overwritten meanwhile");
          seen.add(psn);
        };
    port.receive(sink, 100);
    fabric.run(1000);
    port.receive(sink, 100);
    assertEquals(range(20), seen);
    receive(left);
    assertEquals(40, arrivals.size());
  }

  /** A program may send to any number of peers; their marked paths are made again. */
  @ParameterizedTest
  @CsvSource({"1023, true", "1024, false"})
  void theMarkedPathsOf1024PeersAreRemembered(int others, boolean remembered) {
    List<Path> sent = new ArrayList<>();
    Port beneath =
        (Port)
            Proxy.newProxyInstance(
                Port.class.getClassLoader(),
                new Class<?>[] {Port.class},
                (_, method, arguments) ->
                    method.getName().equals("send")
                        ? sent.add(((Transmit) arguments[0]).path())
                        : method.invoke(left, arguments));
    FaultPort port = new FaultPort(beneath, FaultPlan.parse("mark-ecn"));
    send(port, 0, 1);
    Path first = path;
    for (int i = 0; i < others; i++) {
      path = new Path(0, A.high(), A.low(), B.high(), B.low(), 0, HOP_LIMIT);
      send(port, 0, 1);
    }
    path = first;
    send(port, 0, 1);
    assertEquals(remembered, sent.getFirst() == sent.getLast());
    assertEquals(first.sgidIndex(), sent.getFirst().sgidIndex());
  }

  @Test
  void whatIsKeptBackIsBounded() {
    FaultPort port = new FaultPort(left, FaultPlan.parse("delay=1s"));
    int sent = 0;
    for (; sent < FaultPort.MOST_HELD + 100; sent += 50) {
      send(port, sent, 50);
    }
    receive(right);
    assertEquals(FaultPort.MOST_HELD, sent - arrivals.size(), "what is beyond passes");
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void copiesAreDamagedOrSparedOneByOne(String end) {
    tenUnder(end, "seed=1; duplicate=99 nth=1; corrupt-payload probability=50% nth=1");
    long damaged = arrivals.stream().filter(a -> !a.icrc().acceptable()).count();
    assertEquals(109, arrivals.size());
    assertTrue(damaged > 20 && damaged < 80, damaged + " of 100");
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void headersAreCorruptedToo(String end) {
    tenUnder(end, "corrupt-header=3 psn=4");
    assertEquals(10, arrivals.size());
    assertEquals(1, arrivals.stream().filter(a -> !a.icrc().acceptable()).count());
  }

  /** The ICRC does not cover the byte of FECN and BECN; and two changes of one byte may cancel. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 11})
  void aChangedHeaderNeverHasTheRightIcrc(int bytes) {
    fabric.faults(FaultPlan.parse("corrupt-header=" + bytes), null);
    for (int round = 0; round < 50; round++) {
      send(left, 0, 10);
      receive(right);
    }
    assertEquals(500, arrivals.size());
    assertEquals(List.of(), arrivals.stream().filter(a -> a.icrc().acceptable()).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void whatGoesInOrderLaterStaysInOrder(String end) {
    FaultPlan plan = FaultPlan.parse("latency=1ms jitter=1ms");
    FaultPort sender = new FaultPort(left, end.equals("out") ? plan : FaultPlan.NONE);
    FaultPort receiver = new FaultPort(right, end.equals("in") ? plan : FaultPlan.NONE);
    send(sender, 0, 50);
    receive(receiver);
    assertEquals(List.of(), psns());
    for (int i = 0; i < 250; i++) {
      fabric.run(10_000);
      sender.receive(this::note, 1);
      receive(receiver);
    }
    assertEquals(range(50), psns());
  }

  /** A datagram that is held and released is unchanged, whatever its buffer held before. */
  @Test
  void whatIsKeptBackIsTheSameInEachField() {
    FaultPort faults = new FaultPort(left, FaultPlan.parse("delay=1ms"));
    for (int round = 0; round < 3; round++) {
      Path back = new Path(0, B.high(), B.low(), A.high(), A.low(), 0x20 + 4 * round, 40 + round);
      if (round != 1) { // buffers of one direction serve the other
        send(faults, round, 1);
      }
      train.clear();
      NumberedDatagrams.addPacket(train, back, SIZE + 4 * round, RC_SEND_ONLY, 18, 100 + round);
      right.send(train);
      List<NumberedDatagrams.Datagram> came = new ArrayList<>();
      while (fabric.step()) {
        // Until it has arrived.
      }
      faults.receive(in -> came.add(NumberedDatagrams.Datagram.of(in)), 10);
      assertEquals(0, came.size());
      if (round == 1) {
        send(faults, round, 1);
      }
      fabric.run(1_000_000);
      faults.receive(in -> came.add(NumberedDatagrams.Datagram.of(in)), 10);
      receive(right);
      assertEquals(range(round + 1), psns());
      NumberedDatagrams.Datagram one = came.getFirst();
      assertEquals(1, came.size());
      assertEquals(100 + round, one.bytes()[11]);
      assertEquals(SIZE + 4 * round, one.bytes().length);
      assertEquals(B, one.source());
      assertEquals(0xC123, one.sourcePort());
      assertEquals(A, one.local());
      assertEquals(0x20 + 4 * round, one.trafficClass());
      assertEquals(40 + round, one.hopLimit());
      assertEquals(IcrcVerdict.RIGHT, one.icrc());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"delay=10us", "duplicate; corrupt", "reorder=2", "duplicate=3 jitter=1us"})
  void memoryIsUsedAgain(String rule) {
    FaultPort sender = new FaultPort(left, FaultPlan.parse(rule));
    FaultPort receiver = new FaultPort(right, FaultPlan.parse(rule));
    long before = 0;
    for (int i = 0; i < 1000; i++) {
      if (i == 100) {
        before = directBuffers();
      }
      send(sender, i, 2);
      for (int look = 0; look < 3; look++) {
        fabric.run(20_000);
        sender.receive(this::note, 1);
        receive(receiver);
      }
    }
    long more = directBuffers() - before;
    assertTrue(more < 500, () -> more + " buffers more for 900 datagrams");
  }

  private static long directBuffers() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getCount)
        .sum();
  }

  @Test
  void aJitterIsFromNoneToItsBoundInclusive() {
    FaultPort port = new FaultPort(right, FaultPlan.parse("delay=1ms jitter=1ns"));
    send(left, 0, 60);
    receive(port);
    fabric.run(1_000_000);
    receive(port);
    assertTrue(arrivals.size() > 0 && arrivals.size() < 60, () -> arrivals.size() + " of 60");
    fabric.run(1);
    receive(port);
    assertEquals(60, arrivals.size());
  }

  /** 736 bits each: one takes no whole number of nanoseconds, seven together do. */
  @Test
  void aRateIsKeptToTheNanosecond() {
    FaultPort port = new FaultPort(right, FaultPlan.parse("rate=7M"));
    send(left, 0, 63);
    receive(port);
    fabric.run(9 * 736_000 - 1);
    receive(port);
    assertEquals(62, arrivals.size());
    fabric.run(1);
    receive(port);
    assertEquals(63, arrivals.size());
  }

  @Test
  void whatIsLateAndDamagedIsBoth() {
    FaultPort port = new FaultPort(left, FaultPlan.parse("delay=1ms psn=1; corrupt-icrc psn=1"));
    send(port, 0, 3);
    receive(right);
    fabric.run(1_100_000);
    port.receive(this::note, 1);
    receive(right);
    assertEquals(List.of(0, 2, 1), psns());
    assertFalse(arrivals.getLast().icrc().acceptable());
  }

  @Test
  void aRateLetsOneAfterTheOtherGoAndItsQueueOverflows() {
    // 92 bytes of IP take 736 us at one megabit per second; 300 bytes are three datagrams that wait
    // or leave.
    FaultPort port = new FaultPort(left, FaultPlan.parse("rate=1M queue=300"));
    send(port, 0, 10);
    for (int i = 1; i <= 10; i++) {
      fabric.run(740_000);
      port.receive(this::note, 1);
      receive(right);
      assertEquals(Math.min(i, 3), arrivals.size());
    }
    assertEquals(List.of(0, 1, 2), psns());
  }
}
