package org.roce4j.port;

/** Which IPv4 identification the datagrams that a port sends bear; the ICRC covers it. */
public enum IdentificationRule {
  /** Always 0 (don't-fragment, unconnected socket, no trains). */
  ZERO,
  /** Segment k of a train bears k. */
  TRAIN_INDEX,
  /** The port writes the IP header itself and chooses. */
  EXACT,
  /** Unpredictable: only IPv6, or peers that do not check, understand this port. */
  NONE
}
