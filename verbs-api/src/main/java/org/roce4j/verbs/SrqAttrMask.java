package org.roce4j.verbs;

/**
 * Which attributes a modify of a shared receive queue concerns ({@code enum ibv_srq_attr_mask},
 * constants {@code IBV_SRQ_*}).
 */
public final class SrqAttrMask {
  /** The capacity in requests. */
  public static final int MAX_WR = 1 << 0;

  /** The number of remaining requests below which an event is raised. */
  public static final int LIMIT = 1 << 1;

  private static final FlagNames NAMES =
      new FlagNames().name(MAX_WR, "MAX_WR").name(LIMIT, "LIMIT");

  private SrqAttrMask() {}

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(int flags) {
    return NAMES.render(flags & 0xFFFF_FFFFL);
  }
}
