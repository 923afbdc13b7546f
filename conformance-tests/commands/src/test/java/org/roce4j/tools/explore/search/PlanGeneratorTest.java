package org.roce4j.tools.explore.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.Faults;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.port.fault.FaultReport.Traffic;
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

  @Test
  void singleFaultsOfEachTrafficComeFirst() {
    PlanGenerator generator = new PlanGenerator(MET, 1);
    Set<String> first =
        IntStream.range(0, 8)
            .mapToObj(i -> generator.trial(2 * i + 1).rules().getFirst().toString())
            .collect(Collectors.toSet());
    assertTrue(
        first.containsAll(
            Set.of(
                "drop direction=out opcode=RC_SEND_ONLY nth=1",
                "drop direction=out opcode=RC_SEND_ONLY nth=12",
                "drop direction=in opcode=RC_ACKNOWLEDGE nth=1",
                "drop direction=in opcode=RC_ACKNOWLEDGE nth=12",
                "drop direction=in opcode=RC_RDMA_READ_RESPONSE_ONLY nth=1",
                "forge-rnr direction=in opcode=RC_ACKNOWLEDGE nth=1")),
        first::toString);
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
