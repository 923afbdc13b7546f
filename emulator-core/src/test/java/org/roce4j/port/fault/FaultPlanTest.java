package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Transport;

class FaultPlanTest {
  private final ByteBuffer buffer = ByteBuffer.allocate(64);

  private void packet(int opcode, int destQp, int psn) {
    buffer.putInt(0, opcode << 24 | 0xFFFF).putInt(4, destQp).putInt(8, psn);
  }

  private Fate fate(FaultInjector injector, FaultDirection direction, int length, long nowNs) {
    Fate fate = new Fate();
    fate.begin(nowNs);
    injector.decide(direction, buffer, 0, length, length + 28, nowNs, fate);
    return fate;
  }

  private Fate fate(FaultInjector injector, FaultDirection direction, int length) {
    return fate(injector, direction, length, 0);
  }

  /**
   * The numbers (from 1) of the datagrams that rules choose, of n equal ones at a rate of one a
   * millisecond.
   */
  private List<Integer> applied(String rules, int n) {
    FaultInjector injector = new FaultInjector(FaultPlan.parse(rules), 0);
    packet(0x04, 17, 5);
    List<Integer> numbers = new ArrayList<>();
    for (int i = 1; i <= n; i++) {
      long nowNs = i * 1_000_000L;
      if (!fate(injector, FaultDirection.OUT, 32, nowNs).untouched(nowNs)) {
        numbers.add(i);
      }
    }
    return numbers;
  }

  @Test
  void countsChooseAmongWhatIsMeant() {
    assertEquals(List.of(1, 2, 3), applied("drop", 3));
    assertEquals(List.of(3), applied("drop nth=3", 9));
    assertEquals(List.of(3, 5, 7, 9), applied("drop first=3 every=2", 9));
    assertEquals(List.of(2, 4), applied("drop first=2 every=2 times=2", 9));
    assertEquals(List.of(), applied("drop direction=in", 9));
    assertEquals(List.of(), applied("drop probability=0", 9));
  }

  @ParameterizedTest
  @CsvSource({
    "opcode=RC_SEND_ONLY, true",
    "opcode=0x04, true",
    "opcode=RC_SEND_FIRST, false",
    "qpn=17, true",
    "qpn=0x11, true",
    "qpn=16, false",
    "psn=5, true",
    "service=RC, true",
    "service=UD, false",
    "psn=6, false",
    "qpn=17 psn=5 opcode=rc_send_only direction=out, true",
  })
  void headersSayWhatIsMeant(String matcher, boolean meant) {
    assertEquals(meant ? 2 : 0, applied("drop " + matcher, 2).size());
  }

  /** The upper bits of an unknown opcode give its service; RD has no other opcode. */
  @ParameterizedTest
  @CsvSource({
    "0x44, RD, true",
    "0x1f, RC, true",
    "0x3f, UC, true",
    "0x7f, UD, true",
    "0x9f, CNP, true",
    "0xbf, XRC, true",
    "0x44, RC, false",
    "0xe0, XRC, false",
  })
  void everyOpcodeHasTheServiceOfItsUpperBits(String opcode, String service, boolean meant) {
    packet(Integer.decode(opcode), 17, 5);
    FaultInjector injector = new FaultInjector(FaultPlan.parse("drop service=" + service), 0);
    assertEquals(meant, fate(injector, FaultDirection.OUT, 32).lostBy() != null);
    String both = "drop service=" + service + " opcode=" + opcode;
    if (meant) {
      assertEquals(1, FaultPlan.parse(both).rules().size());
    } else {
      refused(Errno.EINVAL, () -> FaultPlan.parse(both));
    }
  }

  @Test
  void theNthOfOnePsnIsItsNthTransmission() {
    FaultInjector injector = new FaultInjector(FaultPlan.parse("drop psn=7 nth=2"), 0);
    List<Integer> dropped = new ArrayList<>();
    int[] sent = {5, 6, 7, 8, 6, 7, 8, 7};
    for (int i = 0; i < sent.length; i++) {
      packet(0x04, 17, sent[i]);
      if (fate(injector, FaultDirection.OUT, 32).lostBy() != null) {
        dropped.add(i);
      }
    }
    assertEquals(List.of(5), dropped);
    assertEquals(1, injector.applied(0));
  }

