package org.roce4j.verbs.layout;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * {@code struct ibv_send_wr}: a send work request.
 *
 * <pre>
 *    0        8        16        24        28       32           36              40
 *    +--------+--------+---------+---------+--------+------------+---------------+
 *    | wr_id  |  next  | sg_list | num_sge | opcode | send_flags | imm/inv. rkey |
 *    +--------+--------+---------+---------+--------+------------+---------------+
 *
 *    40                48                   56          64     68   72
 *    +-----------------+---------+----------+-----------+------+----+
 *    | rdma.remote_addr| rdma.rkey |   --   |     --    |  --  | -- |
 *    | atomic.rem._addr| atomic.compare_add | atomic.swap| rkey| -- |  a union
 *    | ud.ah           | remote_qpn | _qkey |     --    |  --  | -- |
 *    +-----------------+--------------------+-----------+------+----+
 *
 *    72                  76   80    88     92   96   104    112      120       124  128
 *    +-------------------+----+-----+------+----+----+------+--------+---------+----+
 *    | xrc.remote_srqn   | -- | mw  | rkey | -- | mr | addr | length | access  | -- |
 *    +-------------------+----+-----+------+----+----+------+--------+---------+----+
 *                             bind_mw            bind_mw.bind_info
 * </pre>
 */
public final class SendWrLayout {
  /** Identifier that the completion bears. */
  public static final int WR_ID = 0;

  /** Absolute address of the next request, 0 at the end. */
  public static final int NEXT = WR_ID + 8;

  /** Absolute address of the array of {@link SgeLayout}. */
  public static final int SG_LIST = NEXT + 8;

  /** Elements of that array. */
  public static final int NUM_SGE = SG_LIST + 8;

  /** Number of the {@code ibv_wr_opcode}. */
  public static final int OPCODE = NUM_SGE + 4;

  /** Bits of {@code ibv_send_flags}. */
  public static final int SEND_FLAGS = OPCODE + 4;

  /** Immediate data: a number here, network order in memory. */
  public static final int IMM_DATA = SEND_FLAGS + 4;

  /** Key to invalidate, in the place of the immediate data but in native order. */
  public static final int INVALIDATE_RKEY = IMM_DATA;

  /** Remote address of READ, WRITE, FLUSH and ATOMIC WRITE. */
  public static final int RDMA_REMOTE_ADDR = IMM_DATA + 4;

  /** Remote key of READ, WRITE, FLUSH and ATOMIC WRITE. */
  public static final int RDMA_RKEY = RDMA_REMOTE_ADDR + 8;

  /** Where the eight bytes of the peer are. */
  public static final int ATOMIC_REMOTE_ADDR = RDMA_REMOTE_ADDR;

  /** Operand to compare with, or to add. */
  public static final int ATOMIC_COMPARE_ADD = ATOMIC_REMOTE_ADDR + 8;

  /** Operand to swap in. */
  public static final int ATOMIC_SWAP = ATOMIC_COMPARE_ADD + 8;

  /** Remote key of an atomic. */
  public static final int ATOMIC_RKEY = ATOMIC_SWAP + 8;

  /** Native handle of the address handle. */
  public static final int UD_AH = RDMA_REMOTE_ADDR;

  /** Number of the destination queue pair. */
  public static final int UD_REMOTE_QPN = UD_AH + 8;

  /** Queue key of the destination. */
  public static final int UD_REMOTE_QKEY = UD_REMOTE_QPN + 4;

  /** Number of the shared receive queue an XRC request is for. */
  public static final int XRC_REMOTE_SRQN = ATOMIC_RKEY + 8;

  /** Native handle of the window to bind. */
  public static final int BIND_MW = XRC_REMOTE_SRQN + 8;

  /** New remote key of the window. */
  public static final int BIND_RKEY = BIND_MW + 8;

  /** Native handle of the region to bind it to. */
  public static final int BIND_MR = BIND_RKEY + 8;

  /** First address of the window. */
  public static final int BIND_ADDR = BIND_MR + 8;

