package org.roce4j.wire;

/** The transport service of an opcode, its bits 7..5. */
public enum Transport {
  RC(0),
  UC(1),
  RD(2),
  UD(3),
  CNP(4),
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
