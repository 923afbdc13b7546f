package org.roce4j.conformance;

/**
 * A row and its outcome.
 *
 * @param reason empty for a pass
 * @param cause the exception behind a failure, or null
 */
public record RowResult(Row row, Verdict verdict, String reason, Throwable cause) {
  /** Every verdict except pass needs a reason, else an {@link IllegalArgumentException}. */
  public RowResult {
    if (verdict != Verdict.PASS && reason.isBlank()) {
      throw new IllegalArgumentException(row.id() + ": " + verdict + " needs a reason");
    }
  }

  @Override
  public String toString() {
    return verdict + " " + row + (reason.isEmpty() ? "" : ": " + reason);
  }
}
