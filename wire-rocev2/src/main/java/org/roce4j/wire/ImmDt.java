package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * Immediate data.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                        Immediate Data                         |
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * Opaque to the transport. Here it is the number whose network order is on the wire, that is {@code
 * ntohl(wr.imm_data)} of a C program.
 *
 * <p>Stateless; accessors are big endian whatever the order of the buffer.
 */
public final class ImmDt {
  static final int IMMEDIATE = 0;

  /** Bytes of the header. */
  public static final int SIZE = IMMEDIATE + 4;

  private ImmDt() {}

  /**
   * The four bytes as a big-endian number ({@code imm_data} of the receiver's completion after
   * {@code ntohl}).
   */
  public static int immediate(ByteBuffer b, int at) {
    return BigEndian.get32(b, at + IMMEDIATE);
  }

  /** Writes the whole header. */
  public static void put(ByteBuffer b, int at, int immediate) {
    BigEndian.put32(b, at + IMMEDIATE, immediate);
  }
}
