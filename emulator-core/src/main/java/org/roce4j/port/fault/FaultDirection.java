package org.roce4j.port.fault;

/** The direction of a datagram, seen from the port. */
public enum FaultDirection {
  /** Sent by this end. */
  OUT,
  /** Received by this end. */
  IN
}
