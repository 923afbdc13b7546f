package org.roce4j.engine.cm;

import org.roce4j.wire.mad.AddressHeader;

/**
 * What a listener says to requests. Called inside a turn of the engine: it takes note and calls
 * nothing of the connection manager but to set the connection's user.
 */
public interface Service {
  /** What becomes of a request. */
  enum Verdict {
    /** The program will answer it. */
    TAKEN,
    /** The backlog is full: nothing is sent, the peer asks again. */
    FULL,
    /** The listener is for another type of queue pair: the request is rejected. */
    UNFIT
  }

  /** Whether requests to this address are for the listener. */
  boolean hears(AddressHeader addresses);

  Verdict requested(CmConnection connection, AddressHeader addresses);

  /** A peer asks for a datagram service. */
  Verdict asked(ServiceRequest request, AddressHeader addresses);
}
