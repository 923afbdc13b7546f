package org.roce4j.conformance;

import org.roce4j.conformance.bench.Bench;

/** Looks whether a row holds. */
@FunctionalInterface
public interface Check {
  /**
   * Returns normally if the row holds.
   *
   * @param bench two stations in their initial state
   * @throws AssertionError if it does not, with the finding
   * @throws org.roce4j.conformance.bench.RowSkipped if it cannot be decided here, with the reason
   */
  void run(Bench bench);
}
