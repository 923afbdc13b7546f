package org.roce4j.engine.time;

/**
 * The arithmetic of deadlines: moments on the clock of a port, in nanoseconds from an arbitrary
 * origin. A clock may show any number, even a negative one, and wraps, so moments are compared by
 * their difference, which must be less than 292 years. {@link #NEVER} is not a moment and comes
 * after all moments.
 */
public final class Deadlines {
  /** No deadline; as a length of time, no limit. */
  public static final long NEVER = Long.MAX_VALUE;

  private Deadlines() {}

  /**
   * The moment {@code ns} nanoseconds after another.
   *
   * @param atNs or {@link #NEVER}
   * @param ns or {@link #NEVER}
   * @return {@link #NEVER} if either is
   */
  public static long after(long atNs, long ns) {
    return atNs == NEVER || ns == NEVER ? NEVER : atNs + ns;
  }

  /** Whether there is a deadline or a limit: it is not {@link #NEVER}. */
  public static boolean isSet(long atNs) {
    return atNs != NEVER;
  }

  /** Whether a deadline has come. */
  public static boolean isDue(long atNs, long nowNs) {
    return atNs != NEVER && atNs - nowNs <= 0;
  }

  /** Whether one deadline comes before another; {@link #NEVER} comes before none. */
  public static boolean isBefore(long atNs, long otherNs) {
    return atNs != NEVER && (otherNs == NEVER || atNs - otherNs < 0);
  }

  /** The earlier of two deadlines; {@link #NEVER} if both are. */
  public static long earlier(long atNs, long otherNs) {
    return isBefore(otherNs, atNs) ? otherNs : atNs;
  }

  /**
   * Nanoseconds until a deadline; 0 or less if it {@linkplain #isDue is due}, {@link #NEVER} if it
   * is {@link #NEVER}.
   */
  public static long left(long atNs, long nowNs) {
    return atNs == NEVER ? NEVER : atNs - nowNs;
  }
}
