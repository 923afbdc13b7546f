package org.roce4j.conformance.bench;

/** A row that cannot be decided here; the message says why. */
public final class RowSkipped extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** {@code why} stands in the report. */
  public RowSkipped(String why) {
    super(why);
  }
}
