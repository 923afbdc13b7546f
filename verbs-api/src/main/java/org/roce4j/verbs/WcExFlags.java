package org.roce4j.verbs;

/**
 * The fields that an {@link ExtendedCompletionQueue} provides for each completion ({@code enum
 * ibv_create_cq_wc_flags}, constants {@code IBV_WC_EX_*}).
 */
public final class WcExFlags {
  /** {@link ExtendedCompletionQueue#readByteLength}. */
  public static final int WITH_BYTE_LEN = 1 << 0;

  /** {@link ExtendedCompletionQueue#readImmediate} and the invalidated key. */
  public static final int WITH_IMM = 1 << 1;

  /** {@link ExtendedCompletionQueue#readQpNum}. */
  public static final int WITH_QP_NUM = 1 << 2;

  /** {@link ExtendedCompletionQueue#readSourceQp}. */
  public static final int WITH_SRC_QP = 1 << 3;

  /** {@link ExtendedCompletionQueue#readSlid}. */
  public static final int WITH_SLID = 1 << 4;

  /** {@link ExtendedCompletionQueue#readServiceLevel}. */
  public static final int WITH_SL = 1 << 5;

  /** {@link ExtendedCompletionQueue#readDlidPathBits}. */
  public static final int WITH_DLID_PATH_BITS = 1 << 6;

  /** {@link ExtendedCompletionQueue#readCompletionTimestamp}. */
  public static final int WITH_COMPLETION_TIMESTAMP = 1 << 7;

  /** {@link ExtendedCompletionQueue#readCvlan}: raw packets. */
  public static final int WITH_CVLAN = 1 << 8;

  /** {@link ExtendedCompletionQueue#readFlowTag}: flow steering. */
  public static final int WITH_FLOW_TAG = 1 << 9;

  /** {@link ExtendedCompletionQueue#readTagMatchingInfo}: tag matching. */
  public static final int WITH_TM_INFO = 1 << 10;

  /** {@link ExtendedCompletionQueue#readCompletionWallclockNs}. */
  public static final int WITH_COMPLETION_TIMESTAMP_WALLCLOCK = 1 << 11;

  /** The fields of {@code struct ibv_wc}. */
  public static final int STANDARD =
      WITH_BYTE_LEN
          | WITH_IMM
          | WITH_QP_NUM
          | WITH_SRC_QP
          | WITH_SLID
          | WITH_SL
          | WITH_DLID_PATH_BITS;

  private static final FlagNames NAMES =
      new FlagNames()
          .name(WITH_BYTE_LEN, "WITH_BYTE_LEN")
          .name(WITH_IMM, "WITH_IMM")
          .name(WITH_QP_NUM, "WITH_QP_NUM")
          .name(WITH_SRC_QP, "WITH_SRC_QP")
          .name(WITH_SLID, "WITH_SLID")
          .name(WITH_SL, "WITH_SL")
          .name(WITH_DLID_PATH_BITS, "WITH_DLID_PATH_BITS")
          .name(WITH_COMPLETION_TIMESTAMP, "WITH_COMPLETION_TIMESTAMP")
          .name(WITH_CVLAN, "WITH_CVLAN")
          .name(WITH_FLOW_TAG, "WITH_FLOW_TAG")
          .name(WITH_TM_INFO, "WITH_TM_INFO")
          .name(WITH_COMPLETION_TIMESTAMP_WALLCLOCK, "WITH_COMPLETION_TIMESTAMP_WALLCLOCK");

  private WcExFlags() {}

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(int flags) {
    return NAMES.render(flags & 0xFFFF_FFFFL);
  }
}
