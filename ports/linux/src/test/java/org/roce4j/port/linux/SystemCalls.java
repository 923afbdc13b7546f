package org.roce4j.port.linux;

/** Counts the system calls of a {@link FailingLibc}, and lets one of them fail. */
public final class SystemCalls {
  private static int left = -1;
  private static boolean noMemory;

  private static int failingSends;
  private static int errnoOfSends;

  private SystemCalls() {}

  /** Lets the next calls that send fail. */
  static synchronized void failSends(int calls, int errno) {
    failingSends = calls;
    errnoOfSends = errno;
  }

  /** A call that sends is about to be made; the negative errno that it returns instead, or 0. */
  public static synchronized int sendFails() {
    return failingSends-- > 0 ? -errnoOfSends : 0;
  }

  /**
   * Lets the n-th call from now on fail, 0 the next one.
   *
   * @param byMemory whether memory runs out there, in place of the call's own failure
   */
  static synchronized void failAfter(int n, boolean byMemory) {
    left = n;
    noMemory = byMemory;
  }

  /** Lets all succeed from now on; whether one has failed. */
  static synchronized boolean succeed() {
    boolean failed = left < 0;
    left = -1;
    return failed;
  }

  /** A call is about to be made; whether it fails instead. Changed code calls it. */
  public static synchronized boolean fails() {
    if (left < 0 || left-- > 0) {
      return false;
    }
    if (noMemory) {
      throw new OutOfMemoryError("as the test wants it");
    }
    return true;
  }
}