  /** Bytes of the window; 0 unbinds. */
  public static final int BIND_LENGTH = BIND_ADDR + 8;

  /** Rights of the window. */
  public static final int BIND_ACCESS_FLAGS = BIND_LENGTH + 8;

  /** Bytes of one request, with four of padding. */
  public static final int SIZE = BIND_ACCESS_FLAGS + 8;

  private static final ValueLayout.OfInt NETWORK_INT =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private SendWrLayout() {}

  /** Reads {@link #WR_ID} of the structure at this offset. */
  public static long wrId(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + WR_ID);
  }

  /** Writes {@link #WR_ID} of the structure at this offset. */
  public static void wrId(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + WR_ID, value);
  }

  /** Reads {@link #NEXT} of the structure at this offset. */
  public static long next(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + NEXT);
  }

  /** Writes {@link #NEXT} of the structure at this offset. */
  public static void next(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + NEXT, value);
  }

  /** Reads {@link #SG_LIST} of the structure at this offset. */
  public static long sgList(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + SG_LIST);
  }

  /** Writes {@link #SG_LIST} of the structure at this offset. */
  public static void sgList(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + SG_LIST, value);
  }

  /** Reads {@link #NUM_SGE} of the structure at this offset. */
  public static int numSge(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + NUM_SGE);
  }

  /** Writes {@link #NUM_SGE} of the structure at this offset. */
  public static void numSge(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + NUM_SGE, value);
  }

  /** Reads {@link #OPCODE} of the structure at this offset. */
  public static int opcode(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + OPCODE);
  }

  /** Writes {@link #OPCODE} of the structure at this offset. */
  public static void opcode(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + OPCODE, value);
  }

  /** Reads {@link #SEND_FLAGS} of the structure at this offset. */
  public static int sendFlags(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + SEND_FLAGS);
  }

  /** Writes {@link #SEND_FLAGS} of the structure at this offset. */
  public static void sendFlags(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + SEND_FLAGS, value);
  }

  /** Reads {@link #IMM_DATA} of the structure at this offset. */
  public static int immData(MemorySegment memory, long structure) {
    return memory.get(NETWORK_INT, structure + IMM_DATA);
  }

  /** Writes {@link #IMM_DATA} of the structure at this offset. */
  public static void immData(MemorySegment memory, long structure, int value) {
    memory.set(NETWORK_INT, structure + IMM_DATA, value);
  }

  /** Reads {@link #INVALIDATE_RKEY} of the structure at this offset. */
  public static int invalidateRkey(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + INVALIDATE_RKEY);
  }

  /** Writes {@link #INVALIDATE_RKEY} of the structure at this offset. */
  public static void invalidateRkey(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + INVALIDATE_RKEY, value);
  }

  /** Reads {@link #RDMA_REMOTE_ADDR} of the structure at this offset. */
  public static long rdmaRemoteAddr(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + RDMA_REMOTE_ADDR);
  }

  /** Writes {@link #RDMA_REMOTE_ADDR} of the structure at this offset. */
  public static void rdmaRemoteAddr(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + RDMA_REMOTE_ADDR, value);
  }

  /** Reads {@link #RDMA_RKEY} of the structure at this offset. */
  public static int rdmaRkey(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + RDMA_RKEY);
  }

  /** Writes {@link #RDMA_RKEY} of the structure at this offset. */
  public static void rdmaRkey(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + RDMA_RKEY, value);
  }

  /** Reads {@link #ATOMIC_REMOTE_ADDR} of the structure at this offset. */
  public static long atomicRemoteAddr(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + ATOMIC_REMOTE_ADDR);
  }

  /** Writes {@link #ATOMIC_REMOTE_ADDR} of the structure at this offset. */
  public static void atomicRemoteAddr(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + ATOMIC_REMOTE_ADDR, value);
  }

  /** Reads {@link #ATOMIC_COMPARE_ADD} of the structure at this offset. */
  public static long atomicCompareAdd(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + ATOMIC_COMPARE_ADD);
  }

  /** Writes {@link #ATOMIC_COMPARE_ADD} of the structure at this offset. */
  public static void atomicCompareAdd(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + ATOMIC_COMPARE_ADD, value);
  }

  /** Reads {@link #ATOMIC_SWAP} of the structure at this offset. */
  public static long atomicSwap(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + ATOMIC_SWAP);
  }

  /** Writes {@link #ATOMIC_SWAP} of the structure at this offset. */
  public static void atomicSwap(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + ATOMIC_SWAP, value);
  }

  /** Reads {@link #ATOMIC_RKEY} of the structure at this offset. */
  public static int atomicRkey(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + ATOMIC_RKEY);
  }

  /** Writes {@link #ATOMIC_RKEY} of the structure at this offset. */
  public static void atomicRkey(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + ATOMIC_RKEY, value);
  }

  /** Reads {@link #UD_AH} of the structure at this offset. */
  public static long udAh(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + UD_AH);
  }

  /** Writes {@link #UD_AH} of the structure at this offset. */
  public static void udAh(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + UD_AH, value);
  }

  /** Reads {@link #UD_REMOTE_QPN} of the structure at this offset. */
  public static int udRemoteQpn(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + UD_REMOTE_QPN);
  }

  /** Writes {@link #UD_REMOTE_QPN} of the structure at this offset. */
  public static void udRemoteQpn(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + UD_REMOTE_QPN, value);
  }

  /** Reads {@link #UD_REMOTE_QKEY} of the structure at this offset. */
  public static int udRemoteQkey(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + UD_REMOTE_QKEY);
  }

  /** Writes {@link #UD_REMOTE_QKEY} of the structure at this offset. */
  public static void udRemoteQkey(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + UD_REMOTE_QKEY, value);
  }

  /** Reads {@link #XRC_REMOTE_SRQN} of the structure at this offset. */
  public static int xrcRemoteSrqn(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + XRC_REMOTE_SRQN);
  }

  /** Writes {@link #XRC_REMOTE_SRQN} of the structure at this offset. */
  public static void xrcRemoteSrqn(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + XRC_REMOTE_SRQN, value);
  }

  /** Reads {@link #BIND_MW} of the structure at this offset. */
  public static long bindMw(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + BIND_MW);
  }

  /** Writes {@link #BIND_MW} of the structure at this offset. */
  public static void bindMw(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + BIND_MW, value);
  }

  /** Reads {@link #BIND_RKEY} of the structure at this offset. */
  public static int bindRkey(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + BIND_RKEY);
  }

  /** Writes {@link #BIND_RKEY} of the structure at this offset. */
  public static void bindRkey(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + BIND_RKEY, value);
  }

  /** Reads {@link #BIND_MR} of the structure at this offset. */
  public static long bindMr(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + BIND_MR);
  }

  /** Writes {@link #BIND_MR} of the structure at this offset. */
  public static void bindMr(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + BIND_MR, value);
  }

  /** Reads {@link #BIND_ADDR} of the structure at this offset. */
  public static long bindAddr(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + BIND_ADDR);
  }

  /** Writes {@link #BIND_ADDR} of the structure at this offset. */
  public static void bindAddr(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + BIND_ADDR, value);
  }

  /** Reads {@link #BIND_LENGTH} of the structure at this offset. */
  public static long bindLength(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + BIND_LENGTH);
  }

  /** Writes {@link #BIND_LENGTH} of the structure at this offset. */
  public static void bindLength(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + BIND_LENGTH, value);
  }

  /** Reads {@link #BIND_ACCESS_FLAGS} of the structure at this offset. */
  public static int bindAccessFlags(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + BIND_ACCESS_FLAGS);
  }

  /** Writes {@link #BIND_ACCESS_FLAGS} of the structure at this offset. */
  public static void bindAccessFlags(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + BIND_ACCESS_FLAGS, value);
  }
}
