package org.roce4j.wire;

/** The transport service of an opcode, its bits 7..5. */
public enum Transport {
  /** Reliable connection: acknowledged, in order, exactly once. */
  RC(0),
  /** Unreliable connection: in order, a message with a lost packet is dropped whole. */
  UC(1),
  /**
   * Reliable datagram: in the specification and in no implementation; its opcodes are unknown here.
   */
  RD(2),
  /** Unreliable datagram: one packet a message, to any queue pair; also multicast. */
  UD(3),
  /** No service of its own: the code of congestion notification packets. */
  CNP(4),
  /** Extended reliable connection: RC whose requests name a shared receive queue. */
  XRC(5);

  private final int code;

  Transport(int code) {
    this.code = code;
  }

  /** Bits 7..5 of the opcode as a number, 0..7. */
  public int code() {
    return code;
  }
}
