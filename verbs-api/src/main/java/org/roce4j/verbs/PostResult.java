package org.roce4j.verbs;

/**
 * The result of posting a list, packed in a {@code long} so that posting allocates nothing: the
 * errno in the low 32 bits, the index of the first request not posted ({@code bad_wr}) in the high.
 */
public final class PostResult {
  /** All requests are posted. */
  public static final long OK = 0;

  private PostResult() {}

  /**
   * Packs a refusal.
   *
   * @param errno a positive errno; 0 gives {@link #OK}
   * @param badIndex the index of the refused request in its list, from 0; those before it are
   *     posted
   */
  public static long of(int errno, int badIndex) {
    return errno == 0 ? OK : (long) badIndex << Integer.SIZE | Integer.toUnsignedLong(errno);
  }

  /** Packs a refusal; see {@link #of(int, int)}. */
  public static long of(Errno errno, int badIndex) {
    return of(errno.number(), badIndex);
  }

  /** The errno, 0 when everything is posted. */
  public static int errno(long result) {
    return (int) result;
  }

  /** The index of the first request that is not posted, -1 when everything is. */
  public static int badIndex(long result) {
    return result == OK ? -1 : (int) (result >> Integer.SIZE);
  }
}
