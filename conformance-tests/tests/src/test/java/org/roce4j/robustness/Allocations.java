package org.roce4j.robustness;

/** Counts the allocations of the classes of an {@link AllocationLoader}, and lets one fail. */
public final class Allocations {
  private static long left;
  private static boolean armed;

  private Allocations() {}

  /** Lets an allocation fail: 0 is the next one. */
  public static synchronized void failAfter(long n) {
    left = n;
    armed = true;
  }

  /** Lets all allocations succeed again; returns whether one has failed. */
  public static synchronized boolean succeed() {
    boolean failed = !armed;
    armed = false;
    return failed;
  }

  /** Called by changed code before an allocation. */
  public static synchronized void next() {
    if (armed && left-- == 0) {
      armed = false;
      throw new OutOfMemoryError("as the test wants it");
    }
  }
}
