package org.roce4j.engine.datagram;

/** What the port found out about the invariant CRC of a received datagram. */
public enum IcrcVerdict {
  /** All 32 bits agree. */
  RIGHT,
  /** The unseen IPv4 identification was solved for: 16 of the 32 bits were checked. */
  SOLVED,
  /** Not checked, by configuration (both ends are emulators). */
  UNCHECKED,
  /** Wrong: to be counted and dropped. */
  WRONG;

  /** Whether the datagram may be looked at. */
  public boolean acceptable() {
    return this != WRONG;
  }
}