  @Test
  void allThatChooseBefallUntilOneLosesItAndAllCount() {
    FaultInjector injector =
        new FaultInjector(FaultPlan.parse("delay=2ms; drop nth=2; mark-ecn first=2"), 0);
    packet(0x04, 17, 5);
    Fate first = fate(injector, FaultDirection.IN, 32);
    assertEquals(2_000_000, first.laterNs());
    assertFalse(first.congested());
    assertEquals("rule 1 (delay=2ms)", first.reason());
    Fate second = fate(injector, FaultDirection.IN, 32);
    assertEquals(FaultAction.Kind.DROP, second.lostBy());
    assertEquals("rule 2 (drop nth=2)", second.reason());
    assertTrue(fate(injector, FaultDirection.IN, 32).congested());
    assertEquals(3, injector.applied(0));
    assertEquals(1, injector.applied(2));
  }

  @Test
  void eachEffectNamesItsRules() {
    FaultInjector injector =
        new FaultInjector(FaultPlan.parse("delay=2ms; mark-ecn; delay=1ms; corrupt-icrc"), 0);
    packet(0x04, 17, 5);
    Fate fate = fate(injector, FaultDirection.IN, 32);
    assertEquals(
        "held back for 3ms by rule 1 (delay=2ms) and rule 3 (delay), marked CE by rule 2"
            + " (mark-ecn)",
        fate.told(0));
    assertEquals("rule 4 (corrupt-icrc)", fate.reason(Fate.DAMAGING));
    Fate copy = new Fate();
    copy.explainedBy(fate);
    assertEquals(fate.reason(Fate.DELAYING), copy.reason(Fate.DELAYING));
  }

  @Test
  void aWindowOfTimeOpensAndCloses() {
    assertEquals(List.of(3, 4), applied("drop after=3ms until=5ms", 9));
    assertEquals(List.of(4), applied("drop nth=2 after=3ms", 9));
  }

  @Test
  void aBlackHoleLastsForItsTimeOrForEver() {
    assertEquals(List.of(3, 4, 5), applied("blackhole=3ms nth=3", 9));
    assertEquals(List.of(3, 4, 5, 6, 7, 8, 9), applied("blackhole nth=3", 9));
  }

  @Test
  void aBurstLastsUntilADatagramEndsIt() {
    assertEquals(List.of(2, 3, 4, 5), applied("burst leave=0 nth=2", 5));
    assertEquals(List.of(2), applied("burst leave=1 nth=2", 5));
    assertEquals(List.of(), applied("burst leave=0 loss=0 nth=2", 5));
    List<Integer> lost = applied("seed=1; burst=2% leave=25%", 10_000);
    long runs = lost.stream().filter(n -> !lost.contains(n - 1)).count();
    assertTrue(lost.size() > 3 * runs && lost.size() < 5 * runs, lost.size() + " in " + runs);
  }

