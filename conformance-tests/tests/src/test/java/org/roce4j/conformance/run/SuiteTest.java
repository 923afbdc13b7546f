package org.roce4j.conformance.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.opentest4j.TestAbortedException;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.bench.Expect;

/** Every row of the suite, or of some tables, as a test on one backend. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SuiteTest {
  private final Backend backend;
  private final List<Row> rows;
  private final int[] counts = new int[Verdict.values().length];
  private int ran;

  SuiteTest(Backend backend) {
    this(backend, row -> true);
  }

  SuiteTest(Backend backend, Predicate<Row> chosen) {
    this.backend = backend;
    rows = Suite.rows().stream().filter(chosen).toList();
  }

  @TestFactory
  Stream<DynamicTest> rows() {
    SuiteRun run = new SuiteRun(backend);
    return rows.stream().map(row -> DynamicTest.dynamicTest(row.id(), () -> run(run, row)));
  }

  private void run(SuiteRun run, Row row) {
    ran++;
    long before = Expect.made();
    RowResult result = run.run(row);
    counts[result.verdict().ordinal()]++;
    switch (result.verdict()) {
      case FAIL -> throw new AssertionError(result.toString(), result.cause());
      case SKIPPED -> throw new TestAbortedException(result.toString());
      case PASS -> passed(row, Expect.made() - before);
      case DEVIATION -> {}
    }
  }

  /** A row has passed, and made this many checks. */
  void passed(Row row, long checks) {
    assertTrue(checks > 0, () -> row.id() + " checks nothing");
  }

  List<Row> chosen() {
    return rows;
  }

  /** Whether each row was run; CI runs those that failed once more, alone. */
  boolean ranAll() {
    return ran == rows.size();
  }

  /** No row is lost: each has exactly one verdict. */
  @AfterAll
  void countsEveryRow() {
    backend.close();
    int total = 0;
    StringBuilder text = new StringBuilder(backend.description() + ":");
    for (Verdict verdict : Verdict.values()) {
      total += counts[verdict.ordinal()];
      text.append(' ').append(verdict).append(' ').append(counts[verdict.ordinal()]);
    }
    System.out.println("conformance rows on " + text);
    assertEquals(ran, total);
    assertTrue(counts[Verdict.PASS.ordinal()] > 0);
  }
}
