package org.roce4j.wire;

/** How many payload bytes an opcode may carry. */
public enum PayloadRule {
  /** FIRST and MIDDLE: exactly the path MTU. */
  FULL,
  /** LAST: 1 .. path MTU. */
  SOME,
  /** ONLY: 0 .. path MTU. */
  ANY,
  /** READ_REQUEST, acknowledgements, atomics, FLUSH, CNP: none. */
  NONE,
  /** ATOMIC_WRITE: exactly 8. */
  EIGHT;

  /** Whether {@code payload} bytes (0 or more) are legal on a path of this MTU (bytes). */
  public boolean legal(int payload, int pathMtu) {
    return switch (this) {
      case FULL -> payload == pathMtu;
      case SOME -> payload >= 1 && payload <= pathMtu;
      case ANY -> payload <= pathMtu;
      case NONE -> payload == 0;
      case EIGHT -> payload == 8;
    };
  }
}