  @Test
  void theSameSeedGivesTheSameFaultsAtTheStatedRate() {
    String plan = "seed=3; drop probability=10%";
    List<Integer> first = applied(plan, 10_000);
    assertEquals(first, applied(plan, 10_000));
    assertTrue(first.size() > 800 && first.size() < 1200, first.size() + " of 10000");
    assertTrue(!first.equals(applied("seed=4; drop probability=10%", 10_000)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"opcode=0", "service=RC", "qpn=0", "psn=0", "state=repeated"})
  void aFragmentOfAHeaderHasNoFieldsToMatch(String matcher) {
    FaultPlan plan = FaultPlan.parse("mark-ecn state=new; drop " + matcher);
    FaultInjector injector = new FaultInjector(plan, 0);
    ByteBuffer fragment = ByteBuffer.allocate(11);
    Fate fate = new Fate();
    for (int i = 0; i < 2; i++) {
      fate.begin(0);
      injector.decide(FaultDirection.IN, fragment, 0, 11, 39, 0, fate);
      assertTrue(fate.congested() && fate.lostBy() == null);
    }
  }

  @Test
  void eachFaultHasItsUsualAmount() {
    assertEquals(
        """
        RATE=1000000000 BURST=0 DROP=0 BLACKHOLE=0 LATENCY=0 DELAY=1000000 REORDER=1 DUPLICATE=1 \
        CORRUPT=3 CORRUPT_HEADER=1 CORRUPT_PAYLOAD=1 CORRUPT_ICRC=0 TRUNCATE=4 MARK_ECN=0 \
        FORGE_ACK=0 FORGE_NAK=0 FORGE_RNR=14 FORGE_CNP=0 PORT_DOWN=0\
        """,
        Stream.of(FaultAction.Kind.values())
            .map(kind -> kind + "=" + FaultAction.of(kind).amount())
            .collect(Collectors.joining(" ")));
  }

  /** The effect of a rule on a datagram of zeros, which has no extended headers. */
  private static ByteBuffer damaged(FaultInjector injector, int length) {
    ByteBuffer clean = ByteBuffer.allocate(64);
    Fate fate = new Fate();
    fate.begin(0);
    injector.decide(FaultDirection.OUT, clean, 0, length, length + 28, 0, fate);
    assertTrue(FaultInjector.damage(fate, clean, 0, length) > 0);
    return clean;
  }

  /** The first byte that a rule changes. */
  private static int firstDamage(FaultInjector injector, int length) {
    return damaged(injector, length).mismatch(ByteBuffer.allocate(64));
  }

  @Test
  void damageIsWhereTheRuleSaysAndAlwaysSomething() {
    for (int length : new int[] {16, 17, 20, 64}) {
      for (int i = 0; i < 100; i++) {
        String seed = "seed=" + i + "; ";
        int at =
            firstDamage(new FaultInjector(FaultPlan.parse(seed + "corrupt-payload"), 0), length);
        assertTrue(at >= 12 && at < length, "" + at);
        at = firstDamage(new FaultInjector(FaultPlan.parse(seed + "corrupt-header"), 0), length);
        assertTrue(at >= 0 && at < 12, "" + at);
        at = firstDamage(new FaultInjector(FaultPlan.parse(seed + "corrupt-icrc"), 0), length);
        assertTrue(at >= length - 4 && at < length, "" + at);
        at = firstDamage(new FaultInjector(FaultPlan.parse(seed + "corrupt"), 0), length);
        assertTrue(at >= 0 && at < length, "" + at);
      }
    }
  }

  /** The damage of datagrams of 24 bytes; the ICRC does not cover byte 4. */
  @ParameterizedTest
  @CsvSource({
    "corrupt=1,      0..23",
    "corrupt-header, 0..3 5..11",
    "corrupt-payload, 12..19",
    "corrupt-icrc,   20..23",
  })
  void damageReachesEachByteOfItsPart(String rule, String part) {
    Set<Integer> expected = new TreeSet<>();
    for (String range : part.split(" ")) {
      int middle = range.indexOf("..");
      int last = Integer.parseInt(range.substring(middle + 2));
      for (int i = Integer.parseInt(range.substring(0, middle)); i <= last; i++) {
        expected.add(i);
      }
    }
    Set<Integer> met = new TreeSet<>();
    for (int seed = 1; seed < 1000; seed++) {
      FaultPlan plan = FaultPlan.parse("seed=" + seed + "; " + rule);
      ByteBuffer damaged = damaged(new FaultInjector(plan, 0), 24);
      for (int i = 0; i < damaged.limit(); i++) {
        if (damaged.get(i) != 0) {
          met.add(i);
        }
      }
    }
    assertEquals(expected, met);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vanish",
        "drop=3",
        "delay=11s",
        "delay=5parsec",
        "drop direction=up",
        "drop colour=red",
        "drop opcode=RC_TELEPORT",
        "drop opcode=256",
        "drop qpn=0x1000000",
        "drop psn=-1",
        "drop nth=0",
        "drop probability=2",
        "drop probability=x",
        "duplicate=0",
        "seed=x",
        "loss",
        "corrupt=33",
        "rate=0",
        "drop jitter=1us",
        "delay=1ms jitter=11s",
        "drop service=XX",
        "loss=1% colour=red"
      })
  void whatIsNotUnderstoodIsRefusedWithARemedy(String text) {
    VerbsException refused = refused(Errno.EINVAL, () -> FaultPlan.parse(text));
    assertTrue(refused.remedy().length() > 10);
  }

