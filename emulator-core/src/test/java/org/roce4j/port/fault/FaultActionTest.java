package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.port.fault.FaultAction.Detail;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.verbs.Errno;

/** Rules that a program makes itself: their ranges, what they do, and how they are explained. */
class FaultActionTest {
  private static final List<UnaryOperator<FaultChoice>> NO_CHOICES =
      List.of(
          choice -> choice.withNth(0),
          choice -> choice.withFirst(0),
          choice -> choice.withEvery(0),
          choice -> choice.withTimes(0),
          choice -> choice.withProbability(1.01),
          choice -> choice.withProbability(-0.01),
          choice -> choice.withProbability(Double.NaN),
          choice -> choice.withAfterNs(-1),
          choice -> choice.withUntilNs(-1),
          choice -> choice.withUntilNs(0),
          choice -> choice.withUntilNs(5).withAfterNs(5));

  @Test
  void aChoiceOutOfItsRangeIsRefused() {
    NO_CHOICES.forEach(change -> refused(Errno.EINVAL, () -> change.apply(FaultChoice.ALL)));
    assertEquals(4, FaultChoice.ALL.withUntilNs(5).withAfterNs(4).afterNs());
  }

  @Test
  void anActionOutOfItsRangeIsRefused() {
    refused(Errno.EINVAL, () -> FaultAction.delay(0));
    refused(Errno.EINVAL, () -> FaultAction.delay(FaultAction.MAX_DELAY_NS + 1));
    refused(Errno.EINVAL, () -> FaultAction.of(Kind.DELAY, 1, -1));
    refused(Errno.EINVAL, () -> FaultAction.of(Kind.BURST, 0, 1.5, 1));
    refused(Errno.EINVAL, () -> FaultAction.of(Kind.BURST, 0, 1));
    refused(Errno.EINVAL, () -> FaultAction.of(Kind.DROP, 0, 1));
    assertEquals("burst leave=0.5 loss=0.5", FaultAction.of(Kind.BURST, 0, 0.5, 0.5).toString());
  }

  @Test
  void eachDetailHasItsDefault() {
    assertEquals(
        "jitter=0ns within=10ms queue=0 leave=25% loss=100%",
        Stream.of(Detail.values())
            .map(detail -> detail.text() + "=" + detail.usual())
            .collect(Collectors.joining(" ")));
  }

  @Test
  void aKindTellsTheAmountsThatItTakes() {
    for (Kind kind : Kind.values()) {
      assertEquals(FaultAction.of(kind).amount(), kind.usual());
      assertEquals(kind.least(), new FaultAction(kind, kind.least()).amount());
      assertEquals(kind.most(), new FaultAction(kind, kind.most()).amount());
      refused(Errno.EINVAL, () -> new FaultAction(kind, kind.least() - 1));
      if (kind.most() < Long.MAX_VALUE) {
        refused(Errno.EINVAL, () -> new FaultAction(kind, kind.most() + 1));
      }
    }
  }

  @Test
  void aDetailTellsTheValuesThatItTakes() {
    for (Kind kind : Kind.values()) {
      FaultAction action = FaultAction.of(kind);
      for (Detail detail : kind.details()) {
        for (long value : new long[] {detail.least(), detail.most()}) {
          int place = kind.details().indexOf(detail);
          assertEquals(value, action.with(detail, value).detail(place));
        }
        refused(Errno.EINVAL, () -> action.with(detail, detail.least() - 1));
        refused(Errno.EINVAL, () -> action.with(detail, detail.most() + 1));
      }
    }
  }

  private static Fate fate(FaultInjector injector, ByteBuffer packet, int length) {
    return fate(injector, packet, length, 0);
  }

  private static Fate fate(FaultInjector injector, ByteBuffer packet, int length, long nowNs) {
    Fate fate = new Fate();
    fate.begin(nowNs);
    injector.decide(FaultDirection.OUT, packet, 0, length, length + 28, nowNs, fate);
    return fate;
  }

  /** A byte takes a second; a queue of 183 bytes has room behind 91. */
  @ParameterizedTest
  @CsvSource({"1000000000, false", "999999999, true"})
  void aQueueLosesAPacketThatDoesNotFitIntoIt(long nowNs, boolean lost) {
    FaultInjector injector = new FaultInjector(FaultPlan.parse("rate=8 queue=183"), 0);
    ByteBuffer packet = ByteBuffer.allocate(64);
    fate(injector, packet, 64);
    assertEquals(lost, fate(injector, packet, 64, nowNs).lostBy() == Kind.RATE);
  }

