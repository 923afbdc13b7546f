package org.roce4j.verbs;

/** What a send work request asks for ({@code enum ibv_wr_opcode}, constants {@code IBV_WR_*}). */
public enum WrOpcode {
  /** Writes into the peer's memory. */
  RDMA_WRITE(0, "rdma-write", WcOpcode.RDMA_WRITE),
  /** Writes into the peer's memory and consumes one of its receive requests. */
  RDMA_WRITE_WITH_IMM(1, "rdma-write-with-imm", WcOpcode.RDMA_WRITE),
  /** Sends a message into a receive request of the peer. */
  SEND(2, "send", WcOpcode.SEND),
  /** SEND with 32 bits of immediate data. */
  SEND_WITH_IMM(3, "send-with-imm", WcOpcode.SEND),
  /** Reads the peer's memory. */
  RDMA_READ(4, "rdma-read", WcOpcode.RDMA_READ),
  /** Compares and swaps 64 bits of the peer's memory. */
  ATOMIC_CMP_AND_SWP(5, "atomic-cmp-and-swp", WcOpcode.COMP_SWAP),
  /** Adds to 64 bits of the peer's memory. */
  ATOMIC_FETCH_AND_ADD(6, "atomic-fetch-and-add", WcOpcode.FETCH_ADD),
  /** Invalidates a key of this device; nothing goes on the wire. */
  LOCAL_INV(7, "local-inv", WcOpcode.LOCAL_INV),
  /** Binds a memory window; nothing goes on the wire. */
  BIND_MW(8, "bind-mw", WcOpcode.BIND_MW),
  /** SEND that also invalidates a key of the peer. */
  SEND_WITH_INV(9, "send-with-inv", WcOpcode.SEND),
  /** Segmented send of UD and raw queue pairs. */
  TSO(10, "tso", WcOpcode.TSO),
  /** Private to a driver. */
  DRIVER1(11, "driver1", WcOpcode.DRIVER1),
  /** Makes earlier writes visible or persistent. */
  FLUSH(14, "flush", WcOpcode.FLUSH),
  /** Writes eight bytes atomically. */
  ATOMIC_WRITE(15, "atomic-write", WcOpcode.ATOMIC_WRITE);

  private static final WrOpcode[] BY_VALUE = NumberTable.of(values(), WrOpcode::value);

  private final int value;
  private final String description;
  private final WcOpcode completion;

  WrOpcode(int value, String description, WcOpcode completion) {
    this.value = value;
    this.description = description;
    this.completion = completion;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static WrOpcode of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }

  /** Returns the text of {@code ibv_wr_opcode_str} for this constant. */
  public String description() {
    return description;
  }

  /**
   * Returns the text of {@code ibv_wr_opcode_str} for any number: {@code "unknown"} where there is
   * none.
   */
  public static String describe(int value) {
    WrOpcode known = of(value);
    return known == null ? "unknown" : known.description;
  }

  /** Returns the opcode that the completion of such a request bears. */
  public WcOpcode completion() {
    return completion;
  }
}