  /** A rule that sets one property twice would keep the last value. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "drop nth=3 nth=5 | nth=5: nth=3 is there already",
        "drop nth=3 every=2 | every=2: nth=3 is there already",
        "drop times=2 first=2 nth=3 | nth=3: first=2 is there already",
        "drop psn=3 qpn=3 psn=4 | psn=4: psn=3 is there already",
        "drop direction=in direction=in | direction=in: direction=in is there already",
        "loss=5% probability=10% | probability=10%: drop=5% is there already",
        "delay=1ms jitter=1us jitter=2us | jitter=2us: jitter=1us is there already",
        "seed=1; drop; seed=2 | seed=2: the plan has a seed already",
        "drop nth=0 | nth=0: give a whole number from 1",
        "drop times=0 | times=0: give a whole number from 1",
        "drop qpn=-1 | qpn=-1: give a whole number from 0 to 16777215",
        "drop psn=16777216 | psn=16777216: give a whole number from 0 to 16777215",
        "seed=1 drop | seed=1: behind the seed stands a semicolon",
        "loss | 'loss' needs a probability, such as loss=1%",
        "drop after=2ms until=2ms | after=2ms until=2ms: nothing comes between",
        "drop opcode=CNP state=repeated | no datagram has state=repeated and",
      })
  void whatContradictsItselfIsRefused(String text, String why) {
    String remedy = refused(Errno.EINVAL, () -> FaultPlan.parse(text)).remedy();
    assertTrue(remedy.startsWith(why), remedy);
  }

  /** Programs set the fields of a matcher themselves. */
  @Test
  void aFieldIsNoWiderThanInAHeader() {
    FaultMatcher all = FaultMatcher.ALL;
    for (int wrong : new int[] {1 << 24, FaultMatcher.ANY - 1}) {
      refused(Errno.EINVAL, () -> all.withPsn(wrong));
      refused(Errno.EINVAL, () -> all.withDestQp(wrong));
      refused(Errno.EINVAL, () -> all.withOpcode(wrong));
    }
    refused(Errno.EINVAL, () -> all.withOpcode(1 << 8));
  }

