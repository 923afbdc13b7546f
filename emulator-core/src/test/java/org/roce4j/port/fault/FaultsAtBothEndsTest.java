package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.FaultCase;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.NumberedDatagrams.Datagram;
import org.roce4j.port.Port;
import org.roce4j.port.PortAround;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/** A fault port does the same at the end that sends and at the end that receives. */
class FaultsAtBothEndsTest {
  private static final int SIZE = 64;

  /** The delay of a link of the fabric. */
  private static final long LINK_NS = 2_000;

  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));
  private Path path;
  private FaultPort sender;
  private FaultPort receiver;

  private void attach(String end, FaultPlan plan, String from, String to) {
    Gid left = Gid.parse(from);
    Gid right = Gid.parse(to);
    path = new Path(0, left.high(), left.low(), right.high(), right.low(), 0x60, 33);
    boolean out = end.equals("out");
    sender = new FaultPort(fabric.attach(List.of(left)), out ? plan : FaultPlan.NONE);
    receiver = new FaultPort(fabric.attach(List.of(right)), out ? FaultPlan.NONE : plan);
  }

  private void attach(String end, String plan) {
    attach(end, FaultPlan.parse(plan), "10.0.0.1", "10.0.0.2");
  }

  private void send(int count) {
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), count);
    for (int i = 0; i < count; i++) {
      NumberedDatagrams.addPacket(train, path, SIZE, Opcode.RC_SEND_ONLY.code(), 17, i);
    }
    sender.send(train);
  }

  /**
   * Hands over the datagrams that have arrived by a time, counted from the beginning of the test.
   */
  private int receive(long untilNs, DatagramSink sink) {
    fabric.runUntil(() -> false, untilNs);
    sender.receive(_ -> {}, 1); // releases datagrams that are due
    fabric.runUntil(() -> false, untilNs + LINK_NS);
    return receiver.receive(sink, 1000);
  }

  static Stream<FaultCase> cases() {
    return FaultCase.all().stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theTableHoldsWhereDatagramsArrive(FaultCase row) {
    FaultPlan plan = FaultPlan.parse("seed=1; " + row.rule() + " direction=in");
    attach("in", plan, "10.0.0.1", "10.0.0.2");
    FaultCase.sendTen(sender, path);
    List<String> arrived = new ArrayList<>();
    for (int ms = 0; ms < 200; ms++) {
      receive(ms * 1_000_000L, in -> arrived.add(FaultCase.told(in)));
    }
    // A packet that is cut under way keeps the ICRC of the whole.
    assertEquals(row.arrivals().replace("2-20", "!"), String.join(" ", arrived));
  }

  /** 64 bytes of datagram and the headers of IP and UDP, at one bit per microsecond. */
  @ParameterizedTest
  @CsvSource({
    "out, 10.0.0.1, 10.0.0.2, 736",
    "in, 10.0.0.1, 10.0.0.2, 736",
    "out, fd00::1, fd00::2, 896",
    "in, fd00::1, fd00::2, 896",
  })
  void aRateCountsTheHeadersOfTheFamily(String end, String from, String to, long us) {
    attach(end, FaultPlan.parse("rate=1M"), from, to);
    send(1);
    List<Datagram> arrived = new ArrayList<>();
    receive(LINK_NS, in -> arrived.add(Datagram.of(in)));
    long start = end.equals("in") ? fabric.nowNs() : 0;
    receive(start + us * 1000 - LINK_NS - 1, in -> arrived.add(Datagram.of(in)));
    assertEquals(0, arrived.size(), "earlier than the rate lets it");
    receive(start + us * 1000, in -> arrived.add(Datagram.of(in)));
    assertEquals(1, arrived.size(), "later than the rate lets it");
  }

  @ParameterizedTest
  @CsvSource({"out", "in"})
  void aCopyIsAsLateAsTheDatagramOrLaterButNotEarlier(String end) {
    attach(end, "latency=1ms; duplicate=50 jitter=500us");
    send(1);
    List<Datagram> arrived = new ArrayList<>();
    for (long ns = LINK_NS; ns < 1_000_000 - LINK_NS; ns += 50_000) {
      receive(ns, in -> arrived.add(Datagram.of(in)));
    }
    assertEquals(0, arrived.size());
    receive(1_000_000 + LINK_NS, in -> arrived.add(Datagram.of(in)));
    assertTrue(arrived.size() < 10, () -> arrived.size() + " without a jitter");
    receive(1_500_000 + 2 * LINK_NS, in -> arrived.add(Datagram.of(in)));
    assertEquals(51, arrived.size());
  }

  /** It has no queue pair to which a forged packet could go. */
  @ParameterizedTest
  @CsvSource({"out", "in"})
  void inFrontOfADatagramWithoutHeaderNothingIsForged(String end) {
    attach(end, "forge-ack; forge-cnp");
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), 1);
    train.claim(path, 0, 11);
    train.commit(11);
    sender.send(train);
    List<Integer> lengths = new ArrayList<>();
    receive(LINK_NS, in -> lengths.add(in.length()));
    assertEquals(List.of(11), lengths);
  }

  /** Copies that are damaged one by one are made apart, and stay where the datagram was. */
  @ParameterizedTest
  @CsvSource({"out", "in"})
  void damagedCopiesComeInTheirPlace(String end) {
    attach(end, "duplicate=3 psn=1; corrupt-payload probability=50% psn=1");
    send(4);
    List<Integer> psns = new ArrayList<>();
    receive(LINK_NS, in -> psns.add(Bth.psn(in.buffer(), in.at())));
    assertEquals(List.of(0, 1, 1, 1, 1, 2, 3), psns);
  }

  /** Each figure that a port hands over, not only its bytes. */
  @ParameterizedTest
  @CsvSource({"out", "in"})
  void whatIsKeptBackArrivesAsIfItWereNot(String end) {
    List<String> told = new ArrayList<>();
    for (String plan :
        List.of("", "delay=1ms", "delay=1ms; duplicate", "duplicate; corrupt nth=9")) {
      attach(end, plan);
      told.clear();
      send(1);
      DatagramSink sink = in -> told.add(Datagram.of(in).withoutBytes() + " of " + in.length());
      receive(fabric.nowNs() + LINK_NS, sink);
      receive(fabric.nowNs() + 1_000_000, sink);
      assertEquals(plan.contains("duplicate") ? 2 : 1, told.size());
      for (String each : told) {
        assertEquals(
            "10.0.0.1:49443 to 10.0.0.2, traffic class 96, hop limit 33, RIGHT of 64", each, plan);
      }
      sender.close();
      receiver.close();
    }
  }

  /** A call returns the number of datagrams that it handed over, at most the requested number. */
  @Test
  void aCallCountsWhatItHandsOver() {
    attach("in", "delay=1ms nth=1; delay=1ms nth=2; delay=1ms nth=3; drop nth=4; duplicate nth=5");
    send(8);
    List<Integer> psns = new ArrayList<>();
    DatagramSink sink = in -> psns.add(Bth.psn(in.buffer(), in.at()));
    assertEquals(5, receive(LINK_NS, sink));
    assertEquals(List.of(4, 4, 5, 6, 7), psns);
    assertEquals(0, receive(500_000, sink));
    send(8);
    fabric.run(2_000_000);
    psns.clear();
    int handed = receiver.receive(sink, 5);
    assertEquals(psns.size(), handed);
    assertEquals(List.of(0, 1, 2), psns.subList(0, 3), "first what was kept back");
    assertEquals(5, handed);
  }

  /** The port below has judged already, so only datagrams that it accepted are counted. */
  @ParameterizedTest
  @EnumSource(IcrcVerdict.class)
  void damageIsCountedOnceWhateverThePortBelowFound(IcrcVerdict below) {
    boolean passed = below == IcrcVerdict.RIGHT || below == IcrcVerdict.SOLVED;
    for (String plan : List.of("corrupt-icrc", "truncate=8", "delay=1us; corrupt-icrc")) {
      attach("in", "");
      Port judged = judging(receiver, below);
      FaultPort port = new FaultPort(judged, FaultPlan.parse(plan));
      long before = port.counters().get(Counter.ICRC_ERROR);
      send(1);
      fabric.run(LINK_NS);
      List<IcrcVerdict> verdicts = new ArrayList<>();
      port.receive(in -> verdicts.add(in.icrc()), 8);
      fabric.run(LINK_NS);
      port.receive(in -> verdicts.add(in.icrc()), 8);
      assertEquals(List.of(passed ? IcrcVerdict.WRONG : below), verdicts, plan);
      assertEquals(passed ? 1 : 0, port.counters().get(Counter.ICRC_ERROR) - before, plan);
      sender.close();
      receiver.close();
    }
  }

  private static Port judging(Port port, IcrcVerdict verdict) {
    return new PortAround(port) {
      @Override
      public int receive(DatagramSink sink, int budget) {
        return port.receive(in -> sink.datagram(in.icrc(verdict)), budget);
      }
    };
  }

  /** A thread that waits for the port releases what is due. */
  @ParameterizedTest
  @CsvSource({"out", "in"})
  void aWaitEndsWhenADatagramThatIsKeptBackIsDue(String end) {
    attach(end, "");
    FaultPort kept = end.equals("out") ? sender : receiver;
    List<Long> waits = new ArrayList<>();
    Port waiting =
        new PortAround(kept) {
          @Override
          public void await(long timeoutNs) {
            waits.add(timeoutNs);
          }
        };
    FaultPort port = new FaultPort(waiting, FaultPlan.parse("delay=1ms psn=0"));
    port.await(5_000_000);
    if (end.equals("out")) {
      sender = port;
      send(1);
    } else {
      send(1);
      fabric.run(LINK_NS);
      port.receive(_ -> {}, 8);
    }
    fabric.run(300_000);
    port.await(5_000_000);
    port.await(10);
    fabric.run(800_000);
    port.await(5_000_000);
    port.receive(_ -> {}, 8);
    port.await(5_000_000);
    assertEquals(List.of(5_000_000L, 700_000L, 10L, 0L, 5_000_000L), waits);
  }

  /** The one before it was to be overtaken, and left its place. */
  @ParameterizedTest
  @CsvSource({"out", "in"})
  void whatIsDelayedIsNotReleasedByThoseThatPass(String end) {
    attach(end, "reorder=1 nth=1; delay=1ms nth=2");
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      send(1);
      receive(fabric.nowNs(), in -> times.add(fabric.nowNs()));
    }
    assertEquals(3, times.size());
    receive(1_000_000 + 4 * LINK_NS, in -> times.add(fabric.nowNs()));
    assertEquals(4, times.size());
  }

  /** Only a call that receives has a receiver. */
  @Test
  void whatIsDueIsNotHandedOverByACallThatSends() {
    attach("in", "delay=1ms direction=in nth=1");
    List<Integer> psns = new ArrayList<>();
    DatagramSink sink = in -> psns.add(Bth.psn(in.buffer(), in.at()));
    send(1);
    assertEquals(0, receive(LINK_NS, sink));
    fabric.run(2_000_000);
    Path to = path;
    path = new Path(0, to.remoteHigh(), to.remoteLow(), to.localHigh(), to.localLow(), 0x60, 33);
    FaultPort answers = receiver;
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), 1);
    NumberedDatagrams.addPacket(train, path, SIZE, Opcode.RC_SEND_ONLY.code(), 17, 9);
    answers.send(train);
    assertEquals(List.of(), psns);
    assertEquals(1, answers.receive(sink, 8));
    assertEquals(List.of(0), psns);
  }

  /** A cure ends lasting effects: a burst, a black hole, a cable that is out. */
  @ParameterizedTest
  @CsvSource({"burst leave=0 nth=1", "blackhole nth=1", "blackhole=9s nth=1", "port-down nth=1"})
  void aCureEndsWhatLasts(String rule) {
    attach("out", rule);
    List<Datagram> arrived = new ArrayList<>();
    send(3);
    receive(fabric.nowNs() + LINK_NS, in -> arrived.add(Datagram.of(in)));
    assertTrue(arrived.isEmpty(), "it lasts");
    sender.injector().heal();
    send(3);
    receive(fabric.nowNs() + LINK_NS, in -> arrived.add(Datagram.of(in)));
    assertEquals(3, arrived.size());
  }

  /** A plan counts its time from its own begin, whatever the clock of the port says. */
  @ParameterizedTest
  @CsvSource({"out", "in"})
  void aPlanBeginsWhenItsPortIsMade(String end) {
    fabric.run(5_000_000);
    attach(end, "drop after=1ms until=2ms");
    List<Long> arrivedMs = new ArrayList<>();
    for (long ms = 0; ms < 4; ms++) {
      long nowMs = ms;
      send(1);
      receive(fabric.nowNs() + LINK_NS, in -> arrivedMs.add(nowMs));
      fabric.runUntil(() -> false, 5_000_000 + (ms + 1) * 1_000_000);
    }
    assertEquals(List.of(0L, 2L, 3L), arrivedMs);
  }

  /** Two rules of the same probability do not choose the same datagrams. */
  @Test
  void eachRuleDrawsItsOwnNumbers() {
    attach("in", "mark-ecn probability=50%; truncate=4 probability=50%");
    Set<String> combinations = new TreeSet<>();
    for (int i = 0; i < 100; i++) {
      send(1);
      receive(
          fabric.nowNs() + LINK_NS,
          in -> combinations.add((in.trafficClass() & 3) + " " + in.length()));
    }
    assertEquals(Set.of("0 60", "0 64", "3 60", "3 64"), combinations);
  }
}
