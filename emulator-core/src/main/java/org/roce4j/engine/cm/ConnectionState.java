package org.roce4j.engine.cm;

/**
 * The state of an end of a connection ({@code enum ib_cm_state}), and the meaning of its deadline.
 */
public enum ConnectionState {
  /** The connection has not begun, or is over without a trace. */
  IDLE(Expiry.NONE),
  /** The active end waits for an answer to its REQ. */
  REQ_SENT(Expiry.RETRANSMIT),
  /** The peer has REQ and needs more time. */
  MRA_REQ_RCVD(Expiry.RETRANSMIT),
  /** The active end has REP and waits for its program. */
  REP_RCVD(Expiry.NONE),
  /** The passive end has REQ and waits for its program. */
  REQ_RCVD(Expiry.NONE),
  /** The passive end waits for RTU. */
  REP_SENT(Expiry.RETRANSMIT),
  /** The peer has REP and needs more time. */
  MRA_REP_RCVD(Expiry.RETRANSMIT),
  ESTABLISHED(Expiry.NONE),
  /** This end has sent DREQ and waits for DREP. */
  DREQ_SENT(Expiry.RETRANSMIT),
  /** The peer has sent DREQ, which the program must confirm. */
  DREQ_RCVD(Expiry.NONE),
  /** Packets may still be in flight, so the queue pair's number must not be used again yet. */
  TIMEWAIT(Expiry.FORGET);

  /** The action at the deadline. */
  enum Expiry {
    /** There is no deadline. */
    NONE,
    /** The last message is retransmitted, or the peer is given up. */
    RETRANSMIT,
    /** The end is removed. */
    FORGET
  }

  private final Expiry expiry;

  ConnectionState(Expiry expiry) {
    this.expiry = expiry;
  }

  Expiry expiry() {
    return expiry;
  }

  /** Whether the peer owes an answer to the first message of this end. */
  boolean awaitsReply() {
    return this == REQ_SENT || this == MRA_REQ_RCVD;
  }

  /** Whether the peer owes RTU. */
  boolean awaitsReadyToUse() {
    return this == REP_SENT || this == MRA_REP_RCVD;
  }
}
