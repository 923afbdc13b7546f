package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * Base Transport Header, the first 12 bytes of every RoCEv2 packet.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------+-+-+---+-------+-------------------------------+
 *  |    OpCode     |S|M|Pad| TVer  |             P_Key             |
 *  +-+-+-----------+-+-+---+-------+-------------------------------+
 *  |F|B| reserved  |           Destination Queue Pair              |
 *  +-+-+-----------+-----------------------------------------------+
 *  |A|  reserved   |            Packet Sequence Number             |
 *  +-+-------------+-----------------------------------------------+
 * </pre>
 *
 * S solicited event, M migration request, F FECN, B BECN, A acknowledge request. The byte of F and
 * B is masked in the ICRC, the byte of A is not.
 *
 * <p>Stateless; accessors are big endian whatever the order of the buffer.
 */
public final class Bth {
  /** Offset of {@link #opcode}, one byte. */
  public static final int OPCODE = 0;

  /** Offset of the byte of solicited event, migration request, pad count and version. */
  public static final int FLAGS = OPCODE + 1;

  /** Offset of {@link #pkey}, two bytes. */
  public static final int PKEY = FLAGS + 1;

  /** FECN, BECN and six reserved bits: the byte that the ICRC masks. */
  public static final int CONGESTION = PKEY + 2;

  static final int DEST_QP = CONGESTION + 1;

  /** Offset of the byte of acknowledge request and seven reserved bits. */
  public static final int ACK_REQ = DEST_QP + 3;

  static final int PSN = ACK_REQ + 1;

  /** Size of a BTH in bytes, which is also the index of the next header. */
  public static final int SIZE = PSN + 3;

  /** The only transport header version there is. */
  public static final int VERSION = 0;

  private static final int SOLICITED_BIT = 0x80;
  private static final int MIG_REQ_BIT = 0x40;
  private static final int PAD_SHIFT = 4;
  private static final int FECN_BIT = 0x80;
  private static final int BECN_BIT = 0x40;
  private static final int ACK_REQ_BIT = 0x80;

  private Bth() {}

  /** The code of the {@link Opcode}, 0..255; bits 7..5 are the transport. */
  public static int opcode(ByteBuffer b, int at) {
    return BigEndian.get8(b, at + OPCODE);
  }

  /**
   * Solicited event: the completion of this message wakes a program that armed for solicited
   * completions only ({@code IBV_SEND_SOLICITED}).
   */
  public static boolean solicited(ByteBuffer b, int at) {
    return (b.get(at + FLAGS) & SOLICITED_BIT) != 0;
  }

  /** MigReq, the state of path migration: set while migrated, clear to ask for it. */
  public static boolean migReq(ByteBuffer b, int at) {
    return (b.get(at + FLAGS) & MIG_REQ_BIT) != 0;
  }

  /** Number of pad bytes between payload and ICRC, 0..3. */
  public static int padCount(ByteBuffer b, int at) {
    return b.get(at + FLAGS) >> PAD_SHIFT & 3;
  }

  /** Transport header version, 0..15; a packet with another than {@link #VERSION} is dropped. */
  public static int version(ByteBuffer b, int at) {
    return b.get(at + FLAGS) & 0xF;
  }

  /** Partition key, 0..0xFFFF; {@link PKey#match} judges it. */
  public static int pkey(ByteBuffer b, int at) {
    return BigEndian.get16(b, at + PKEY);
  }

  /** Forward notification of congestion; RoCEv2 uses the ECN bits of the IP header in its place. */
  public static boolean fecn(ByteBuffer b, int at) {
    return (b.get(at + CONGESTION) & FECN_BIT) != 0;
  }

  /** Backward notification of congestion: set in a CNP. */
  public static boolean becn(ByteBuffer b, int at) {
    return (b.get(at + CONGESTION) & BECN_BIT) != 0;
  }

  /** The six reserved bits beside FECN and BECN: sent as 0, ignored. */
  public static int reserved6(ByteBuffer b, int at) {
    return b.get(at + CONGESTION) & 0x3F;
  }

  /** Number of the queue pair that the packet is for, 24 bits. */
  public static int destQp(ByteBuffer b, int at) {
    return BigEndian.get24After(b, at + CONGESTION);
  }

  /** Acknowledge request: the responder owes an ACK that covers this PSN. */
  public static boolean ackReq(ByteBuffer b, int at) {
    return (b.get(at + ACK_REQ) & ACK_REQ_BIT) != 0;
  }

  /** The seven reserved bits beside AckReq: sent as 0, ignored. */
  public static int reserved7(ByteBuffer b, int at) {
    return b.get(at + ACK_REQ) & 0x7F;
  }

  /** Packet sequence number, 24 bits; {@link Psn} compares two of them. */
  public static int psn(ByteBuffer b, int at) {
    return BigEndian.get24After(b, at + ACK_REQ);
  }

  /**
   * Writes a whole header with the version and the reserved bits 0, and without MigReq, FECN and
   * BECN, which have methods of their own.
   */
  public static void put(
      ByteBuffer b,
      int at,
      int opcode,
      boolean solicited,
      int padCount,
      int pkey,
      int destQp,
      boolean ackReq,
      int psn) {
    int flags = (solicited ? SOLICITED_BIT : 0) | (padCount & 3) << PAD_SHIFT | VERSION;
    BigEndian.put32(b, at + OPCODE, opcode << 24 | flags << 16 | pkey & 0xFFFF);
    BigEndian.put32(b, at + CONGESTION, destQp & 0xFF_FFFF);
    BigEndian.put32(b, at + ACK_REQ, (ackReq ? ACK_REQ_BIT << 24 : 0) | psn & Psn.MASK);
  }

  /** Sets {@link #migReq}. */
  public static void setMigReq(ByteBuffer b, int at) {
    set(b, at + FLAGS, MIG_REQ_BIT);
  }

  /** Sets {@link #fecn}. */
  public static void setFecn(ByteBuffer b, int at) {
    set(b, at + CONGESTION, FECN_BIT);
  }

  /** Sets {@link #becn}. */
  public static void setBecn(ByteBuffer b, int at) {
    set(b, at + CONGESTION, BECN_BIT);
  }

  private static void set(ByteBuffer b, int at, int bit) {
    b.put(at, (byte) (b.get(at) | bit));
  }
}
