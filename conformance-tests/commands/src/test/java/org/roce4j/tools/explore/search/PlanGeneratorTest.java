package org.roce4j.tools.explore.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.Faults;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultMatcher;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.port.fault.FaultReport.Traffic;
import org.roce4j.port.fault.FaultRule;
import org.roce4j.port.fault.PacketState;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.wire.Opcode;

class PlanGeneratorTest {
  private static final FaultReport MET =
      new FaultReport(
          Map.of(
              new Traffic(FaultDirection.OUT, Opcode.RC_SEND_ONLY.code()), 12L,
              new Traffic(FaultDirection.IN, Opcode.RC_ACKNOWLEDGE.code()), 12L,
              new Traffic(FaultDirection.IN, Opcode.RC_RDMA_READ_RESPONSE_ONLY.code()), 1L),
          List.of());

  @Property(tries = 200)
  void aTrialDependsOnSeedAndNumberAndIsReadAsItIsPrinted(
      @ForAll @IntRange(min = 1) int seed, @ForAll @IntRange(min = 1, max = 10_000) int number) {
    Trial trial = new PlanGenerator(MET, seed).trial(number);
    assertEquals(trial, new PlanGenerator(MET, seed).trial(number));
    FaultPlan plan = trial.behind(Faults.NONE).ofPackets();
    assertEquals(plan, FaultPlan.parse(plan.toString()));
    assertTrue(trial.rules().size() >= 1 && trial.rules().size() <= 10);
  }

  /** With the seed of the run without faults; each trial between them has a seed of its own. */
  @Test
  void singleFaultsOfEachTrafficComeFirst() {
    PlanGenerator generator = new PlanGenerator(MET, 7);
    List<String> first = new ArrayList<>();
    for (int single = 0; single < 26; single++) {
      Trial trial = generator.trial(2 * single + 1);
      assertEquals(7, trial.seed());
      assertEquals(1, trial.size());
      first.add(trial.rules().getFirst().toString());
      assertEquals(7 + 2 * single + 2, generator.trial(2 * single + 2).seed());
    }
    assertEquals(7 + 53, generator.trial(53).seed(), "there are no more");
    String send = "drop direction=out opcode=RC_SEND_ONLY nth=";
    String answer = "drop direction=in opcode=RC_ACKNOWLEDGE nth=";
    List<String> expected = new ArrayList<>();
    expected.add(send + 1);
    expected.add("drop direction=in opcode=RC_RDMA_READ_RESPONSE_ONLY nth=1");
    expected.add(answer + 1);
    expected.add("forge-rnr direction=in opcode=RC_ACKNOWLEDGE nth=1");
    expected.add(send + 12);
    expected.add(answer + 12);
    for (int nth = 2; nth < 12; nth++) {
      expected.add(send + nth);
      expected.add(answer + nth);
    }
    assertEquals(expected, first);
  }

  @Test
  void anAcknowledgementOfXrcIsAnAnswerToo() {
    Traffic answer = new Traffic(FaultDirection.IN, Opcode.XRC_ACKNOWLEDGE.code());
    PlanGenerator generator = new PlanGenerator(new FaultReport(Map.of(answer, 1L), List.of()), 1);
    assertEquals(
        "forge-rnr direction=in opcode=XRC_ACKNOWLEDGE nth=1",
        generator.trial(3).rules().getFirst().toString());
  }

  /** A run may have millions. */
  @Test
  void theDatagramsUpToTheFiftiethAreLostOneByOne() {
    Traffic sent = new Traffic(FaultDirection.OUT, Opcode.UC_SEND_ONLY.code());
    PlanGenerator generator = new PlanGenerator(new FaultReport(Map.of(sent, 99L), List.of()), 1);
    assertEquals(50, first(generator.trial(101)));
    assertEquals(1, generator.trial(101).seed());
    assertNotEquals(1, generator.trial(103).seed());
  }

  private static long first(Trial trial) {
    return trial.rules().getFirst().choice().first();
  }

  /** A mistake that one datagram in the middle shows is found without luck. */
  @Test
  void theDatagramsBetweenAreLostOneByOne() {
    PlanGenerator generator = new PlanGenerator(MET, 1);
    Set<String> lost =
        IntStream.range(0, 40)
            .mapToObj(i -> generator.trial(2 * i + 1).rules().getFirst().toString())
            .collect(Collectors.toSet());
    for (int nth = 2; nth < 12; nth++) {
      assertTrue(
          lost.contains("drop direction=out opcode=RC_SEND_ONLY nth=" + nth), lost::toString);
    }
  }

