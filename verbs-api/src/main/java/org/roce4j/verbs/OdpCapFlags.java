package org.roce4j.verbs;

/**
 * What a device can do with memory that is paged on demand: {@code enum ibv_odp_general_caps} and,
 * for each transport, {@code enum ibv_odp_transport_cap_bits}.
 */
public final class OdpCapFlags {
  /** General: memory can be registered with {@link AccessFlags#ON_DEMAND}. */
  public static final int SUPPORT = 1 << 0;

  /** General: the whole address space can be registered on demand. */
  public static final int SUPPORT_IMPLICIT = 1 << 1;

  /** Transport: send buffers may lie in such memory. */
  public static final int SEND = 1 << 0;

  /** Transport: receive buffers may lie in such memory. */
  public static final int RECV = 1 << 1;

  /** Transport: RDMA WRITE. */
  public static final int WRITE = 1 << 2;

  /** Transport: RDMA READ. */
  public static final int READ = 1 << 3;

  /** Transport: atomics. */
  public static final int ATOMIC = 1 << 4;

  /** Transport: receives of shared receive queues. */
  public static final int SRQ_RECV = 1 << 5;

  /** Transport: FLUSH. */
  public static final int FLUSH = 1 << 6;

  /** Transport: ATOMIC WRITE. */
  public static final int ATOMIC_WRITE = 1 << 7;

  private static final FlagNames GENERAL =
      new FlagNames().name(SUPPORT, "ODP_SUPPORT").name(SUPPORT_IMPLICIT, "ODP_SUPPORT_IMPLICIT");

  private static final FlagNames TRANSPORT =
      new FlagNames()
          .name(SEND, "SUPPORT_SEND")
          .name(RECV, "SUPPORT_RECV")
          .name(WRITE, "SUPPORT_WRITE")
          .name(READ, "SUPPORT_READ")
          .name(ATOMIC, "SUPPORT_ATOMIC")
          .name(SRQ_RECV, "SUPPORT_SRQ")
          .name(FLUSH, "SUPPORT_FLUSH")
          .name(ATOMIC_WRITE, "SUPPORT_ATOMIC_WRITE");

  private OdpCapFlags() {}

  /** Renders the names of a device's general bits joined by {@code |}; {@code 0} for none. */
  public static String general(long flags) {
    return GENERAL.render(flags);
  }

  /** Renders the names of a transport's bits joined by {@code |}; {@code 0} for none. */
  public static String transport(int flags) {
    return TRANSPORT.render(Integer.toUnsignedLong(flags));
  }
}
