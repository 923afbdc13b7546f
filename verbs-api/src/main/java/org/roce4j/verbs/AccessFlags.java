package org.roce4j.verbs;

/**
 * Rights of a memory region, a window or a queue pair ({@code enum ibv_access_flags}, constants
 * {@code IBV_ACCESS_*}). Reading locally is always allowed.
 */
public final class AccessFlags {
  /** The device may write to it for local operations: receives, READ responses, atomic results. */
  public static final int LOCAL_WRITE = 1 << 0;

  /** The peer may RDMA WRITE. */
  public static final int REMOTE_WRITE = 1 << 1;

  /** The peer may RDMA READ. */
  public static final int REMOTE_READ = 1 << 2;

  /** The peer may run atomics. */
  public static final int REMOTE_ATOMIC = 1 << 3;

  /** Memory windows may be bound to the region. */
  public static final int MW_BIND = 1 << 4;

  /** Addresses count from the start of the region. */
  public static final int ZERO_BASED = 1 << 5;

  /** Pages are faulted in on demand; a device without on-demand paging refuses (EOPNOTSUPP). */
  public static final int ON_DEMAND = 1 << 6;

  /** The memory is made of huge pages. */
  public static final int HUGETLB = 1 << 7;

  /** The peer may FLUSH for global visibility. */
  public static final int FLUSH_GLOBAL = 1 << 8;

  /** The peer may FLUSH for persistence. */
  public static final int FLUSH_PERSISTENT = 1 << 9;

  /** Writes may be reordered; the first of the optional bits. */
  public static final int RELAXED_ORDERING = 1 << 20;

  /** Bits 20 to 29: hints that a device ignores when it does not know them. */
  public static final int OPTIONAL_RANGE = 0x3FF0_0000;

  private static final FlagNames NAMES =
      new FlagNames()
          .name(LOCAL_WRITE, "LOCAL_WRITE")
          .name(REMOTE_WRITE, "REMOTE_WRITE")
          .name(REMOTE_READ, "REMOTE_READ")
          .name(REMOTE_ATOMIC, "REMOTE_ATOMIC")
          .name(MW_BIND, "MW_BIND")
          .name(ZERO_BASED, "ZERO_BASED")
          .name(ON_DEMAND, "ON_DEMAND")
          .name(HUGETLB, "HUGETLB")
          .name(FLUSH_GLOBAL, "FLUSH_GLOBAL")
          .name(FLUSH_PERSISTENT, "FLUSH_PERSISTENT")
          .name(RELAXED_ORDERING, "RELAXED_ORDERING");

  private AccessFlags() {}

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(int flags) {
    return NAMES.render(flags & 0xFFFF_FFFFL);
  }
}