  @Test
  void aRateBringsNothingForwardThatALatencyHasDelayed() {
    FaultInjector injector = new FaultInjector(FaultPlan.parse("latency=10ms; rate=1G"), 0);
    assertEquals(10_000_000, fate(injector, ByteBuffer.allocate(64), 64).arrivalNs());
  }

  @Test
  void aDatagramThatIsShorterThanAnIcrcIsNotCut() {
    FaultInjector injector = new FaultInjector(FaultPlan.parse("truncate"), 0);
    assertEquals(0, fate(injector, ByteBuffer.allocate(64), 3).cutBytes(3));
  }

  /** Beside a rule that depends on it. */
  @Test
  void aRuleWithoutAStateMeansNewAndRepeatedPackets() {
    FaultInjector injector =
        new FaultInjector(FaultPlan.parse("truncate state=repeated; mark-ecn"), 0);
    ByteBuffer packet = ByteBuffer.allocate(64);
    for (int cut : new int[] {0, 4}) {
      Fate fate = fate(injector, packet, 64);
      assertEquals(cut, fate.cutBytes(64));
      assertTrue(fate.congested());
    }
  }

  @Test
  void delaysOfAllRulesAddUp() {
    FaultInjector injector =
        new FaultInjector(FaultPlan.parse("delay=2ms; reorder=1 within=3ms; delay=4ms"), 0);
    Fate fate = fate(injector, ByteBuffer.allocate(64), 64);
    assertEquals(9_000_000, fate.laterNs());
    assertEquals(1, fate.overtakenBy());
  }

  /** Its end would be beyond the last time of the clock. */
  @Test
  void theLongestBlackHoleHasNoEnd() {
    FaultAction hole = FaultAction.of(Kind.BLACKHOLE, Long.MAX_VALUE);
    FaultRule rule = new FaultRule(FaultMatcher.ALL, FaultChoice.ALL.withNth(1), hole);
    FaultInjector injector = new FaultInjector(FaultPlan.of(0, rule), 0);
    Fate fate = new Fate();
    for (long nowNs : new long[] {5, 6, Long.MAX_VALUE - 1}) {
      fate.begin(nowNs);
      injector.decide(FaultDirection.OUT, ByteBuffer.allocate(64), 0, 64, 92, nowNs, fate);
      assertEquals(Kind.BLACKHOLE, fate.lostBy());
    }
  }

