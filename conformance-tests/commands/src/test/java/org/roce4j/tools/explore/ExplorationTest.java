package org.roce4j.tools.explore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.Faults;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.port.fault.FaultReport.Hit;
import org.roce4j.port.fault.FaultReport.Traffic;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.explore.search.Trial;
import org.roce4j.wire.Opcode;

/** Searches in which a function, not a program, decides how each run ends. */
class ExplorationTest {
  private static final FaultReport MET =
      new FaultReport(
          Map.of(
              new Traffic(FaultDirection.OUT, Opcode.RC_SEND_ONLY.code()), 5L,
              new Traffic(FaultDirection.IN, Opcode.RC_ACKNOWLEDGE.code()), 5L),
          List.of());
  private static final BooleanSupplier NEVER = () -> false;

  private final List<String> plans = Collections.synchronizedList(new ArrayList<>());
  private final List<String> events = new ArrayList<>();
  private Exploration exploration;

  private static Outcome passed() {
    return new Outcome(Outcome.Ending.PASSED, "", 1_000_000, List.of(), MET);
  }

  private static Outcome failed(String how) {
    return new Outcome(Outcome.Ending.FAILED, how, 1_000_000, List.of("last"), MET);
  }

  private static Bounds bounds(int runs, int jobs) {
    return new Bounds(runs, Long.MAX_VALUE, 0, jobs, 4, 300);
  }

  private final class Told implements Exploration.Told {
    @Override
    public void healthy(Outcome outcome) {
      events.add("healthy");
    }

    @Override
    public void searching(int done) {}

    @Override
    public void confirmed(FaultFinding finding) {
      events.add("confirmed " + finding.failed() + " of " + finding.of());
    }

    @Override
    public void once(FaultFinding finding) {
      events.add("once");
    }

    @Override
    public void shrinking(int done, int left) {}
  }

