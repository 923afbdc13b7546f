package org.roce4j.wire;

/** The operation of an opcode, independent of its transport and its place in a message. */
public enum Operation {
  /** A message into the memory of the receive request that it consumes. */
  SEND,
  /** Writes the memory that the RETH names; consumes a receive request only with immediate data. */
  RDMA_WRITE,
  /** Asks for the memory that the RETH names; it takes as many PSNs as its responses. */
  READ_REQUEST,
  /** A part of the data that a READ requests. */
  READ_RESPONSE,
  /** ACK, NAK or RNR NAK, depending on the syndrome of the AETH. */
  ACKNOWLEDGE,
  /** Answers COMPARE_SWAP and FETCH_ADD with the memory before the operation. */
  ATOMIC_ACKNOWLEDGE,
  /** Atomic on eight bytes: stores the swap operand where the memory equals the compare operand. */
  COMPARE_SWAP,
  /** Atomic on eight bytes: adds modulo 2^64. */
  FETCH_ADD,
  /** Memory placement extension: makes earlier writes visible to all, or persistent. */
  FLUSH,
  /** Memory placement extension: writes eight bytes, whole or not at all. */
  ATOMIC_WRITE,
  /** Congestion notification: the receiver of a packet marked by ECN informs its sender. */
  CNP;

  /** Whether a responder sends it: READ_RESPONSE, ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE. */
  public boolean response() {
    return this == READ_RESPONSE || this == ACKNOWLEDGE || this == ATOMIC_ACKNOWLEDGE;
  }

  /** Whether a requester sends it and the transport of the other end executes it. */
  public boolean request() {
    return !response() && this != CNP;
  }
}
