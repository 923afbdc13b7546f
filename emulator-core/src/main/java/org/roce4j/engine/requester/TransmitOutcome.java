package org.roce4j.engine.requester;

/** The result of a queue pair's turn to add packets to a train. */
public enum TransmitOutcome {
  /** A packet was added; more may follow. */
  SENT,
  /** Nothing can be sent until an event. */
  IDLE,
  /** The next packet does not fit this train; try again with a new one. */
  FULL,
  /** The path's window is full; try again when it has room. */
  BLOCKED
}
