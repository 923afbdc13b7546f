package org.roce4j.engine.requester;

/** Why a queue pair stopped adding packets to a train. */
public enum TransmitOutcome {
  /** Nothing to send until something happens. */
  IDLE,
  /** The next packet does not fit this train; ask again with a new one. */
  FULL,
  /** The path's window is used up; ask again when it has room. */
  BLOCKED
}
