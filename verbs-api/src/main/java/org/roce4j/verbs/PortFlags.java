package org.roce4j.verbs;

/** Bits of {@link PortAttr#flags} ({@code IBV_QPF_*}). */
public final class PortFlags {
  /** Every packet and address vector needs a global route, as on RoCE. */
  public static final int GRH_REQUIRED = 1 << 0;

  private static final FlagNames NAMES = new FlagNames().name(GRH_REQUIRED, "GRH_REQUIRED");

  private PortFlags() {}

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(int flags) {
    return NAMES.render(flags & 0xFFFF_FFFFL);
  }
}
