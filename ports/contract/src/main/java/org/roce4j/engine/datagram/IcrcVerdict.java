package org.roce4j.engine.datagram;

/** A port's verdict about the invariant CRC of a received datagram. */
public enum IcrcVerdict {
  /** All 32 bits agree. */
  RIGHT,
  /**
   * The IPv4 identification, which the socket does not show, was computed from it: 16 of the 32
   * bits were checked.
   */
  SOLVED,
  /** Not checked, by configuration (both ends are emulators). */
  UNCHECKED,
  /** Wrong: the datagram is counted and dropped. */
  WRONG;

  /** Whether the datagram may be processed. */
  public boolean acceptable() {
    return this != WRONG;
  }
}
