package org.roce4j.verbs;

/**
 * Flags of the creation of an {@link ExtendedCompletionQueue} ({@code enum
 * ibv_create_cq_attr_flags}, constants {@code IBV_CREATE_CQ_ATTR_*}).
 */
public final class CqCreateFlags {
  /** Only one thread at a time polls, so that the device needs no lock. */
  public static final int SINGLE_THREADED = 1 << 0;

  /** A completion that does not fit is lost; neither the queue nor its queue pairs fail. */
  public static final int IGNORE_OVERRUN = 1 << 1;

  private static final FlagNames NAMES =
      new FlagNames()
          .name(SINGLE_THREADED, "SINGLE_THREADED")
          .name(IGNORE_OVERRUN, "IGNORE_OVERRUN");

  private CqCreateFlags() {}

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(int flags) {
    return NAMES.render(flags & 0xFFFF_FFFFL);
  }
}
