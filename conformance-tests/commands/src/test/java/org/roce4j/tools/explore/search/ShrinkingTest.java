package org.roce4j.tools.explore.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.Faults;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.port.fault.FaultReport.Hit;
import org.roce4j.port.fault.FaultReport.Traffic;
import org.roce4j.port.fault.FaultRule;
import org.roce4j.wire.Opcode;

class ShrinkingTest {
  private static final Traffic SENT = new Traffic(FaultDirection.OUT, Opcode.RC_SEND_ONLY.code());
  private static final Traffic ANSWERED =
      new Traffic(FaultDirection.IN, Opcode.RC_ACKNOWLEDGE.code());
  private static final FaultReport MET =
      new FaultReport(Map.of(SENT, 30L, ANSWERED, 20L), List.of());

  private static Trial trial(String plan) {
    Faults parsed = Faults.parse(plan);
    return new Trial(parsed.seed(), parsed.packets(), parsed.verbs());
  }

  /** A few rules that occur in many random trials. */
  private static Trial drawn(int seed) {
    List<FaultRule> rules = new ArrayList<>();
    PlanGenerator generator = new PlanGenerator(MET, seed);
    for (int i = 1; i < 5; i++) {
      rules.addAll(generator.trial(2 * i).rules());
    }
    return new Trial(seed, rules);
  }

  /** Decides how each proposed trial ends until none is left; returns their number. */
  private static int run(Shrinking shrinking, int jobs, Predicate<Trial> fails) {
    int runs = 0;
    for (List<Trial> next = shrinking.next(jobs); !next.isEmpty(); next = shrinking.next(jobs)) {
      Trial smallest = shrinking.smallest();
      next.forEach(each -> assertTrue(TrialSize.SMALLER.compare(each, smallest) < 0));
      for (Trial each : next) {
        shrinking.told(each, fails.test(each), FaultReport.NONE);
        runs++;
      }
    }
    return runs;
  }

  private static Shrinking of(Trial failing) {
    return new Shrinking(failing, FaultReport.NONE, Integer.MAX_VALUE);
  }

  @Property(tries = 100)
  void whatFailsOfAnyKindEndsSmallerThanItBegan(
      @ForAll @IntRange(min = 1) int seed,
      @ForAll @IntRange(min = 1, max = 4) int jobs,
      @ForAll @IntRange(min = 1, max = 5) int often) {
    Trial begun = drawn(seed);
    Shrinking shrinking = of(begun);
    int runs = run(shrinking, jobs, any -> (any.toString().hashCode() ^ seed) % often == 0);
    assertTrue(TrialSize.SMALLER.compare(shrinking.smallest(), begun) <= 0);
    assertEquals(runs, shrinking.count());
    assertEquals(0, shrinking.left());
  }

  @Property(tries = 100)
  void exactlyTheRulesThatAreNeededAreLeft(
      @ForAll @IntRange(min = 1) int seed, @ForAll @IntRange(max = 255) int which) {
    Trial begun = drawn(seed);
    List<FaultRule> needed = new ArrayList<>();
    for (int i = 0; i < begun.rules().size(); i++) {
      if ((which >> i % 8 & 1) == 1 && !needed.contains(begun.rules().get(i))) {
        needed.add(begun.rules().get(i));
      }
    }
    Shrinking shrinking = of(begun);
    run(shrinking, 1, any -> any.rules().containsAll(needed));
    assertEquals(1, shrinking.smallest().seed());
    assertEquals(needed.size(), shrinking.smallest().rules().size());
    assertTrue(shrinking.smallest().rules().containsAll(needed));
  }

  @Property(tries = 100)
  void theEarliestPlaceThatFailsIsFound(
      @ForAll @IntRange(min = 1, max = 1000) int from, @ForAll @IntRange(max = 1000) int later) {
    Shrinking shrinking = of(trial("seed=7; drop direction=out nth=" + (from + later)));
    int runs =
        run(
            shrinking,
            1,
            any -> any.rules().stream().anyMatch(rule -> rule.choice().first() >= from));
    assertEquals("seed=1; drop direction=out nth=" + from, shrinking.smallest().toString());
    // Each smaller place found begins a new series of halvings: 7 runs at most for numbers up to
    // 3, 70 for numbers up to 2,000.
    int halvings = Integer.SIZE - Integer.numberOfLeadingZeros(from + later);
    assertTrue(runs <= halvings * halvings + 4, () -> runs + " runs");
  }

  @Property(tries = 50)
  void asManyFaultsAsAreNeededAreLeft(@ForAll @IntRange(min = 1, max = 40) int needed) {
    Shrinking shrinking = of(trial("seed=1; drop opcode=RC_SEND_ONLY times=60"));
    run(
        shrinking,
        1,
        any -> any.rules().stream().mapToLong(rule -> rule.choice().times()).sum() >= needed);
    Trial found = shrinking.smallest();
    assertEquals(1, found.rules().size());
    assertEquals(needed, found.rules().getFirst().choice().times());
  }

