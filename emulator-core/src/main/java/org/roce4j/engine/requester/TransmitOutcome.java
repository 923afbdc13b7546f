package org.roce4j.engine.requester;

/** What became of a queue pair's turn to add packets to a train. */
public enum TransmitOutcome {
  /** A packet was added; there may be more. */
  SENT,
  /** Nothing to send until something happens. */
  IDLE,
  /** The next packet does not fit this train; ask again with a new one. */
  FULL,
  /** The path's window is used up; ask again when it has room. */
  BLOCKED
}
