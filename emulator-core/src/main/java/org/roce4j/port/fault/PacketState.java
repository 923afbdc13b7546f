package org.roce4j.port.fault;

/** What the PSN of a datagram says beside those that went before it. */
public enum PacketState {
  /** It goes beyond all that went to the same queue pair the same way. */
  NEW,
  /** It does not: a retransmission, a duplicate, or one that was overtaken. */
  REPEATED
}
