package org.roce4j.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationTest {
  /** These seeds meet every hardship; {@code roce4j simulate} runs more seeds. */
  private static final int SEEDS = 200;

  @Test
  void noRuleIsBrokenEveryHardshipIsMetAndNoPacketChanged() throws IOException {
    SimulationSummary summary = new SimulationSummary();
    Map<OracleRule, Long> before = RuleBroken.checks();
    for (long seed = 1; seed <= SEEDS; seed++) {
      SimulationResult result = Simulation.run(seed);
      if (!result.passed()) {
        fail(result.options() + System.lineSeparator() + result.violation());
      }
      summary.add(result);
    }
    assertEquals(List.of(), summary.missed(), "hardships that no seed has met");
    assertEquals(
        storedDigest(),
        "%016x".formatted(summary.digest()),
        "the packets of some seed changed: compare what `roce4j simulate --seed 1 --seeds 200"
            + " --digests` prints before and after; if the change is wanted, digests.txt changes"
            + " with it");
    Map<OracleRule, Long> checks = RuleBroken.checks();
    assertEquals(
        stored("checks.txt"),
        Stream.of(OracleRule.values())
            .map(each -> each + " " + (checks.get(each) - before.get(each)))
            .collect(joining("\n", "", "\n")),
        "an oracle is asked less or more often; if that is wanted, this becomes checks.txt");
  }

  private static String stored(String name) throws IOException {
    try (InputStream file = SimulationTest.class.getResourceAsStream(name)) {
      return new String(file.readAllBytes(), UTF_8);
    }
  }

  private static String storedDigest() throws IOException {
    return stored("digests.txt")
        .lines()
        .map(line -> line.split(" "))
        .filter(words -> words[0].equals(Integer.toString(SEEDS)))
        .findFirst()
        .orElseThrow()[1];
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
    SimulationSummary summary = new SimulationSummary();
    for (long seed = 1; seed <= 20; seed++) {
      SimulationResult result =
          Simulation.run(SimulationOptions.parse("engines=4 unsteered=1 seed=" + seed));
      assertTrue(result.passed(), () -> result.options() + " " + result.violation());
      summary.add(result);
    }
    long received = summary.counters().get("rcvd_pkts");
    assertTrue(summary.counters().get("handed_over") > received / 2, () -> "of " + received);
    assertEquals(0, summary.counters().get("handover_dropped"));
  }

  @Test
  void flushesAmongTheTrafficKeepAllRules() {
    for (long seed = 1; seed <= 20; seed++) {
      SimulationResult with =
          Simulation.run(SimulationOptions.parse("flush=60 sq=16 uc=0 seed=" + seed));
      assertTrue(with.passed(), () -> with.options() + " " + with.violation());
      SimulationResult without = Simulation.run(SimulationOptions.parse("sq=16 uc=0 seed=" + seed));
      assertNotEquals(without.digest(), with.digest());
    }
  }

  @Test
  void devicesOfSeveralPortsKeepAllRules() {
    SimulationSummary summary = new SimulationSummary();
    for (long seed = 1; seed <= 20; seed++) {
      long several = 2 + seed % 3;
      SimulationResult result =
          Simulation.run(
              SimulationOptions.parse(
                  "device-ports=%d datagrams=6 groups=2 ports=3 seed=%d".formatted(several, seed)));
      assertTrue(result.passed(), () -> result.options() + " " + result.violation());
      summary.add(result);
    }
    for (Phenomenon met : List.of(Phenomenon.PORT_DOWN, Phenomenon.MULTICAST)) {
      assertTrue(summary.hardships().get(met.label()) > 0, met::label);
    }
    // Datagrams to a queue pair through a port that it is not bound to.
    assertTrue(summary.counters().get("wrong_address") > 0);
  }

  /**
   * The cases, in the order of the rows: a port goes down again before the application learns of a
   * failure; two times without a port hide attempts each; a response arrives through another engine
   * when the time is over; a second RNR NAK over a lost answer, after the first wait, spends a
   * second retry (R28).
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "seed=1715 engines=4 unsteered=1",
        "seed=1795315388325 engines=1",
        "seed=1795315388328 engines=4 unsteered=1",
        "seed=1795342760154"
      })
  void theOracleKnowsWhatItCannotSeeAndWhatSpendsRetries(String options) {
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
