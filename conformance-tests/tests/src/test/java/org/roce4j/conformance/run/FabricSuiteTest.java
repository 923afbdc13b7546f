package org.roce4j.conformance.run;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.FabricBackend;

/** Every row in virtual time, with the number of its checks. */
class FabricSuiteTest extends SuiteTest {
  private final CheckCounts counts =
      new CheckCounts("checks-of-rows.txt", chosen().stream().map(Row::id).toList());

  FabricSuiteTest() {
    super(new FabricBackend(1));
  }

  @Override
  void passed(Row row, long checks) {
    counts.hold(row.id(), checks);
  }

  @AfterAll
  void countsEveryCheck() throws IOException {
    if (ranAll()) {
      counts.holdAll();
    }
  }
}