  @Test
  void callsAreRefusedAndCompletionsLateWhereTheyWereCounted() {
    FaultReport met =
        new FaultReport(
            MET.datagrams(), List.of(), Map.of("createQp", 2L, "poll", 9L, "completions", 5L));
    PlanGenerator generator = new PlanGenerator(met, 1);
    Set<String> verbs =
        IntStream.range(1, 1000)
            .mapToObj(generator::trial)
            .flatMap(trial -> trial.verbs().stream().map(VerbsRule::toString))
            .collect(Collectors.toSet());
    assertTrue(verbs.contains("refuse=ENOMEM call=createQp nth=2"), verbs::toString);
    assertTrue(verbs.contains("event=PORT_ERR call=createQp nth=1"), verbs::toString);
    assertTrue(verbs.contains("fail=RETRY_EXC_ERR nth=5"), verbs::toString);
    assertTrue(verbs.stream().anyMatch(rule -> rule.matches("late=\\d+us nth=5")), verbs::toString);
    assertTrue(verbs.stream().noneMatch(rule -> rule.contains("poll")), verbs::toString);
    assertTrue(new PlanGenerator(MET, 1).trial(2).verbs().isEmpty());
  }

  private static List<VerbsRule> drawnOfVerbs(Map<String, Long> met) {
    PlanGenerator generator =
        new PlanGenerator(new FaultReport(MET.datagrams(), List.of(), met), 1);
    List<Trial> trials = IntStream.rangeClosed(1, 10_000).mapToObj(generator::trial).toList();
    List<VerbsRule> rules = trials.stream().flatMap(trial -> trial.verbs().stream()).toList();
    long all = trials.stream().skip(100).mapToLong(Trial::size).sum();
    assertEquals(0.5, (double) rules.size() / all, 0.02, "each other rule");
    return rules;
  }

  private static List<VerbsRule> of(List<VerbsRule> rules, VerbsRule.Kind kind, double share) {
    List<VerbsRule> own = rules.stream().filter(rule -> rule.kind() == kind).toList();
    assertEquals(share, (double) own.size() / rules.size(), 0.02);
    return own;
  }

