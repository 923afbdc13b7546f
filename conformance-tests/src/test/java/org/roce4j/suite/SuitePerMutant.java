package org.roce4j.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.spec.run.Suite;

/**
 * Rows and simulation as mutation testing runs them ({@code .ci/full mutation}): in virtual time, a
 * whole table a test, so that a mutant costs a second and not thousands of starts. The build runs
 * the same row by row.
 */
class SuitePerMutant {
  static Stream<String> tables() {
    return Suite.rows().stream()
        .map(row -> row.id().substring(0, row.id().indexOf('-')))
        .distinct();
  }

  @ParameterizedTest
  @MethodSource("tables")
  void everyRowOfTheTableHolds(String table) {
    assertEquals(List.of(), RowsInside.complaints(table + "-.*"));
  }

  @Test
  void theOracleIsContent() {
    assertEquals(List.of(), SimulationInside.complaints("10"));
  }
}
