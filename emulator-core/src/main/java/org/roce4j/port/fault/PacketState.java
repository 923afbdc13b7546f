package org.roce4j.port.fault;

/** The PSN of a datagram compared with those before it. */
public enum PacketState {
  /** The PSN is higher than all before it to the same queue pair in the same direction. */
  NEW,
  /** A PSN that is not: the datagram is a retransmission or a duplicate, or was overtaken. */
  REPEATED
}
