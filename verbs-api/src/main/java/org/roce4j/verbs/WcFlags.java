package org.roce4j.verbs;

/** Flags of a completion ({@code enum ibv_wc_flags}, constants {@code IBV_WC_*}). */
public final class WcFlags {
  /** The first 40 bytes of the receive buffer are the network header. */
  public static final int GRH = 1 << 0;

  /** Immediate data is present. */
  public static final int WITH_IMM = 1 << 1;

  /** The checksums were right. */
  public static final int IP_CSUM_OK = 1 << 2;

  /** A key was invalidated by the peer. */
  public static final int WITH_INV = 1 << 3;

  /** Tag counters must be synchronised. */
  public static final int TM_SYNC_REQ = 1 << 4;

  /** A tag matched. */
  public static final int TM_MATCH = 1 << 5;

  /** The tagged data arrived whole. */
  public static final int TM_DATA_VALID = 1 << 6;

  private static final FlagNames NAMES =
      new FlagNames()
          .name(GRH, "GRH")
          .name(WITH_IMM, "WITH_IMM")
          .name(IP_CSUM_OK, "IP_CSUM_OK")
          .name(WITH_INV, "WITH_INV")
          .name(TM_SYNC_REQ, "TM_SYNC_REQ")
          .name(TM_MATCH, "TM_MATCH")
          .name(TM_DATA_VALID, "TM_DATA_VALID");

  private WcFlags() {}

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(int flags) {
    return NAMES.render(flags & 0xFFFF_FFFFL);
  }
}
