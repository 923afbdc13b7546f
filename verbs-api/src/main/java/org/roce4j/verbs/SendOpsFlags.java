package org.roce4j.verbs;

/**
 * Operations that a {@link WorkRequestBuilder} may be asked for ({@code enum
 * ibv_qp_create_send_ops_flags}, constants {@code IBV_QP_EX_WITH_*}).
 */
public final class SendOpsFlags {
  /** {@link WorkRequestBuilder#rdmaWrite}. */
  public static final long WITH_RDMA_WRITE = 1 << 0;

  /** {@link WorkRequestBuilder#rdmaWriteImmediate}. */
  public static final long WITH_RDMA_WRITE_WITH_IMM = 1 << 1;

  /** {@link WorkRequestBuilder#send}. */
  public static final long WITH_SEND = 1 << 2;

  /** {@link WorkRequestBuilder#sendImmediate}. */
  public static final long WITH_SEND_WITH_IMM = 1 << 3;

  /** {@link WorkRequestBuilder#rdmaRead}. */
  public static final long WITH_RDMA_READ = 1 << 4;

  /** {@link WorkRequestBuilder#compareAndSwap}. */
  public static final long WITH_ATOMIC_CMP_AND_SWP = 1 << 5;

  /** {@link WorkRequestBuilder#fetchAndAdd}. */
  public static final long WITH_ATOMIC_FETCH_AND_ADD = 1 << 6;

  /** {@link WorkRequestBuilder#localInvalidate}. */
  public static final long WITH_LOCAL_INV = 1 << 7;

  /** {@link WorkRequestBuilder#bindMemoryWindow}. */
  public static final long WITH_BIND_MW = 1 << 8;

  /** {@link WorkRequestBuilder#sendInvalidate}. */
  public static final long WITH_SEND_WITH_INV = 1 << 9;

  /** Segmented sends of raw packets. */
  public static final long WITH_TSO = 1 << 10;

  /** {@link WorkRequestBuilder#flush}. */
  public static final long WITH_FLUSH = 1 << 11;

  /** {@link WorkRequestBuilder#atomicWrite}. */
  public static final long WITH_ATOMIC_WRITE = 1 << 12;

  private static final FlagNames NAMES =
      new FlagNames()
          .name(WITH_RDMA_WRITE, "WITH_RDMA_WRITE")
          .name(WITH_RDMA_WRITE_WITH_IMM, "WITH_RDMA_WRITE_WITH_IMM")
          .name(WITH_SEND, "WITH_SEND")
          .name(WITH_SEND_WITH_IMM, "WITH_SEND_WITH_IMM")
          .name(WITH_RDMA_READ, "WITH_RDMA_READ")
          .name(WITH_ATOMIC_CMP_AND_SWP, "WITH_ATOMIC_CMP_AND_SWP")
          .name(WITH_ATOMIC_FETCH_AND_ADD, "WITH_ATOMIC_FETCH_AND_ADD")
          .name(WITH_LOCAL_INV, "WITH_LOCAL_INV")
          .name(WITH_BIND_MW, "WITH_BIND_MW")
          .name(WITH_SEND_WITH_INV, "WITH_SEND_WITH_INV")
          .name(WITH_TSO, "WITH_TSO")
          .name(WITH_FLUSH, "WITH_FLUSH")
          .name(WITH_ATOMIC_WRITE, "WITH_ATOMIC_WRITE");

  private SendOpsFlags() {}

  /** The flag that an operation needs; 0: it has none. */
  public static long of(WrOpcode opcode) {
    return switch (opcode) {
      case RDMA_WRITE -> WITH_RDMA_WRITE;
      case RDMA_WRITE_WITH_IMM -> WITH_RDMA_WRITE_WITH_IMM;
      case SEND -> WITH_SEND;
      case SEND_WITH_IMM -> WITH_SEND_WITH_IMM;
      case RDMA_READ -> WITH_RDMA_READ;
      case ATOMIC_CMP_AND_SWP -> WITH_ATOMIC_CMP_AND_SWP;
      case ATOMIC_FETCH_AND_ADD -> WITH_ATOMIC_FETCH_AND_ADD;
      case LOCAL_INV -> WITH_LOCAL_INV;
      case BIND_MW -> WITH_BIND_MW;
      case SEND_WITH_INV -> WITH_SEND_WITH_INV;
      case TSO -> WITH_TSO;
      case FLUSH -> WITH_FLUSH;
      case ATOMIC_WRITE -> WITH_ATOMIC_WRITE;
      case DRIVER1 -> 0;
    };
  }

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(long flags) {
    return NAMES.render(flags);
  }
}
