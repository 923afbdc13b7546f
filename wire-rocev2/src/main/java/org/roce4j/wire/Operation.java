package org.roce4j.wire;

/** What an opcode does, whatever its transport and its place in a message. */
public enum Operation {
  SEND,
  RDMA_WRITE,
  READ_REQUEST,
  READ_RESPONSE,
  ACKNOWLEDGE,
  ATOMIC_ACKNOWLEDGE,
  COMPARE_SWAP,
  FETCH_ADD,
  FLUSH,
  ATOMIC_WRITE,
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
