package org.roce4j.verbs;

/**
 * Which operation a completion reports ({@code enum ibv_wc_opcode}, constants {@code IBV_WC_*}).
 *
 * <p>Bit 7 is set in the completions of receive requests.
 */
public enum WcOpcode {
  /** Any kind of SEND. */
  SEND(0),
  /** RDMA WRITE, with or without immediate data. */
  RDMA_WRITE(1),
  /** A READ: the remote bytes are in the local elements. */
  RDMA_READ(2),
  /** Atomic compare and swap. */
  COMP_SWAP(3),
  /** Atomic fetch and add. */
  FETCH_ADD(4),
  /** A memory window was bound. */
  BIND_MW(5),
  /** A key was invalidated. */
  LOCAL_INV(6),
  /** A segmented UD or raw send. */
  TSO(7),
  /** RDMA FLUSH. */
  FLUSH(8),
  /** Eight bytes were written atomically. */
  ATOMIC_WRITE(9),
  /** A SEND was received. */
  RECV(128),
  /** Immediate data of an RDMA WRITE was received. */
  RECV_RDMA_WITH_IMM(129),
  /** A tag was added. */
  TM_ADD(130),
  /** A tag was removed. */
  TM_DEL(131),
  /** Tag counters were synchronised. */
  TM_SYNC(132),
  /** A tagged message was received. */
  TM_RECV(133),
  /** A tag-matching message bore no tag. */
  TM_NO_TAG(134),
  /** Private to a driver. */
  DRIVER1(135);

  private static final WcOpcode[] BY_VALUE = NumberTable.of(values(), WcOpcode::value);

  private final int value;

  WcOpcode(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static WcOpcode of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }

  /** Tells whether this is the completion of a receive request ({@code IBV_WC_RECV} bit). */
  public boolean isReceive() {
    return value >= 128;
  }
}
