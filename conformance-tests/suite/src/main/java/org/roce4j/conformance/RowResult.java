package org.roce4j.conformance;

/**
 * A row and what became of it.
 *
 * @param reason empty for a pass
 * @param cause the exception behind a failure, or null
 */
public record RowResult(Row row, Verdict verdict, String reason, Throwable cause) {
  /** Whatever is no pass needs a reason; without one an {@link IllegalArgumentException}. */
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
