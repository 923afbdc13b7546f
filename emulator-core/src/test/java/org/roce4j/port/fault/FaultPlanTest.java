package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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

class FaultPlanTest {
  private final ByteBuffer buffer = ByteBuffer.allocate(64);

  private void packet(int opcode, int destQp, int psn) {
    buffer.putInt(0, opcode << 24 | 0xFFFF).putInt(4, destQp).putInt(8, psn);
  }

  /** The numbers, from 1, of those of n equal datagrams that a rule befalls. */
  private List<Integer> befallen(String rule, int n) {
    FaultInjector injector = new FaultInjector(FaultPlan.parse(rule));
    packet(0x04, 17, 5);
    List<Integer> numbers = new ArrayList<>();
    for (int i = 1; i <= n; i++) {
      if (injector.decide(FaultDirection.OUT, buffer, 0, 32) != null) {
        numbers.add(i);
      }
    }
    return numbers;
  }

  @Test
  void countsChooseAmongWhatIsMeant() {
    assertEquals(List.of(1, 2, 3), befallen("drop", 3));
    assertEquals(List.of(3), befallen("drop nth=3", 9));
    assertEquals(List.of(3, 5, 7, 9), befallen("drop first=3 every=2", 9));
    assertEquals(List.of(2, 4), befallen("drop first=2 every=2 times=2", 9));
    assertEquals(List.of(), befallen("drop direction=in", 9));
    assertEquals(List.of(), befallen("drop probability=0", 9));
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
    "psn=6, false",
    "qpn=17 psn=5 opcode=rc_send_only direction=out, true",
  })
  void headersSayWhatIsMeant(String matcher, boolean meant) {
    assertEquals(meant ? 2 : 0, befallen("drop " + matcher, 2).size());
  }

  @Test
  void theNthOfOnePsnIsItsNthTransmission() {
    FaultInjector injector = new FaultInjector(FaultPlan.parse("drop psn=7 nth=2"));
    List<Integer> dropped = new ArrayList<>();
    int[] sent = {5, 6, 7, 8, 6, 7, 8, 7};
    for (int i = 0; i < sent.length; i++) {
      packet(0x04, 17, sent[i]);
      if (injector.decide(FaultDirection.OUT, buffer, 0, 32) != null) {
        dropped.add(i);
      }
    }
    assertEquals(List.of(5), dropped);
    assertEquals(1, injector.befallen(0));
  }

  @Test
  void theFirstRuleThatChoosesDecidesAndAllCount() {
    FaultInjector injector = new FaultInjector(FaultPlan.parse("drop nth=2; mark-ecn first=2"));
    packet(0x04, 17, 5);
    assertNull(injector.decide(FaultDirection.IN, buffer, 0, 32));
    assertEquals(FaultAction.DROP, injector.decide(FaultDirection.IN, buffer, 0, 32));
    assertEquals(FaultAction.MARK_ECN, injector.decide(FaultDirection.IN, buffer, 0, 32));
  }

  @Test
  void theSameSeedGivesTheSameFaultsAtTheStatedRate() {
    String plan = "seed=3; drop probability=10%";
    List<Integer> first = befallen(plan, 10_000);
    assertEquals(first, befallen(plan, 10_000));
    assertTrue(first.size() > 800 && first.size() < 1200, first.size() + " of 10000");
    assertTrue(!first.equals(befallen("seed=4; drop probability=10%", 10_000)));
  }

  @Test
  void aFragmentOfAHeaderHasNoFieldsToMatch() {
    FaultInjector injector = new FaultInjector(FaultPlan.parse("drop opcode=0; mark-ecn"));
    assertEquals(FaultAction.MARK_ECN, injector.decide(FaultDirection.IN, buffer, 0, 11));
  }

  @Test
  void damageNeverTouchesTheBthAndAlwaysSomething() {
    for (int length : new int[] {16, 17, 20, 64}) {
      FaultInjector injector = new FaultInjector(FaultPlan.NONE);
      for (int i = 0; i < 100; i++) {
        ByteBuffer clean = ByteBuffer.allocate(64);
        injector.damage(clean, 0, length, 1);
        assertEquals(0, clean.getLong(0));
        assertEquals(0, clean.getInt(8));
        assertTrue(clean.mismatch(ByteBuffer.allocate(64)) < length);
        assertTrue(clean.mismatch(ByteBuffer.allocate(64)) >= 0);
      }
    }
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
        "corrupt=2",
        "loss=1% colour=red"
      })
  void whatIsNotUnderstoodIsRefusedWithARemedy(String text) {
    VerbsException refused = assertThrows(VerbsException.class, () -> FaultPlan.parse(text));
    assertEquals(Errno.EINVAL, refused.errno());
    assertTrue(refused.remedy().length() > 10);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "loss=1% | drop probability=0.01",
        "loss=1 | drop",
        "drop=1% direction=in | drop direction=in probability=0.01",
        "corrupt=0.5 | corrupt-payload probability=0.5",
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
                        .withOpcode(Opcode.RC_SEND_LAST)
                        .withNth(3),
                    FaultAction.DROP),
                new FaultRule(
                    FaultMatcher.ALL.withDestQp(17).withEvery(10), FaultAction.delay(2_000_000)),
                new FaultRule(FaultMatcher.ALL.withProbability(0.01), FaultAction.CORRUPT_ICRC))
            .toString());
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
                Arbitraries.integers().between(-1, 255),
                Arbitraries.integers().between(-1, 0xFFFFFF),
                Arbitraries.integers().between(-1, 0xFFFFFF),
                Arbitraries.longs().between(1, 5),
                Arbitraries.longs().between(1, 5),
                Arbitraries.oneOf(
                    Arbitraries.longs().between(1, 3), Arbitraries.just(Long.MAX_VALUE)),
                Arbitraries.doubles().between(0, 1))
            .as(FaultMatcher::new);
    Arbitrary<FaultAction> actions =
        Arbitraries.oneOf(
            Arbitraries.of(FaultAction.Kind.values()).map(FaultAction::of),
            Arbitraries.longs().between(1, FaultAction.MAX_DELAY_NS).map(FaultAction::delay),
            Arbitraries.longs().between(1, 1000).map(FaultAction::reorder),
            Arbitraries.integers().between(1, 100).map(FaultAction::truncate));
    return Combinators.combine(
            Arbitraries.longs(),
            Combinators.combine(matchers, actions).as(FaultRule::new).list().ofMaxSize(5))
        .as(FaultPlan::new);
  }
}
