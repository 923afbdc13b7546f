package org.roce4j.verbs;

/**
 * What a device can do ({@code enum ibv_device_cap_flags}, constants {@code IBV_DEVICE_*}).
 *
 * <p>Bits above 31 exist in {@code device_cap_flags_ex} only, hence the type {@code long}.
 */
public final class DeviceCapFlags {
  /** Queues can be resized. */
  public static final int RESIZE_MAX_WR = 1 << 0;

  /** Bad partition keys are counted. */
  public static final int BAD_PKEY_CNTR = 1 << 1;

  /** Bad queue keys are counted. */
  public static final int BAD_QKEY_CNTR = 1 << 2;

  /** Raw packet multicast. */
  public static final int RAW_MULTI = 1 << 3;

  /** A connection can move to an alternate path by itself; RoCE cannot. */
  public static final int AUTO_PATH_MIG = 1 << 4;

  /** The primary port can be changed. */
  public static final int CHANGE_PHY_PORT = 1 << 5;

  /** The port of an address handle is enforced. */
  public static final int UD_AV_PORT_ENFORCE = 1 << 6;

  /** The current state modifier is supported. */
  public static final int CURR_QP_STATE_MOD = 1 << 7;

  /** A port can be shut down. */
  public static final int SHUTDOWN_PORT = 1 << 8;

  /** The initialisation type can be set. */
  public static final int INIT_TYPE = 1 << 9;

  /** Port active events are raised. */
  public static final int PORT_ACTIVE_EVENT = 1 << 10;

  /** The system image GUID is supported. */
  public static final int SYS_IMAGE_GUID = 1 << 11;

  /** An RC responder without a receive request answers with an RNR NAK; every device does. */
  public static final int RC_RNR_NAK_GEN = 1 << 12;

  /** Shared receive queues can be resized. */
  public static final int SRQ_RESIZE = 1 << 13;

  /** A completion queue can notify after n completions. */
  public static final int N_NOTIFY_CQ = 1 << 14;

  /** Remote rights to a part of a region can be given and taken without a system call. */
  public static final int MEM_WINDOW = 1 << 17;

  /** Checksum offload for UD. */
  public static final int UD_IP_CSUM = 1 << 18;

  /** Extended reliable connections. */
  public static final int XRC = 1 << 20;

  /** Memory management extensions: invalidation of keys. */
  public static final int MEM_MGT_EXTENSIONS = 1 << 21;

  /** Type 2 windows that are bound to a queue pair's number alone. */
  public static final int MEM_WINDOW_TYPE_2A = 1 << 23;

  /** Type 2 windows that are bound to queue pair number and protection domain. */
  public static final int MEM_WINDOW_TYPE_2B = 1 << 24;

  /** Checksum offload for RC. */
  public static final int RC_IP_CSUM = 1 << 25;

  /** Checksum offload for raw packets. */
  public static final int RAW_IP_CSUM = 1 << 26;

  /** Raw packets go to queue pairs by rules ({@code ibv_create_flow}). */
  public static final int MANAGED_FLOW_STEERING = 1 << 29;

  /** The frame check sequence can be scattered. */
  public static final long RAW_SCATTER_FCS = 1L << 34;

  /** Incoming writes can be padded to cache lines. */
  public static final long PCI_WRITE_END_PADDING = 1L << 36;

  /** RDMA FLUSH for global visibility. */
  public static final long FLUSH_GLOBAL = 1L << 38;

  /** RDMA FLUSH for persistence. */
  public static final long FLUSH_PERSISTENT = 1L << 39;

  /** Eight bytes can be written whole or not at all ({@link WrOpcode#ATOMIC_WRITE}). */
  public static final long ATOMIC_WRITE = 1L << 40;

  private static final FlagNames NAMES =
      new FlagNames()
          .name(RESIZE_MAX_WR, "RESIZE_MAX_WR")
          .name(BAD_PKEY_CNTR, "BAD_PKEY_CNTR")
          .name(BAD_QKEY_CNTR, "BAD_QKEY_CNTR")
          .name(RAW_MULTI, "RAW_MULTI")
          .name(AUTO_PATH_MIG, "AUTO_PATH_MIG")
          .name(CHANGE_PHY_PORT, "CHANGE_PHY_PORT")
          .name(UD_AV_PORT_ENFORCE, "UD_AV_PORT_ENFORCE")
          .name(CURR_QP_STATE_MOD, "CURR_QP_STATE_MOD")
          .name(SHUTDOWN_PORT, "SHUTDOWN_PORT")
          .name(INIT_TYPE, "INIT_TYPE")
          .name(PORT_ACTIVE_EVENT, "PORT_ACTIVE_EVENT")
          .name(SYS_IMAGE_GUID, "SYS_IMAGE_GUID")
          .name(RC_RNR_NAK_GEN, "RC_RNR_NAK_GEN")
          .name(SRQ_RESIZE, "SRQ_RESIZE")
          .name(N_NOTIFY_CQ, "N_NOTIFY_CQ")
          .name(MEM_WINDOW, "MEM_WINDOW")
          .name(UD_IP_CSUM, "UD_IP_CSUM")
          .name(XRC, "XRC")
          .name(MEM_MGT_EXTENSIONS, "MEM_MGT_EXTENSIONS")
          .name(MEM_WINDOW_TYPE_2A, "MEM_WINDOW_TYPE_2A")
          .name(MEM_WINDOW_TYPE_2B, "MEM_WINDOW_TYPE_2B")
          .name(RC_IP_CSUM, "RC_IP_CSUM")
          .name(RAW_IP_CSUM, "RAW_IP_CSUM")
          .name(MANAGED_FLOW_STEERING, "MANAGED_FLOW_STEERING")
          .name(RAW_SCATTER_FCS, "RAW_SCATTER_FCS")
          .name(PCI_WRITE_END_PADDING, "PCI_WRITE_END_PADDING")
          .name(FLUSH_GLOBAL, "FLUSH_GLOBAL")
          .name(FLUSH_PERSISTENT, "FLUSH_PERSISTENT")
          .name(ATOMIC_WRITE, "ATOMIC_WRITE");

  private DeviceCapFlags() {}

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(long flags) {
    return NAMES.render(flags);
  }
}
