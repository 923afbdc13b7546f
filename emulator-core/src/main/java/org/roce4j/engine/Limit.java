package org.roce4j.engine;

import java.util.Locale;

/**
 * The limits of a device. The default of each follows Linux rxe (verbs-tables 8), and is also the
 * greatest value unless another is given.
 */
public enum Limit {
  MAX_QP(1, 1 << 20, "Queue pairs"),
  MAX_QP_WR(1, 1 << 14, "Requests of one queue"),
  MAX_SGE(1, 32, "Scatter/gather entries of a request"),
  MAX_INLINE_DATA(0, 512, "Bytes of inline data"),
  MAX_CQ(1, 1 << 16, "Completion queues"),
  MAX_CQE(1, 1 << 20, "Entries of a completion queue"),
  MAX_MR(1, 524_287, "Memory regions"),
  MAX_MW(0, 524_287, "Memory windows"),
  MAX_PD(1, 1 << 20, "Protection domains"),
  MAX_AH(0, 32_767, "Address handles"),
  MAX_SRQ(0, 1 << 16, "Shared receive queues"),
  MAX_SRQ_WR(0, 1 << 14, "Requests of a shared receive queue"),
  MAX_SRQ_SGE(0, 27, "Scatter entries of a request in a shared receive queue"),
  MAX_QP_RD_ATOMIC(0, 128, "READs and atomics outstanding on a queue pair"),
  MAX_MCAST_GROUPS(0, 8192, "Multicast groups"),
  MAX_MCAST_QP_ATTACH(0, 56, "Queue pairs in a multicast group"),
  MAX_DM_SIZE(0, 1 << 20, 1 << 30, "Bytes of device memory"),
  GID_TABLE_LENGTH(1, 1024, "Entries of the GID table"),
  PATH_WINDOW_BYTES(8192, 4 << 20, 1 << 30, "Bytes in flight to one peer address"),

  /**
   * With more in flight a lost packet is repeated only after the ACK timeout, as by many adapters.
   */
  MAX_PROBING_QP(
      0,
      64,
      1 << 12,
      "Queue pairs in flight up to which a loss is detected before the ACK timeout"),
  LEAST_PROBED_PACKETS(
      0,
      8,
      1 << 12,
      "Packets of SENDs and WRITEs in flight from which a loss is detected before the ACK timeout;"
          + " 0: always, and of READs too"),
  MAX_HELD_REQUESTS(
      0,
      15,
      63,
      "Small requests of a reliable connection that wait for one another while as many packets or"
          + " more are unacknowledged, to leave in one train; 0: each leaves at once");

  /** The least value that a device may have. */
  private final int least;

  /** The default. */
  private final int normal;

  /** The greatest value that a device may have. */
  private final int most;

  private final String meaning;

  Limit(int least, int normal, String meaning) {
    this(least, normal, normal, meaning);
  }

  Limit(int least, int normal, int most, String meaning) {
    this.least = least;
    this.normal = normal;
    this.most = most;
    this.meaning = meaning;
  }

  /** The key in a configuration: {@code max-qp}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The least value with which a device can be used. */
  public int least() {
    return least;
  }

  /** The default value. */
  public int normal() {
    return normal;
  }

  public int most() {
    return most;
  }

  /** The quantity that it limits, in words. */
  public String meaning() {
    return meaning;
  }
}
