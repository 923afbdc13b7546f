package org.roce4j.verbs.cm;

import org.roce4j.verbs.Errno;

/** What {@link CmId#setOption} sets ({@code RDMA_OPTION_*}). */
public enum CmOption {
  /** Type of service: IPv4 TOS or IPv6 traffic class, 0..255 ({@code RDMA_OPTION_ID_TOS}). */
  TOS(0, 0, 255),
  /** 1: an address may be bound that another id is bound to ({@code RDMA_OPTION_ID_REUSEADDR}). */
  REUSEADDR(0, 1, 1),
  /**
   * 1: an id is for addresses of its own family alone, and its wildcard address takes no
   * connections of the other ({@code RDMA_OPTION_ID_AFONLY}); unless set 1 for IPv4, 0 for IPv6.
   */
  AFONLY(0, 2, 1),
  /** Local ACK timeout code of the queue pair, 1..31 ({@code RDMA_OPTION_ID_ACK_TIMEOUT}). */
  ACK_TIMEOUT(0, 3, 31),
  /** Path records; set by {@link CmId#setIbPath} ({@code RDMA_OPTION_IB_PATH}). */
  IB_PATH(1, 1, -1);

  private final int level;
  private final int number;
  private final int max;

  CmOption(int level, int number, int max) {
    this.level = level;
    this.number = number;
    this.max = max;
  }

  /** {@code RDMA_OPTION_ID} 0 or {@code RDMA_OPTION_IB} 1. */
  public int level() {
    return level;
  }

  /** The number of the option within its level. */
  public int number() {
    return number;
  }

  /** Refuses a value that the option cannot have. */
  void check(int value) {
    if (this == IB_PATH) {
      throw Errno.ENOSYS.refusal("IB_PATH is no number: call setIbPath");
    }
    if (value < 0 || value > max) {
      throw Errno.EINVAL.refusal("%s is 0 to %d, not %d", this, max, value);
    }
  }
}
