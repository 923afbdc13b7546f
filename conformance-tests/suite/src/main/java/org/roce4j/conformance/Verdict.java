package org.roce4j.conformance;

/** The outcome of a row. */
public enum Verdict {
  /** It holds. */
  PASS,
  /** It does not, or a declared deviation is out of date. */
  FAIL,
  /** It could not be decided; there is a reason. */
  SKIPPED,
  /** It does not hold, as the backend declares; there is a reason. */
  DEVIATION
}