  /** A cable that is out takes nothing that an earlier rule has taken. */
  @Test
  void aDatagramIsLostByOneRule() {
    FaultInjector injector = new FaultInjector(FaultPlan.parse("drop nth=2; port-down nth=1"), 0);
    List<String> lost = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      lost.add(fate(injector, ByteBuffer.allocate(64), 64).reason());
    }
    String cable = "rule 2 (port-down nth=1)";
    assertEquals(List.of(cable, "rule 1 (drop nth=2)", cable), lost);
    assertEquals(1, injector.applied(0));
    assertEquals(2, injector.applied(1));
  }

  @Test
  void aPacketOfAHeaderAloneHasFields() {
    ByteBuffer packet = ByteBuffer.allocate(12).putInt(8, 5);
    FaultPlan plan = FaultPlan.parse("drop psn=5");
    assertEquals(Kind.DROP, fate(new FaultInjector(plan, 0), packet, 12).lostBy());
  }

  /** A CNP has no PSN that is repeated. */
  @Test
  void aRuleForNewPacketsMayNameACnp() {
    assertEquals(1, FaultPlan.parse("drop state=new opcode=CNP").rules().size());
  }

  /** More than a datagram usually meets. */
  @Test
  void aDatagramMeetsAnyNumberOfRules() {
    int count = 9;
    FaultInjector injector =
        new FaultInjector(
            FaultPlan.parse("mark-ecn; duplicate; corrupt-icrc; forge-ack; ".repeat(count)), 0);
    ByteBuffer packet = ByteBuffer.allocate(64);
    Fate fate = fate(injector, packet, 64);
    assertEquals(count, fate.copies());
    assertEquals(count, fate.forgeries());
    assertEquals(count * Integer.SIZE, FaultInjector.damage(fate, packet, 0, 64));
    Fate copy = new Fate();
    copy.explainedBy(fate);
    copy.explainedBy(fate);
    assertEquals(reasons("mark-ecn", 1, count), copy.reason(Fate.MARKING));
    assertEquals(reasons("duplicate", 2, count), copy.reason(Fate.DUPLICATING));
    assertEquals("rule 36 (forge-ack)", copy.reason());
  }

  private static String reasons(String rule, int first, int count) {
    return Stream.iterate(first, place -> place + 4)
        .limit(count)
        .map(place -> "rule " + place + " (" + rule + ")")
        .collect(Collectors.joining(" and "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "drop | Of all datagrams, each: it is lost.",
        "drop service=RC opcode=RC_SEND_ONLY psn=5 direction=out qpn=0x11 state=new nth=3 | Of the"
            + " datagrams of service RC with opcode RC_SEND_ONLY with PSN 5 that this end sends to"
            + " queue pair 0x000011 with a PSN beyond those before, the 3rd: it is lost.",
        "drop opcode=0xff direction=in state=repeated | Of the datagrams with opcode 0xff that this"
            + " end receives whose PSN went there before, each: it is lost.",
        "drop psn=5 | Of the datagrams with PSN 5, each: it is lost.",
        "drop qpn=0x11 | Of the datagrams to queue pair 0x000011, each: it is lost.",
        "rate=1G | Of all datagrams, each: it waits until what was sent before has left at 1G"
            + " bit/s.",
        "rate=1G queue=64KiB | Of all datagrams, each: it waits until what was sent before has left"
            + " at 1G bit/s; a queue of 64KiB that is full loses it.",
        "burst=1% leave=50% loss=75% | Of all datagrams, each, with a probability of 1%: it begins"
            + " a burst in which 75% are lost; each further one ends it with a probability of 50%.",
        "blackhole | Of all datagrams, each: it is lost, and so are all that the rule is meant for"
            + " from then on.",
        "blackhole=5s | Of all datagrams, each: it is lost, and so are all that the rule is meant"
            + " for within 5s.",
        "latency=1ms | Of all datagrams, each: it arrives 1ms later, never before one that was sent"
            + " earlier.",
        "delay=1ms jitter=1us | Of all datagrams, each: it arrives 1ms later, and up to 1us more;"
            + " others overtake it.",
        "reorder | Of all datagrams, each: the next datagram overtakes it, or 10ms pass.",
        "reorder=3 within=1ms | Of all datagrams, each: the next 3 datagrams overtake it, or 1ms"
            + " pass.",
        "duplicate | Of all datagrams, each: a copy arrives before it.",
        "duplicate=2 | Of all datagrams, each: 2 copies arrive before it.",
        "duplicate jitter=1us | Of all datagrams, each: a copy leaves before it and arrives up to"
            + " 1us late.",
        "duplicate=2 jitter=1us | Of all datagrams, each: 2 copies leave before it and arrive, each"
            + " up to 1us late.",
        "corrupt=1 | Of all datagrams, each: 1 bit flips, anywhere.",
        "corrupt=5 | Of all datagrams, each: 1 to 5 bits flip, anywhere.",
        "corrupt-header=2 | Of all datagrams, each: 2 bytes change of BTH and extended headers; the"
            + " ICRC is wrong.",
        "corrupt-payload | Of all datagrams, each: 1 byte changes behind the headers; the ICRC is"
            + " wrong.",
        "corrupt-icrc | Of all datagrams, each: the ICRC is wrong.",
        "truncate=1 | Of all datagrams, each: 1 byte before the ICRC is missing; the port that"
            + " sends it computes the ICRC anew.",
        "truncate=4 | Of all datagrams, each: 4 bytes before the ICRC are missing; the port that"
            + " sends it computes the ICRC anew.",
        "mark-ecn | Of all datagrams, each: a router says that it met congestion: ECN becomes CE.",
        "forge-ack | Of all datagrams, each: an ACK that nobody has sent travels in front of it, of"
            + " its PSN.",
        "forge-ack=7 | Of all datagrams, each: an ACK that nobody has sent travels in front of it,"
            + " of the PSN that is 7 further.",
        "forge-nak=3 | Of all datagrams, each: a NAK of code 3 that nobody has sent travels in"
            + " front of it, of its PSN.",
        "forge-rnr=9 | Of all datagrams, each: an RNR NAK of timer code 9 that nobody has sent"
            + " travels in front of it, of its PSN.",
        "forge-cnp | Of all datagrams, each: a CNP that nobody has sent travels in front of it.",
        "port-down | Of all datagrams, each: the cable is out: it is lost, and so is everything"
            + " both ways from then on.",
        "port-down=2ms | Of all datagrams, each: the cable is out: it is lost, and so is everything"
            + " both ways within 2ms.",
      })
  void aRuleIsExplainedInASentence(String rule, String sentence) {
    assertEquals(List.of(sentence), FaultPlan.parse(rule).explain());
  }
}
