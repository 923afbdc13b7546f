package org.roce4j.engine.cm;

/** Where an end of a connection stands ({@code enum ib_cm_state}), and what its deadline means. */
public enum ConnectionState {
  /** Not begun, or over: nothing of it is left. */
  IDLE(Expiry.NONE),
  /** The active end waits for an answer to its REQ. */
  REQ_SENT(Expiry.RETRANSMIT),
  /** The peer has REQ and takes its time. */
  MRA_REQ_RCVD(Expiry.RETRANSMIT),
  /** The active end has REP; its program has to go on. */
  REP_RCVD(Expiry.NONE),
  /** The passive end has REQ; its program has to answer. */
  REQ_RCVD(Expiry.NONE),
  /** The passive end waits for RTU. */
  REP_SENT(Expiry.RETRANSMIT),
  /** The peer has REP and takes its time. */
  MRA_REP_RCVD(Expiry.RETRANSMIT),
  ESTABLISHED(Expiry.NONE),
  /** This end takes the connection down. */
  DREQ_SENT(Expiry.RETRANSMIT),
  /** The peer takes the connection down; the program has to confirm. */
  DREQ_RCVD(Expiry.NONE),
  /** Packets may still be under way: the queue pair's number must not come again yet. */
  TIMEWAIT(Expiry.FORGET);

  /** What is done when the deadline comes. */
  enum Expiry {
    /** There is none. */
    NONE,
    /** The last message is sent again, or the peer given up. */
    RETRANSMIT,
    /** The end is forgotten. */
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
