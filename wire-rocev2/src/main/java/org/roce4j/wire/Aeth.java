package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * Acknowledge Extended Transport Header: how the responder fares, and how many messages it has
 * completed.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+---+---------+-----------------------------------------------+
 *  |0|typ|  value  |            Message Sequence Number            |
 *  +-+---+---------+-----------------------------------------------+
 *
 *   typ 0  ACK      value = credit code (31: credits not used)
 *   typ 1  RNR NAK  value = timer code
 *   typ 2  reserved
 *   typ 3  NAK      value = NAK code
 * </pre>
 *
 * <p>Stateless; accessors are big endian whatever the order of the buffer. Every syndrome is
 * exactly one of ACK, RNR NAK, NAK and reserved; bytes with bit 7 set are reserved too.
 */
public final class Aeth {
  static final int SYNDROME = 0;
  static final int MSN = SYNDROME + 1;
  static final int SIZE = MSN + 3;

  /** Acknowledgement that does not use credits. */
  public static final int ACK = 0x1F;

  /**
   * PSN sequence error: a request is missing; the requester sends again from the PSN of the NAK.
   */
  public static final int NAK_SEQUENCE = 0x60;

  /**
   * A request that the queue pair does not take: opcode out of order, length, unsupported
   * operation. Fatal to the requester's queue pair ({@code REM_INV_REQ_ERR}).
   */
  public static final int NAK_INVALID_REQUEST = 0x61;

  /**
   * R_Key, range or right refused. Fatal to the requester's queue pair ({@code REM_ACCESS_ERR}).
   */
  public static final int NAK_REMOTE_ACCESS = 0x62;

  /**
   * The responder failed by a fault of its own, for instance in its receive request. Fatal to the
   * requester's queue pair ({@code REM_OP_ERR}).
   */
  public static final int NAK_REMOTE_OPERATIONAL = 0x63;

  /** Only in the service RD, which nobody implements: an illegal RD request. */
  public static final int NAK_INVALID_RD_REQUEST = 0x64;

  /** The result of {@link #credits} for code 31. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  private static final int TYPE_MASK = 0xE0;
  private static final int VALUE_MASK = 0x1F;
  private static final int RNR_TYPE = 0x20;
  private static final int NAK_TYPE = 0x60;
  private static final int UNLIMITED_CODE = 31;

  /** Credits of codes 0..30. */
  private static final int[] CREDITS = {
    0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
    3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768
  };

  private static final int RNR_UNIT_NS = 10_000;

  /** RNR NAK timer of codes 0..31 in units of 10 microseconds, the table of the Linux kernel. */
  private static final int[] RNR_DELAY = {
    65536, 1, 2, 3, 4, 6, 8, 12,
    16, 24, 32, 48, 64, 96, 128, 192,
    256, 384, 512, 768, 1024, 1536, 2048, 3072,
    4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152
  };

  private Aeth() {}

  /** Type and value, 0..255; {@link #isAck} and the other predicates tell which. */
  public static int syndrome(ByteBuffer b, int at) {
    return BigEndian.get8(b, at + SYNDROME);
  }

  /** Message sequence number: requests that the responder has completed, modulo 2^24. */
  public static int msn(ByteBuffer b, int at) {
    return BigEndian.get24After(b, at + SYNDROME);
  }

  /** Writes the whole header; {@code syndrome} 0..255, the low 24 bits of {@code msn}. */
  public static void put(ByteBuffer b, int at, int syndrome, int msn) {
    BigEndian.put32(b, at + SYNDROME, syndrome << 24 | msn & 0xFF_FFFF);
  }

  /** The syndrome of an ACK that grants credits; {@code creditCode} 0..31. */
  public static int ack(int creditCode) {
    return creditCode & VALUE_MASK;
  }

  /** The syndrome of an RNR NAK; {@code timerCode} 0..31 ({@code min_rnr_timer}). */
  public static int rnrNak(int timerCode) {
    return RNR_TYPE | timerCode & VALUE_MASK;
  }

  /** Positive acknowledgement of every request up to the packet's PSN. */
  public static boolean isAck(int syndrome) {
    return (syndrome & TYPE_MASK) == 0;
  }

  /**
   * "Receiver not ready": no receive request was posted; the request is sent again after {@link
   * #rnrDelayNs}.
   */
  public static boolean isRnrNak(int syndrome) {
    return (syndrome & TYPE_MASK) == RNR_TYPE;
  }

  /**
   * Negative acknowledgement for one of the {@code NAK_} codes, or for a code of no meaning
   * (5..31).
   */
  public static boolean isNak(int syndrome) {
    return (syndrome & TYPE_MASK) == NAK_TYPE;
  }

  /** Reserved in the specification; a requester drops the packet. */
  public static boolean isReserved(int syndrome) {
    return !isAck(syndrome) && !isRnrNak(syndrome) && !isNak(syndrome);
  }

  /** The low five bits: credit code, timer code or NAK code by type. */
  public static int value(int syndrome) {
    return syndrome & VALUE_MASK;
  }

  /** How long an RNR NAK with this timer code asks to wait at least, in nanoseconds. */
  public static long rnrDelayNs(int timerCode) {
    return (long) RNR_DELAY[timerCode & VALUE_MASK] * RNR_UNIT_NS;
  }

  /** Credits that a credit code grants; {@link #UNLIMITED} for code 31. */
  public static int credits(int creditCode) {
    int code = creditCode & VALUE_MASK;
    return code == UNLIMITED_CODE ? UNLIMITED : CREDITS[code];
  }

  /** The code 0..30 that grants as many of {@code credits} (0 or more) as a code can express. */
  public static int creditCode(int credits) {
    int code = CREDITS.length - 1;
    while (code > 0 && CREDITS[code] > credits) {
      code--;
    }
    return code;
  }
}
