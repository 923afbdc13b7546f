package org.roce4j.verbs.layout;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * {@code struct ibv_wc}: a work completion.
 *
 * <pre>
 *  0        8        12       16           20         24
 *  +--------+--------+--------+------------+----------+
 *  | wr_id  | status | opcode | vendor_err | byte_len |
 *  +--------+--------+--------+------------+----------+
 *
 *  24              28       32       36         40           42     44   45               46   48
 *  +---------------+--------+--------+----------+------------+------+----+----------------+----+
 *  | imm/inv. rkey | qp_num | src_qp | wc_flags | pkey_index | slid | sl | dlid_path_bits | -- |
 *  +---------------+--------+--------+----------+------------+------+----+----------------+----+
 * </pre>
 */
public final class WcLayout {
  /** Identifier of the request. */
  public static final int WR_ID = 0;

  /** Number of the {@code ibv_wc_status}. */
  public static final int STATUS = WR_ID + 8;

  /** Number of the {@code ibv_wc_opcode}. */
  public static final int OPCODE = STATUS + 4;

  /** A device's own word about an error. */
  public static final int VENDOR_ERR = OPCODE + 4;

  /** Bytes transferred, unsigned. */
  public static final int BYTE_LEN = VENDOR_ERR + 4;

  /** Immediate data: a number here, network order in memory. */
  public static final int IMM_DATA = BYTE_LEN + 4;

  /** Key that was invalidated, in the place of the immediate data but in native order. */
  public static final int INVALIDATED_RKEY = IMM_DATA;

  /** Number of the local queue pair. */
  public static final int QP_NUM = IMM_DATA + 4;

  /** Number of the sending queue pair (UD). */
  public static final int SRC_QP = QP_NUM + 4;

  /** Bits of {@code ibv_wc_flags}. */
  public static final int WC_FLAGS = SRC_QP + 4;

  /** Index of the partition key (GSI). */
  public static final int PKEY_INDEX = WC_FLAGS + 4;

  /** Source local identifier. */
  public static final int SLID = PKEY_INDEX + 2;

  /** Service level. */
  public static final int SL = SLID + 2;

  /** Path bits of the destination local identifier. */
  public static final int DLID_PATH_BITS = SL + 1;

  /** Bytes of one completion, with two of padding. */
  public static final int SIZE = DLID_PATH_BITS + 3;

  private static final ValueLayout.OfInt NETWORK_INT =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private WcLayout() {}

  /** Reads {@link #WR_ID} of the structure at this offset. */
  public static long wrId(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + WR_ID);
  }

  /** Writes {@link #WR_ID} of the structure at this offset. */
  public static void wrId(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + WR_ID, value);
  }

  /** Reads {@link #STATUS} of the structure at this offset. */
  public static int status(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + STATUS);
  }

  /** Writes {@link #STATUS} of the structure at this offset. */
  public static void status(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + STATUS, value);
  }

  /** Reads {@link #OPCODE} of the structure at this offset. */
  public static int opcode(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + OPCODE);
  }

  /** Writes {@link #OPCODE} of the structure at this offset. */
  public static void opcode(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + OPCODE, value);
  }

  /** Reads {@link #VENDOR_ERR} of the structure at this offset. */
  public static int vendorErr(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + VENDOR_ERR);
  }

  /** Writes {@link #VENDOR_ERR} of the structure at this offset. */
  public static void vendorErr(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + VENDOR_ERR, value);
  }

  /** Reads {@link #BYTE_LEN} of the structure at this offset. */
  public static int byteLen(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + BYTE_LEN);
  }

  /** Writes {@link #BYTE_LEN} of the structure at this offset. */
  public static void byteLen(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + BYTE_LEN, value);
  }

  /** Reads {@link #IMM_DATA} of the structure at this offset. */
  public static int immData(MemorySegment memory, long structure) {
    return memory.get(NETWORK_INT, structure + IMM_DATA);
  }

  /** Writes {@link #IMM_DATA} of the structure at this offset. */
  public static void immData(MemorySegment memory, long structure, int value) {
    memory.set(NETWORK_INT, structure + IMM_DATA, value);
  }

  /** Reads {@link #INVALIDATED_RKEY} of the structure at this offset. */
  public static int invalidatedRkey(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + INVALIDATED_RKEY);
  }

  /** Writes {@link #INVALIDATED_RKEY} of the structure at this offset. */
  public static void invalidatedRkey(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + INVALIDATED_RKEY, value);
  }

  /** Reads {@link #QP_NUM} of the structure at this offset. */
  public static int qpNum(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + QP_NUM);
  }

  /** Writes {@link #QP_NUM} of the structure at this offset. */
  public static void qpNum(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + QP_NUM, value);
  }

  /** Reads {@link #SRC_QP} of the structure at this offset. */
  public static int srcQp(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + SRC_QP);
  }

  /** Writes {@link #SRC_QP} of the structure at this offset. */
  public static void srcQp(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + SRC_QP, value);
  }

  /** Reads {@link #WC_FLAGS} of the structure at this offset. */
  public static int wcFlags(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + WC_FLAGS);
  }

  /** Writes {@link #WC_FLAGS} of the structure at this offset. */
  public static void wcFlags(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + WC_FLAGS, value);
  }

  /** Reads {@link #PKEY_INDEX} of the structure at this offset. */
  public static int pkeyIndex(MemorySegment memory, long structure) {
    return Short.toUnsignedInt(memory.get(JAVA_SHORT_UNALIGNED, structure + PKEY_INDEX));
  }

  /** Writes {@link #PKEY_INDEX} of the structure at this offset. */
  public static void pkeyIndex(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_SHORT_UNALIGNED, structure + PKEY_INDEX, (short) value);
  }

  /** Reads {@link #SLID} of the structure at this offset. */
  public static int slid(MemorySegment memory, long structure) {
    return Short.toUnsignedInt(memory.get(JAVA_SHORT_UNALIGNED, structure + SLID));
  }

  /** Writes {@link #SLID} of the structure at this offset. */
  public static void slid(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_SHORT_UNALIGNED, structure + SLID, (short) value);
  }

  /** Reads {@link #SL} of the structure at this offset. */
  public static int sl(MemorySegment memory, long structure) {
    return Byte.toUnsignedInt(memory.get(JAVA_BYTE, structure + SL));
  }

  /** Writes {@link #SL} of the structure at this offset. */
  public static void sl(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_BYTE, structure + SL, (byte) value);
  }

  /** Reads {@link #DLID_PATH_BITS} of the structure at this offset. */
  public static int dlidPathBits(MemorySegment memory, long structure) {
    return Byte.toUnsignedInt(memory.get(JAVA_BYTE, structure + DLID_PATH_BITS));
  }

  /** Writes {@link #DLID_PATH_BITS} of the structure at this offset. */
  public static void dlidPathBits(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_BYTE, structure + DLID_PATH_BITS, (byte) value);
  }
}