  private Optional<FaultFinding> explore(
      Bounds bounds, BooleanSupplier stopped, Function<String, Outcome> program) {
    Runner runner =
        new Runner() {
          @Override
          public Outcome run(Faults plan, Path log, long timeoutNs) {
            plans.add(plan.toString());
            return program.apply(plan.toString());
          }

          @Override
          public String repeat(Faults plan) {
            return plan.toString();
          }

          @Override
          public void close() {}
        };
    try (Trials trials = new Trials(runner, Faults.parse("latency=1us"), bounds.jobs())) {
      exploration = new Exploration(trials, bounds, 3, false, new Told(), stopped);
      return exploration.run();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void whatFailsIsShrunkToOneRule(int jobs) {
    FaultFinding found =
        explore(
                bounds(200, jobs),
                NEVER,
                plan -> plan.contains("delay") ? failed("exit status 3") : passed())
            .orElseThrow();
    assertEquals(1, found.trial().rules().size());
    assertTrue(
        found.trial().toString().startsWith("seed=1; delay=1us direction="),
        found.trial().toString());
    assertTrue(found.complete());
    assertEquals("fails 5 of 5 times: exit status 3", found.how());
    assertEquals(List.of("healthy", "confirmed 5 of 5"), events);
  }

  /** Each run has the rules of the base, and no finding has them. */
  @Test
  void theBaseIsAlwaysThere() {
    FaultFinding found =
        explore(bounds(50, 1), NEVER, plan -> plan.contains("drop") ? failed("x") : passed())
            .orElseThrow();
    assertTrue(plans.stream().allMatch(plan -> plan.contains("latency=1us")));
    assertFalse(found.trial().toString().contains("latency"));
  }

  @Test
  void anotherFailureIsAnotherSearch() {
    FaultFinding found =
        explore(
                bounds(50, 1),
                NEVER,
                plan ->
                    plan.contains("nth=1 ") || plan.endsWith("nth=1")
                        ? failed("exit status 3")
                        : plan.contains("drop") ? failed("exit status 4") : passed())
            .orElseThrow();
    assertEquals(found.outcome().failure(), "exit status 3");
  }

  /** A smaller plan that fails in another way does not replace the first plan that failed. */
  @Test
  void whatFailsInAnotherWayIsNotSmaller() {
    List<String> first = new ArrayList<>();
    FaultFinding found =
        explore(
                bounds(50, 1),
                NEVER,
                plan -> {
                  if (!plan.contains("delay")) {
                    return passed();
                  }
                  if (first.isEmpty()) {
                    first.add(plan);
                  }
                  return failed(first.contains(plan) ? "exit status 3" : "exit status 4");
                })
            .orElseThrow();
    assertEquals("exit status 3", found.outcome().failure());
    assertEquals("fails 5 of 5 times: exit status 3", found.how());
  }

  /** A run that fails in another way is no repetition of the first. */
  @Test
  void whatFailsInTwoWaysIsCountedByTheFirst() {
    AtomicInteger failures = new AtomicInteger();
    explore(
        bounds(50, 1),
        NEVER,
        plan ->
            plan.contains("drop")
                ? failed("exit status " + (3 + failures.getAndIncrement() % 2))
                : passed());
    assertEquals(List.of("healthy", "confirmed 3 of 5"), events);
  }

  /** The rules of the base come before the rules of the trial. */
  @Test
  void whatARuleMetIsToldByItsNumberInTheTrial() {
    Traffic sent = new Traffic(FaultDirection.OUT, Opcode.RC_SEND_ONLY.code());
    FaultReport met =
        new FaultReport(Map.of(), List.of(new Hit(0, sent, 1, 2), new Hit(1, sent, 3, 4)));
    Runner runner =
        new Runner() {
          @Override
          public Outcome run(Faults plan, Path log, long timeoutNs) {
            return new Outcome(Outcome.Ending.PASSED, "", 1, List.of(), met);
          }

          @Override
          public String repeat(Faults plan) {
            return "";
          }

          @Override
          public void close() {}
        };
    try (Trials trials = new Trials(runner, Faults.parse("mark-ecn every=2"), 1)) {
      Trial trial = new Trial(1, Faults.parse("drop nth=3").packets());
      assertEquals(List.of(new Hit(0, sent, 3, 4)), trials.run(trial).met().hits());
    }
  }

  @Test
  void whatFailsWithoutFaultsIsRefused() {
    ToolFailure refused =
        assertThrows(
            ToolFailure.class, () -> explore(bounds(5, 1), NEVER, plan -> failed("exit status 1")));
    assertEquals("it fails without faults (exit status 1); it prints: last", refused.getMessage());
    assertEquals(ToolFailure.USAGE, refused.exitCode());
  }

  @Test
  void whatSendsNothingIsRefused() {
    Outcome mute = new Outcome(Outcome.Ending.PASSED, "", 1, List.of(), FaultReport.NONE);
    assertThrows(ToolFailure.class, () -> explore(bounds(5, 1), NEVER, plan -> mute));
  }

  @Test
  void nothingIsFoundInAsManyRunsAsWereAllowed() {
    assertTrue(explore(bounds(17, 4), NEVER, plan -> passed()).isEmpty());
    assertEquals(17, exploration.runs());
    assertEquals(18, plans.size());
  }

  @Test
  void whatFailsSometimesIsToldWithHowOften() {
    AtomicInteger runs = new AtomicInteger();
    FaultFinding found =
        explore(
                bounds(50, 1),
                NEVER,
                plan ->
                    plan.contains("drop") && runs.incrementAndGet() % 2 == 1
                        ? failed("exit status 1")
                        : passed())
            .orElseThrow();
    assertEquals(1, found.trial().rules().size());
    assertEquals(List.of("healthy", "confirmed 3 of 5"), events);
    assertTrue(found.failed() < found.of());
  }

  @Test
  void whatFailedOnceIsToldWhenNothingElseFails() {
    AtomicInteger runs = new AtomicInteger();
    FaultFinding found =
        explore(
                bounds(10, 1),
                NEVER,
                plan -> runs.incrementAndGet() == 4 ? failed("it hangs") : passed())
            .orElseThrow();
    assertEquals("fails 1 of 5 times: it hangs", found.how());
    assertEquals(10, exploration.runs());
    assertEquals(List.of("healthy", "once"), events);
  }

  @Test
  void aFirstRunThatIsStoppedIsNotCalledHealthy() {
    Outcome stopped = new Outcome(Outcome.Ending.STOPPED, "", 1, List.of(), FaultReport.NONE);
    assertTrue(explore(bounds(5, 1), () -> true, plan -> stopped).isEmpty());
    assertEquals(List.of(), events);
    assertEquals(1, plans.size());
  }

  /** A search that is ended while it shrinks a plan returns the smallest plan so far. */
  @Test
  void aSearchThatIsStoppedHasTheSmallestSoFar() {
    FaultFinding found =
        explore(
                bounds(200, 1),
                () -> events.size() > 1,
                plan -> plan.contains("delay") ? failed("exit status 1") : passed())
            .orElseThrow();
    assertFalse(found.complete());
  }
}
