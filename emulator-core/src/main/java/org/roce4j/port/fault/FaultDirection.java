package org.roce4j.port.fault;

/** Which way a datagram goes, seen from the port. */
public enum FaultDirection {
  /** Sent by this end. */
  OUT,
  /** Received by this end. */
  IN
}
