package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * Size arithmetic of a packet to be sent, and its finishing: headers are written with the {@code
 * put} of each header class at the offsets of its {@link Opcode}, the payload at {@link
 * #payloadAt}; {@link #zeroPad} then clears the pad. The four ICRC bytes are left to the port,
 * which alone knows the IP header.
 */
public final class OutboundPacket {
  /** The largest header there is: XRC BTH with XRCETH and AtomicETH. */
  public static final int MAX_HEADER = Bth.SIZE + XrcEth.SIZE + AtomicEth.SIZE;

  /**
   * The greatest size of a packet beyond its payload: headers and ICRC (a full payload has no pad).
   */
  public static final int MAX_OVERHEAD = MAX_HEADER + Icrc.SIZE;

  /** The largest legal packet in bytes of UDP payload. */
  public static final int MAX_SIZE = 4096 + MAX_OVERHEAD;

  private OutboundPacket() {}

  /** Pad bytes that fill up a payload to a multiple of 4: 0..3. */
  public static int pad(int payload) {
    return -payload & 3;
  }

  /** Bytes from the BTH to the end of the ICRC; always a multiple of 4. */
  public static int size(Opcode op, int payload) {
    return op.headerLength() + payload + pad(payload) + Icrc.SIZE;
  }

  /** Index of the payload of a packet whose BTH is at {@code at}. */
  public static int payloadAt(Opcode op, int at) {
    return at + op.headerLength();
  }

  /** Index of the ICRC of a packet whose BTH is at {@code at}. */
  public static int icrcAt(Opcode op, int at, int payload) {
    return at + size(op, payload) - Icrc.SIZE;
  }

  /** Clears the pad bytes of a packet whose BTH is at {@code at}. */
  public static void zeroPad(ByteBuffer b, int at, Opcode op, int payload) {
    int end = icrcAt(op, at, payload);
    for (int i = end - pad(payload); i < end; i++) {
      b.put(i, (byte) 0);
    }
  }
}
