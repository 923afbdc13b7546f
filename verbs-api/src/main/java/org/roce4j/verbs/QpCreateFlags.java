package org.roce4j.verbs;

/**
 * Flags of the creation of a queue pair ({@code enum ibv_qp_create_flags}, constants {@code
 * IBV_QP_CREATE_*}).
 */
public final class QpCreateFlags {
  /** UD: the queue pair does not receive its own messages to a group that it is attached to. */
  public static final int BLOCK_SELF_MCAST_LB = 1 << 1;

  /** The frame check sequence is scattered too. */
  public static final int SCATTER_FCS = 1 << 8;

  /** VLAN tags are stripped. */
  public static final int CVLAN_STRIPPING = 1 << 9;

  /** The source queue pair number is given. */
  public static final int SOURCE_QPN = 1 << 10;

  /** Incoming writes are padded to cache lines. */
  public static final int PCI_WRITE_END_PADDING = 1 << 11;

  private static final FlagNames NAMES =
      new FlagNames()
          .name(BLOCK_SELF_MCAST_LB, "BLOCK_SELF_MCAST_LB")
          .name(SCATTER_FCS, "SCATTER_FCS")
          .name(CVLAN_STRIPPING, "CVLAN_STRIPPING")
          .name(SOURCE_QPN, "SOURCE_QPN")
          .name(PCI_WRITE_END_PADDING, "PCI_WRITE_END_PADDING");

  private QpCreateFlags() {}

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(int flags) {
    return NAMES.render(flags & 0xFFFF_FFFFL);
  }
}