  @Property(tries = 50)
  void theSameAnswersGiveTheSameQuestions(@ForAll @IntRange(min = 1) int seed) {
    List<List<String>> asked = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      List<String> questions = new ArrayList<>();
      run(
          of(drawn(seed)),
          1,
          any -> questions.add(any.toString()) && any.toString().hashCode() % 3 == 0);
      asked.add(questions);
    }
    assertEquals(asked.getFirst(), asked.getLast());
  }

  @Test
  void chanceBecomesTheDatagramThatItChose() {
    List<Hit> hits = List.of(new Hit(0, SENT, 4, 9), new Hit(0, ANSWERED, 3, 11));
    Shrinking shrinking =
        new Shrinking(trial("seed=5; drop probability=2%"), new FaultReport(Map.of(), hits), 100);
    String needed = "drop direction=in opcode=RC_ACKNOWLEDGE nth=3";
    run(
        shrinking,
        1,
        any -> any.toString().contains("probability") || any.toString().contains(needed));
    assertEquals("seed=1; " + needed, shrinking.smallest().toString());
  }

  /** The next proposal follows from the events of the smallest trial, not of the first. */
  @Test
  void theSmallestSoFarIsAskedWhatItMet() {
    Shrinking shrinking = of(trial("seed=5; drop probability=2%; drop nth=3"));
    Trial smaller = trial("seed=5; drop probability=2%");
    FaultReport met = new FaultReport(Map.of(), List.of(new Hit(0, SENT, 7, 9)));
    assertTrue(shrinking.next(100).contains(smaller));
    shrinking.told(smaller, true, met);
    assertTrue(
        shrinking.next(100).stream()
            .anyMatch(each -> each.toString().contains("opcode=RC_SEND_ONLY nth=7")),
        () -> shrinking.next(100).toString());
  }

  @Test
  void aFaultThatLastsBecomesTheLossesThatItWas() {
    List<Hit> hits = List.of(new Hit(0, SENT, 2, 2), new Hit(0, SENT, 3, 3));
    Shrinking shrinking =
        new Shrinking(
            trial("seed=1; blackhole=1ms direction=out nth=2"),
            new FaultReport(Map.of(), hits),
            100);
    run(
        shrinking,
        1,
        any ->
            any.rules().stream()
                    .distinct()
                    .filter(rule -> rule.action().kind() == Kind.DROP)
                    .mapToLong(rule -> rule.choice().times())
                    .sum()
                >= 2);
    assertEquals(
        "seed=1; drop direction=out opcode=RC_SEND_ONLY times=2", shrinking.smallest().toString());
  }

  @Test
  void rulesOfTheVerbsShrinkBesideThoseOfDatagrams() {
    Shrinking shrinking =
        of(
            trial(
                "seed=4; drop nth=2; late=50ms nth=9; refuse=ENOMEM call=modify nth=3; delay=3ms"));
    run(shrinking, 1, any -> any.rules().isEmpty() || any.toString().matches(".*delay=.*late=.*"));
    assertEquals("seed=1", shrinking.smallest().toString());
    shrinking = of(trial("seed=4; drop nth=2; late=50ms nth=9; refuse=ENOMEM call=modify nth=3"));
    run(shrinking, 2, any -> any.toString().contains("late="));
    assertEquals("seed=1; late=1us nth=1", shrinking.smallest().toString());
  }

  @Test
  void theBoundIsKeptAndTold() {
    Shrinking shrinking = new Shrinking(drawn(3), FaultReport.NONE, 4);
    assertEquals(4, run(shrinking, 3, any -> false));
    assertTrue(shrinking.cut());
  }

  @Test
  void itEndsAtItsBoundOrWhenNothingSmallerIsLeft() {
    Trial begun = trial("seed=5; drop nth=9; drop nth=20");
    int all = of(begun).next(1000).size();
    assertTrue(all > 3);
    assertEquals(all, of(begun).left());
    Shrinking shrinking = new Shrinking(begun, FaultReport.NONE, 3);
    for (int left = 3; left > 0; left--) {
      assertEquals(left, shrinking.left());
      assertEquals(left, shrinking.next(5).size());
      assertFalse(shrinking.cut());
      shrinking.told(shrinking.next(1).getFirst(), false, FaultReport.NONE);
    }
    assertEquals(0, shrinking.left());
    assertTrue(shrinking.cut());
    assertFalse(new Shrinking(trial("seed=1"), FaultReport.NONE, 0).cut(), "nothing is smaller");
  }

  /** Several run at a time. */
  @Test
  void aTrialThatFailsAfterASmallerOneChangesNothing() {
    Shrinking shrinking = of(trial("seed=1; drop nth=3; drop nth=4; drop nth=5"));
    List<Trial> next = shrinking.next(3);
    next.forEach(each -> shrinking.told(each, true, FaultReport.NONE));
    assertEquals("seed=1", next.getFirst().toString());
    assertEquals(next.getFirst(), shrinking.smallest());
    assertEquals(3, shrinking.count());
  }

  /** In either order, and only if one rule can say the same. */
  @ParameterizedTest
  @CsvSource({
    "drop nth=3; drop nth=4, 2",
    "drop nth=4; drop nth=3, 2",
    "drop first=3 times=2; drop nth=5, 3",
    "drop nth=3; drop nth=5, 0",
    "drop nth=3; drop nth=3, 0",
    "drop nth=3; drop opcode=RC_SEND_ONLY nth=4, 0",
    "drop nth=3; duplicate nth=4, 0",
    "drop nth=3; drop nth=4 probability=50%, 0",
    "drop first=3 every=2 times=2; drop first=5 every=2 times=2, 0"
  })
  void rulesOfNeighboursAreJoined(String rules, long times) {
    Trial begun = trial("seed=1; " + rules);
    long most = begun.rules().stream().mapToLong(rule -> rule.choice().times()).max().orElseThrow();
    List<FaultRule> joined =
        of(begun).next(1000).stream()
            .filter(each -> each.rules().size() == 1)
            .map(each -> each.rules().getFirst())
            .filter(rule -> rule.choice().times() > most)
            .toList();
    assertEquals(times == 0 ? 0 : 1, joined.size(), joined::toString);
    joined.forEach(
        rule -> {
          assertEquals(3, rule.choice().first());
          assertEquals(times, rule.choice().times());
        });
  }
}