  @Test
  void aDetailIsOfTheFaultBeforeIt() {
    assertEquals(
        FaultPlan.parse("latency=1ms jitter=1us psn=5; delay=1ms jitter=2us psn=5"),
        FaultPlan.parse("latency=1ms jitter=1us delay=1ms jitter=2us psn=5"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "loss=1% | drop probability=0.01",
        "loss=1 | drop",
        "drop=1% direction=in | drop direction=in probability=0.01",
        "corrupt=0.5 | corrupt probability=0.5",
        "burst=1% leave=50% | burst leave=0.5 probability=0.01",
        "duplicate=2 | duplicate=2",
        "duplicate=2% | duplicate probability=0.02",
        "delay=10% | delay probability=0.1",
        "loss=1% reorder=5% qpn=3 | drop qpn=3 probability=0.01; reorder qpn=3 probability=0.05",
      })
  void aProbabilityInPlaceOfTheAmountIsTheMatchers(String text, String rules) {
    assertEquals(FaultPlan.parse(rules), FaultPlan.parse(text));
  }

  @Test
  void plansReadAsTheyAreWritten() {
    assertEquals(
        "seed=7; drop direction=out opcode=RC_SEND_LAST nth=3; delay=2ms qpn=0x000011 every=10;"
            + " corrupt-icrc probability=0.01",
        FaultPlan.of(
                7,
                new FaultRule(
                    FaultMatcher.ALL
                        .withDirection(FaultDirection.OUT)
                        .withOpcode(Opcode.RC_SEND_LAST),
                    FaultChoice.ALL.withNth(3),
                    FaultAction.DROP),
                new FaultRule(
                    FaultMatcher.ALL.withDestQp(17),
                    FaultChoice.ALL.withEvery(10),
                    FaultAction.delay(2_000_000)),
                new FaultRule(
                    FaultMatcher.ALL,
                    FaultChoice.ALL.withProbability(0.01),
                    FaultAction.CORRUPT_ICRC))
            .toString());
  }

  @Test
  void aPsnThatWentToAQueuePairBeforeIsRepeated() {
    FaultInjector injector =
        new FaultInjector(FaultPlan.parse("drop state=repeated; duplicate state=new"), 0);
    int[][] packets = {
      {0x04, 17, 5},
      {0x04, 18, 5},
      {0x11, 17, 5},
      {0x04, 17, 6},
      {0x04, 17, 5},
      {0x11, 17, 5},
      {0x04, 17, 0xFFFFFF},
      {0x04, 17, 7},
      {0x81, 17, 0}
    };
    StringBuilder told = new StringBuilder();
    for (int[] packet : packets) {
      packet(packet[0], packet[1], packet[2]);
      told.append(fate(injector, FaultDirection.OUT, 32).lostBy() == null ? "n" : "r");
    }
    assertEquals("nnnnrrrnn", told.toString());
    packet(0x04, 17, 7);
    assertEquals(null, fate(injector, FaultDirection.IN, 32).lostBy(), "the other way");
  }

  @Test
  void whileTheCableIsOutNothingPassesEitherWay() {
    FaultInjector injector =
        new FaultInjector(FaultPlan.parse("port-down=2ms direction=out psn=5"), 0);
    packet(0x04, 17, 4);
    assertEquals(null, fate(injector, FaultDirection.IN, 32, 1).lostBy());
    packet(0x04, 17, 5);
    assertEquals(FaultAction.Kind.PORT_DOWN, fate(injector, FaultDirection.OUT, 32, 2).lostBy());
    packet(0x04, 17, 6);
    assertEquals(FaultAction.Kind.PORT_DOWN, fate(injector, FaultDirection.IN, 32, 3).lostBy());
    assertEquals(null, fate(injector, FaultDirection.IN, 32, 2_000_002).lostBy());
  }

  @Property
  void whatIsPrintedIsReadBack(@ForAll("plans") FaultPlan plan) {
    assertEquals(plan, FaultPlan.parse(plan.toString()));
  }

  @Provide
  Arbitrary<FaultPlan> plans() {
    Arbitrary<FaultMatcher> matchers =
        Combinators.combine(
                Arbitraries.of(FaultDirection.values()).injectNull(0.3),
                Arbitraries.of(Transport.values()).injectNull(0.3),
                Arbitraries.integers().between(-1, 255),
                Arbitraries.integers().between(-1, 0xFFFFFF),
                Arbitraries.integers().between(-1, 0xFFFFFF),
                Arbitraries.of(PacketState.values()).injectNull(0.5))
            .as(FaultMatcher::new)
            .ignoreException(VerbsException.class);
    Arbitrary<FaultChoice> choices =
        Combinators.combine(
                Arbitraries.longs().between(1, 5),
                Arbitraries.longs().between(1, 5),
                Arbitraries.oneOf(
                    Arbitraries.longs().between(1, 3), Arbitraries.just(Long.MAX_VALUE)),
                Arbitraries.doubles().between(0, 1),
                Arbitraries.longs().between(0, 5),
                Arbitraries.oneOf(
                    Arbitraries.longs().between(0, 3_000_000), Arbitraries.just(Long.MAX_VALUE)))
            .as(FaultChoice::new)
            .ignoreException(VerbsException.class);
    Arbitrary<FaultAction> actions =
        Arbitraries.oneOf(
            Arbitraries.of(FaultAction.Kind.values()).map(FaultAction::of),
            Arbitraries.longs().between(1, FaultAction.MAX_DELAY_NS).map(FaultAction::delay),
            Arbitraries.longs()
                .between(0, 5_000)
                .map(ns -> FaultAction.of(FaultAction.Kind.LATENCY, ns, ns + 1)),
            Arbitraries.doubles()
                .between(0, 1)
                .map(p -> FaultAction.of(FaultAction.Kind.BURST, 0, p, 1 - p)),
            Arbitraries.longs().between(1, 1000).map(FaultAction::reorder),
            Arbitraries.integers().between(1, 100).map(FaultAction::truncate));
    return Combinators.combine(
            Arbitraries.longs(),
            Combinators.combine(matchers, choices, actions).as(FaultRule::new).list().ofMaxSize(5))
        .as(FaultPlan::new);
  }
}
