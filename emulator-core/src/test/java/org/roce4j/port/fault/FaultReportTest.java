package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.roce4j.port.fault.FaultReport.Hit;
import org.roce4j.port.fault.FaultReport.Traffic;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

class FaultReportTest {
  private static final Traffic SENT = new Traffic(FaultDirection.OUT, Opcode.RC_SEND_ONLY.code());
  private static final Traffic ANSWERED =
      new Traffic(FaultDirection.IN, Opcode.RC_ACKNOWLEDGE.code());
  private static final Traffic UNKNOWN = new Traffic(FaultDirection.IN, 0xfe);

  private final FaultLog log = new FaultLog();

  private void meets(FaultInjector injector, Traffic traffic) {
    ByteBuffer packet = ByteBuffer.allocate(Bth.SIZE + FaultInjector.ICRC);
    packet.put(0, (byte) traffic.opcode());
    Fate fate = new Fate();
    fate.begin(0);
    injector.decide(traffic.direction(), packet, 0, packet.capacity(), 60, 0, fate);
  }

  @Test
  void trafficIsCountedAndTheDatagramsThatARuleMetAreNamed() {
    FaultPlan plan = FaultPlan.parse("drop nth=3; duplicate direction=in every=2");
    FaultInjector injector = new FaultInjector(plan, 0, log);
    for (Traffic each : List.of(SENT, ANSWERED, ANSWERED, UNKNOWN)) {
      meets(injector, each);
    }
    FaultReport report = log.report();
    assertEquals(Map.of(SENT, 1L, ANSWERED, 2L, UNKNOWN, 1L), report.datagrams());
    assertEquals(
        List.of(new Hit(1, ANSWERED, 1, 1), new Hit(0, ANSWERED, 2, 3), new Hit(1, UNKNOWN, 1, 3)),
        report.hits());
    assertEquals(report, FaultReport.parse(report.toString()));
  }

  @Test
  void theLeastOpcodeIsTrafficLikeAnyOther() {
    Traffic first = new Traffic(FaultDirection.OUT, Opcode.RC_SEND_FIRST.code());
    assertEquals(0, first.opcode());
    meets(new FaultInjector(FaultPlan.parse("drop"), 0, log), first);
    assertEquals(List.of(new Hit(0, first, 1, 1)), log.report().hits());
  }

  @Test
  void aHeaderAloneIsTraffic() {
    FaultInjector injector = new FaultInjector(FaultPlan.parse("drop"), 0, log);
    Fate fate = new Fate();
    fate.begin(0);
    ByteBuffer header = ByteBuffer.allocate(Bth.SIZE).put(0, (byte) SENT.opcode());
    injector.decide(FaultDirection.OUT, header, 0, Bth.SIZE, 60, 0, fate);
    assertEquals(Map.of(SENT, 1L), log.report().datagrams());
  }

  @Test
  void whatIsTooShortForAHeaderIsNeitherTrafficNorNamed() {
    FaultInjector injector = new FaultInjector(FaultPlan.parse("drop"), 0, log);
    Fate fate = new Fate();
    for (int length = 0; length < Bth.SIZE; length++) {
      fate.begin(0);
      injector.decide(FaultDirection.IN, ByteBuffer.allocate(length), 0, length, 60, 0, fate);
    }
    assertEquals(new FaultReport(Map.of(), List.of()), log.report());
  }

  @Test
  void ofOneRuleSoManyHitsAreRememberedAndNoMore() {
    FaultInjector injector = new FaultInjector(FaultPlan.parse("drop"), 0, log);
    for (int i = 0; i < 2 * FaultReport.MOST_HITS; i++) {
      meets(injector, SENT);
    }
    FaultReport report = log.report();
    assertEquals(FaultReport.MOST_HITS, report.hits(0).size());
    assertEquals(FaultReport.MOST_HITS, report.and(report).hits(0).size());
  }

  /** A rule counts in each network of a process, so the busiest one shows what it can choose. */
  @Test
  void aSumHasTheTrafficOfTheBusiest() {
    FaultReport sum =
        new FaultReport(Map.of(SENT, 3L), List.of(new Hit(0, SENT, 1, 1)))
            .and(new FaultReport(Map.of(SENT, 2L, ANSWERED, 1L), List.of(new Hit(0, SENT, 2, 2))));
    assertEquals(Map.of(SENT, 3L, ANSWERED, 1L), sum.datagrams());
    assertEquals(2, sum.hits(0).size());
  }

  @Test
  void aSumHasEachHitOnceAndAsManyOfEachRuleAsAReport() {
    List<Hit> many =
        LongStream.rangeClosed(1, FaultReport.MOST_HITS)
            .mapToObj(n -> new Hit(0, SENT, n, n))
            .toList();
    Hit beyond = new Hit(0, ANSWERED, 1, 99);
    Hit another = new Hit(1, SENT, 1, 1);
    FaultReport sum =
        new FaultReport(Map.of(), many)
            .and(new FaultReport(Map.of(), List.of(many.getFirst(), beyond, another)));
    assertEquals(many, sum.hits(0));
    assertEquals(List.of(another), sum.hits(1));
    FaultReport one = new FaultReport(Map.of(), List.of(another));
    assertEquals(List.of(another), one.and(one).hits());
  }

  @Test
  void callsAreCountedBesideDatagrams() {
    FaultReport calls = new FaultReport(Map.of(SENT, 1L), List.of(), Map.of("createQp", 2L));
    assertEquals(calls, FaultReport.parse(calls.toString()));
    assertEquals(calls, calls.and(FaultReport.NONE));
    assertEquals(calls, FaultReport.NONE.and(calls));
    assertEquals(calls, calls.and(calls), "of networks that are alike, not of all together");
  }

  @Test
  void whatIsNoReportIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> FaultReport.parse("out"));
    assertThrows(IllegalArgumentException.class, () -> FaultReport.parse("out NOTHING 3"));
    assertThrows(IllegalArgumentException.class, () -> FaultReport.parse("up RC_SEND_ONLY 3"));
  }
}
