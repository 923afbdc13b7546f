package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationTest {
  private static final long SEEDS = 200;

  /** More seeds than this many seconds allow are left to {@code roce4j simulate}. */
  private static final long ENOUGH_NS = 15_000_000_000L;

  private static final long SEEDS_AT_LEAST = 100;

  @Test
  void noRuleIsBrokenAndEveryHardshipIsMet() {
    Tally tally = new Tally();
    long start = System.nanoTime();
    for (long seed = 1;
        seed <= SEEDS && (seed <= SEEDS_AT_LEAST || System.nanoTime() - start < ENOUGH_NS);
        seed++) {
      SimulationResult result = Simulation.run(seed);
      if (!result.passed()) {
        fail(result.options() + System.lineSeparator() + result.violation());
      }
      tally.add(result);
    }
    assertEquals(List.of(), tally.missed(), "hardships that no seed has met");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 24, 37, 77, 1036, 1560})
  void theSameSeedGivesTheSamePackets(long seed) {
    SimulationResult once = Simulation.run(seed);
    SimulationResult again = Simulation.run(seed);
    assertAll(
        () -> assertEquals(once.digest(), again.digest()),
        () -> assertEquals(once.datagrams(), again.datagrams()),
        () -> assertEquals(once.virtualNs(), again.virtualNs()),
        () -> assertEquals(once.phenomena(), again.phenomena()),
        () -> assertEquals(once.counters(), again.counters()));
  }

  @Test
  void anotherSeedGivesOtherPackets() {
    assertNotEquals(Simulation.run(1).digest(), Simulation.run(2).digest());
  }

  @Test
  void theLineOfOptionsRepeatsTheRun() {
    SimulationOptions options = SimulationOptions.draw(5);
    assertEquals(
        Simulation.run(options).digest(),
        Simulation.run(SimulationOptions.parse(options.toString())).digest());
  }

  @Test
  void enginesThatHandOverAlmostEverythingKeepAllRules() {
    Tally tally = new Tally();
    for (long seed = 1; seed <= 20; seed++) {
      SimulationResult result =
          Simulation.run(SimulationOptions.parse("engines=4 unsteered=1 seed=" + seed));
      assertTrue(result.passed(), () -> result.options() + " " + result.violation());
      tally.add(result);
    }
    long received = tally.counters().get("rcvd_pkts");
    assertTrue(tally.counters().get("handed_over") > received / 2, () -> "of " + received);
    assertEquals(0, tally.counters().get("handover_dropped"));
  }

  /**
   * A port went down once more before the application learned of a failure; each of two times that
   * a port was down hid attempts; a response came when the time was over, through another engine.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "seed=1715 engines=4 unsteered=1",
        "seed=1795315388325 engines=1",
        "seed=1795315388328 engines=4 unsteered=1"
      })
  void theOracleKnowsWhatItCannotSee(String options) {
    SimulationResult result = Simulation.run(SimulationOptions.parse(options));
    assertTrue(result.passed(), () -> result.options() + " " + result.violation());
  }

  @Test
  void aNetworkWithoutFaultsLetsEverythingSucceed() {
    for (long seed : LongStream.range(100, 110).toArray()) {
      SimulationResult result = Simulation.run(SimulationOptions.draw(seed).withoutFaults());
      assertTrue(result.passed(), () -> result.options() + " " + result.violation());
      assertTrue(result.failures().isEmpty(), () -> result.options() + " " + result.failures());
      assertEquals(0, result.counters().get("ack_timeout"), () -> "timeouts: " + result.options());
    }
  }
}
