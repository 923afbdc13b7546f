package org.roce4j.robustness;

/** Counts what the classes of an {@link AllocationLoader} make, and lets one of it fail. */
public final class Allocations {
  private static long left;
  private static boolean armed;

  private Allocations() {}

  /** Lets the n-th allocation from now on fail, 0 the next one. */
  public static synchronized void failAfter(long n) {
    left = n;
    armed = true;
  }

  /** Lets all succeed from now on; whether one has failed. */
  public static synchronized boolean succeed() {
    boolean failed = !armed;
    armed = false;
    return failed;
  }

  /** Something is about to be made; changed code calls it. */
  public static synchronized void next() {
    if (armed && left-- == 0) {
      armed = false;
      throw new OutOfMemoryError("as the test wants it");
    }
  }
}