  private static Set<Long> valuesOfVerbs(List<VerbsRule> rules) {
    return rules.stream().map(VerbsRule::value).collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<Long> places(List<VerbsRule> rules) {
    rules.forEach(
        rule -> assertEquals(FaultChoice.ALL.withNth(rule.choice().first()), rule.choice()));
    return rules.stream()
        .map(rule -> rule.choice().first())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void callsAndCompletionsFailAsOftenAsTheyShould() {
    List<VerbsRule> rules =
        drawnOfVerbs(Map.of("createQp", 2L, "poll", 9L, "counters", 9L, "completions", 5L));
    List<VerbsRule> refused = of(rules, VerbsRule.Kind.REFUSE, 0.4);
    assertEquals(Set.of((long) Errno.ENOMEM.number()), valuesOfVerbs(refused));
    assertEquals(numbers(1, 2), places(refused));
    List<VerbsRule> events = of(rules, VerbsRule.Kind.EVENT, 0.1);
    assertEquals(numbers(1, 2), places(events));
    assertEquals(
        Stream.of(EventType.PORT_ERR, EventType.GID_CHANGE, EventType.CLIENT_REREGISTER)
            .map(event -> (long) event.value())
            .collect(Collectors.toSet()),
        valuesOfVerbs(events));
    List<VerbsRule> late = of(rules, VerbsRule.Kind.LATE, 0.4);
    assertEquals(numbers(1, 5), places(late));
    assertEquals(Set.of(10_000L, 100_000L, 1_000_000L, 10_000_000L), valuesOfVerbs(late));
    List<VerbsRule> failed = of(rules, VerbsRule.Kind.FAIL, 0.1);
    assertEquals(numbers(1, 5), places(failed));
    assertEquals(Set.of((long) WcStatus.RETRY_EXC_ERR.value()), valuesOfVerbs(failed));
  }

  @Test
  void withoutCompletionsCallsAreOnlyRefused() {
    of(drawnOfVerbs(Map.of("createQp", 2L, "allocPd", 1L)), VerbsRule.Kind.REFUSE, 1);
  }

  /** The rules of many trials that are drawn. */
  private static List<FaultRule> drawn(FaultReport met) {
    PlanGenerator generator = new PlanGenerator(met, 1);
    return IntStream.rangeClosed(1, 20_000)
        .mapToObj(i -> generator.trial(2 * i))
        .flatMap(trial -> trial.rules().stream())
        .toList();
  }

  private static List<FaultRule> of(List<FaultRule> rules, Kind... kinds) {
    return rules.stream().filter(rule -> List.of(kinds).contains(rule.action().kind())).toList();
  }

  private static void assertShare(double expected, List<FaultRule> rules, Predicate<FaultRule> of) {
    double share = (double) rules.stream().filter(of).count() / rules.size();
    assertEquals(expected, share, 0.01);
  }

  /** A loss is the most frequent; one of a repeated datagram needs another one before it. */
  @Test
  void eachKindIsDrawnAsOftenAsItsWeightSays() {
    List<FaultRule> rules = drawn(MET);
    double all = 31 + 10 / 12.0;
    assertShare((10 + 10 / 12.0) / all, rules, rule -> rule.action().kind() == Kind.DROP);
    Map<Kind, Integer> weights =
        Map.ofEntries(
            Map.entry(Kind.DUPLICATE, 4),
            Map.entry(Kind.DELAY, 4),
            Map.entry(Kind.REORDER, 3),
            Map.entry(Kind.FORGE_RNR, 3),
            Map.entry(Kind.MARK_ECN, 1),
            Map.entry(Kind.CORRUPT_ICRC, 1),
            Map.entry(Kind.CORRUPT_PAYLOAD, 1),
            Map.entry(Kind.BURST, 2),
            Map.entry(Kind.BLACKHOLE, 1),
            Map.entry(Kind.PORT_DOWN, 1));
    weights.forEach(
        (kind, weight) -> assertShare(weight / all, rules, rule -> rule.action().kind() == kind));
    assertShare(10 / 12.0 / all, rules, rule -> rule.matcher().state() == PacketState.REPEATED);
  }

  /** Nothing is repeated without a loss. */
  @Test
  void theLossOfARepeatedDatagramFollowsTheLossOfAnyOfItsKind() {
    List<FaultRule> rules = drawn(MET);
    for (int i = 0; i < rules.size(); i++) {
      FaultRule rule = rules.get(i);
      if (rule.matcher().state() != null) {
        FaultRule before =
            new FaultRule(rule.matcher().withState(null), rule.choice(), FaultAction.DROP);
        assertEquals(before, rules.get(i - 1));
        assertEquals(FaultChoice.ALL.withNth(1), rule.choice());
        assertEquals(FaultAction.DROP, rule.action());
      }
    }
  }

  /** Only an acknowledgement can be "receiver not ready" instead. */
  @Test
  void onlyAnswersAreForged() {
    for (FaultRule rule : of(drawn(MET), Kind.FORGE_RNR)) {
      assertEquals(Opcode.RC_ACKNOWLEDGE.code(), rule.matcher().opcode());
      assertEquals(FaultDirection.IN, rule.matcher().direction());
    }
    Map<Traffic, Long> withoutAnswers = new HashMap<>(MET.datagrams());
    withoutAnswers.keySet().removeIf(each -> each.opcode() == Opcode.RC_ACKNOWLEDGE.code());
    List<FaultRule> rules = drawn(new FaultReport(withoutAnswers, List.of()));
    assertEquals(List.of(), of(rules, Kind.FORGE_RNR));
    assertShare(
        (13 + 13 / 6.0 / 2) / (31 + 13 / 12.0), rules, rule -> rule.action().kind() == Kind.DROP);
  }

  @Test
  void oneRuleInSixIsForAnyOpcodeAndTheOthersForEachTrafficAlike() {
    List<FaultRule> rules = of(drawn(MET), Kind.DUPLICATE, Kind.DELAY, Kind.REORDER);
    assertShare(1 / 6.0, rules, rule -> rule.matcher().opcode() == FaultMatcher.ANY);
    for (Traffic traffic : MET.datagrams().keySet()) {
      assertShare(5 / 18.0, rules, rule -> rule.matcher().opcode() == traffic.opcode());
    }
  }

  /** The first, the last, or any up to two more than there were. */
  @Test
  void thePlacesAreThoseOfTheTrafficOfTheRule() {
    List<FaultRule> rules =
        of(drawn(MET), Kind.DUPLICATE, Kind.DELAY, Kind.REORDER).stream()
            .filter(rule -> rule.choice().times() == 1)
            .toList();
    Map<Integer, Integer> datagrams =
        Map.of(
            FaultMatcher.ANY, 25, Opcode.RC_ACKNOWLEDGE.code(), 12, Opcode.RC_SEND_ONLY.code(), 12);
    datagrams.forEach(
        (opcode, most) -> {
          List<FaultRule> own =
              rules.stream().filter(rule -> rule.matcher().opcode() == opcode).toList();
          assertEquals(numbers(1, most + 2), values(own, rule -> rule.choice().first()));
          for (int end : new int[] {1, most}) {
            double share = 0.25 + 0.5 / (most + 2);
            assertEquals(
                share,
                (double) own.stream().filter(rule -> rule.choice().first() == end).count()
                    / own.size(),
                0.03);
          }
        });
  }

  private static <T> Set<T> values(List<FaultRule> rules, Function<FaultRule, T> of) {
    return rules.stream().map(of).collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void mostRulesChooseOneDatagramAndTheOthersSeveral() {
    List<FaultRule> rules = of(drawn(MET), Kind.DUPLICATE, Kind.DELAY, Kind.REORDER);
    List<FaultRule> inARow = new ArrayList<>();
    List<FaultRule> apart = new ArrayList<>();
    List<FaultRule> byChance = new ArrayList<>();
    for (FaultRule rule : rules) {
      FaultChoice choice = rule.choice();
      if (choice.probability() < 1) {
        byChance.add(rule);
        assertEquals(FaultChoice.ALL.withProbability(choice.probability()), choice);
      } else if (choice.every() > 1) {
        apart.add(rule);
      } else if (choice.times() > 1) {
        inARow.add(rule);
      }
    }
    assertEquals(0.1, (double) inARow.size() / rules.size(), 0.01);
    assertEquals(0.05, (double) apart.size() / rules.size(), 0.01);
    assertEquals(0.15, (double) byChance.size() / rules.size(), 0.01);
    assertEquals(numbers(2, 3), values(inARow, rule -> rule.choice().times()));
    assertEquals(numbers(2, 5), values(apart, rule -> rule.choice().times()));
    assertEquals(numbers(3, 7), values(apart, rule -> rule.choice().every()));
    assertEquals(Set.of(0.02, 0.05, 0.1), values(byChance, rule -> rule.choice().probability()));
  }

  /** Otherwise nothing would get through. */
  @Test
  void whatLastsBeginsOnce() {
    for (FaultRule rule : of(drawn(MET), Kind.BURST, Kind.BLACKHOLE, Kind.PORT_DOWN)) {
      assertEquals(FaultChoice.ALL.withNth(rule.choice().first()), rule.choice());
      if (rule.action().kind() == Kind.BURST) {
        assertEquals(FaultAction.of(Kind.BURST, 0, 0.5, 1), rule.action());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"DELAY, 5", "BLACKHOLE, 4", "PORT_DOWN, 4"})
  void timesAreOneOrFiveOfAPowerOfTen(Kind kind, int powers) {
    Set<Long> expected = new TreeSet<>();
    long us = 1_000;
    for (int i = 0; i < powers; i++) {
      expected.addAll(List.of(us, 5 * us));
      us *= 10;
    }
    List<FaultRule> rules = of(drawn(MET), kind);
    assertEquals(expected, values(rules, rule -> rule.action().amount()));
  }

  @Test
  void eachNumberThatMayBeDrawnIsDrawn() {
    PlanGenerator generator = new PlanGenerator(MET, 1);
    List<Trial> trials = IntStream.range(1, 5000).mapToObj(generator::trial).toList();
    assertEquals(
        numbers(1, 5),
        trials.stream()
            .filter(trial -> trial.rules().stream().allMatch(r -> r.matcher().state() == null))
            .map(trial -> (long) trial.size())
            .collect(Collectors.toCollection(TreeSet::new)));
    assertEquals(numbers(1, 3), amounts(trials, Kind.DUPLICATE));
    assertEquals(numbers(1, 10), amounts(trials, Kind.REORDER));
  }

  private static Set<Long> amounts(List<Trial> trials, Kind kind) {
    return trials.stream()
        .flatMap(trial -> trial.rules().stream())
        .filter(rule -> rule.action().kind() == kind)
        .map(rule -> rule.action().amount())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<Long> numbers(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void smallTrialsAreTheMostAndAllKindsOccur() {
    PlanGenerator generator = new PlanGenerator(MET, 1);
    List<Trial> trials = IntStream.range(1, 1000).mapToObj(generator::trial).toList();
    assertTrue(trials.stream().filter(trial -> trial.rules().size() == 1).count() > 500);
    Set<Kind> kinds = EnumSet.noneOf(Kind.class);
    trials.forEach(trial -> trial.rules().forEach(rule -> kinds.add(rule.action().kind())));
    assertTrue(
        kinds.containsAll(
            Set.of(
                Kind.DROP,
                Kind.BURST,
                Kind.DUPLICATE,
                Kind.DELAY,
                Kind.REORDER,
                Kind.CORRUPT_ICRC,
                Kind.MARK_ECN,
                Kind.FORGE_RNR,
                Kind.PORT_DOWN)),
        kinds::toString);
  }
}
