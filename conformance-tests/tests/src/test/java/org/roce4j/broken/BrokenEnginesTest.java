package org.roce4j.broken;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.simulation.OracleRule;

/** Every broken engine is caught by its suite, which names the rule. */
class BrokenEnginesTest {
  @ParameterizedTest
  @EnumSource
  void isCaughtAndItsRuleIsNamed(BrokenEngine engine) throws Exception {
    for (Catcher catcher : engine.catchers()) {
      EngineLoader loader = new EngineLoader(engine.mistake());
      List<String> complaints = new SuiteInside(loader).run(catcher.kind(), catcher.rules());
      loader.requireMistake();
      for (String rule : catcher.rules()) {
        assertTrue(
            complaints.stream().anyMatch(complaint -> catcher.isMetBy(rule, complaint)),
            () -> "%s: %s is not named in %s".formatted(engine.mistakeSaid(), rule, complaints));
      }
    }
  }

  /** An oracle that is blind to a rule blames nothing, and no run shows it. */
  @ParameterizedTest
  @EnumSource
  void eachRuleOfTheSimulationIsBrokenByOneOfThem(OracleRule rule) {
    assertTrue(
        Arrays.stream(BrokenEngine.values())
            .flatMap(engine -> engine.catchers().stream())
            .filter(catcher -> catcher.kind() == Catcher.Kind.SIMULATION)
            .anyMatch(catcher -> catcher.rules().contains(rule.name())));
  }

  @ParameterizedTest
  @EnumSource
  void theUnbrokenEngineIsNotBlamed(Catcher.Kind kind) throws Exception {
    Collection<String> rules =
        new TreeSet<>(
            Arrays.stream(BrokenEngine.values())
                .flatMap(engine -> engine.catchers().stream())
                .filter(catcher -> catcher.kind() == kind)
                .flatMap(catcher -> catcher.rules().stream())
                .limit(kind == Catcher.Kind.SIMULATION ? 1 : Long.MAX_VALUE)
                .toList());
    assertEquals(List.of(), new SuiteInside(new EngineLoader(null)).run(kind, rules));
  }
}
