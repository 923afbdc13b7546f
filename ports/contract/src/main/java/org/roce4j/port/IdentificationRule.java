package org.roce4j.port;

/** The IPv4 identification of the datagrams that a port sends, which the ICRC covers. */
public enum IdentificationRule {
  /** Always 0 (don't-fragment, unconnected socket, no trains). */
  ZERO,
  /** Segment k of a train has identification k. */
  TRAIN_INDEX,
  /** The port writes the IP header itself and chooses. */
  EXACT,
  /** Unpredictable: this port can talk only over IPv6, or to peers that do not check the ICRC. */
  NONE
}
