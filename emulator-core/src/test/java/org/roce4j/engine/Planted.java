package org.roce4j.engine;

/** What a test makes a callback, a port or a node throw: each of the two unchecked kinds. */
public enum Planted {
  EXCEPTION(new IllegalStateException("planted")),
  ERROR(new AssertionError("planted"));

  private final Throwable thrown;

  Planted(Throwable thrown) {
    this.thrown = thrown;
  }

  public Throwable thrown() {
    return thrown;
  }

  /** Throws it. */
  public void raise() {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) thrown;
  }
}
