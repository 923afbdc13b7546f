package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.wire.Aeth;

/**
 * The ways in which a reliable responder refuses a request (rc-transport 4, the table of checks).
 */
enum RequestRefusal {
  /** The request is accepted. */
  NONE,
  /** Not an operation of requests: dropped. */
  UNKNOWN,
  /** No receive request is posted: RNR NAK; the queue pair goes on. */
  NOT_READY,
  /** An opcode out of sequence: an error of the network or of a device. */
  OUT_OF_SEQUENCE(
      Counter.RESPONDER_INVALID_REQUEST,
      Aeth.NAK_INVALID_REQUEST,
      WcStatus.REM_INV_REQ_ERR,
      EventType.QP_REQ_ERR),
  /**
   * Illegal length or alignment, or more READs and atomics than max_dest_rd_atomic: an error of the
   * peer's program.
   */
  INVALID_REQUEST(
      Counter.RESPONDER_INVALID_REQUEST,
      Aeth.NAK_INVALID_REQUEST,
      WcStatus.REM_INV_REQ_ERR,
      EventType.QP_ACCESS_ERR),
  /** The message is longer than its receive request (R5). */
  TOO_LONG(
      Counter.RESPONDER_LENGTH_ERROR,
      Aeth.NAK_INVALID_REQUEST,
      WcStatus.LOC_LEN_ERR,
      EventType.QP_REQ_ERR),
  /**
   * The queue pair lacks the right (R9), or the memory's key, range or rights do not allow the
   * access.
   */
  ACCESS_ERROR(
      Counter.RESPONDER_ACCESS_ERROR,
      Aeth.NAK_REMOTE_ACCESS,
      WcStatus.REM_ACCESS_ERR,
      EventType.QP_ACCESS_ERR),
  /** A local key of the receive request is not valid for its buffer. */
  LOCAL_PROTECTION(
      Counter.RESPONDER_PROTECTION_ERROR, Aeth.NAK_REMOTE_OPERATIONAL, WcStatus.LOC_PROT_ERR, null),
  /**
   * An XRC request names a shared receive queue outside its target's XRC domain. Drivers of
   * adapters raise this event for an invalid XRCETH and for an XRC domain violation.
   */
  NO_RECEIVER(
      Counter.RESPONDER_INVALID_REQUEST,
      Aeth.NAK_INVALID_REQUEST,
      WcStatus.REM_INV_REQ_ERR,
      EventType.QP_ACCESS_ERR),
  /** An XRC request names a shared receive queue that has failed. */
  RECEIVER_FAILED(
      Counter.RESPONDER_INVALID_REQUEST, Aeth.NAK_REMOTE_OPERATIONAL, WcStatus.REM_OP_ERR, null),
  /**
   * The key of a SEND with invalidate cannot be invalidated. The specification defines no answer.
   */
  NOT_INVALIDATED(
      Counter.RESPONDER_ACCESS_ERROR,
      RequestRefusal.NO_SYNDROME,
      WcStatus.REM_INV_REQ_ERR,
      EventType.QP_ACCESS_ERR);

  private static final int NO_SYNDROME = -1;

  /** What counts it; null: nothing. */
  private final Counter counter;

  /** The syndrome of the NAK; {@link #NO_SYNDROME}: no NAK is sent. */
  private final int syndrome;

  /** The status of the receive request that the message had begun; null: it stays posted. */
  private final WcStatus receiveStatus;

  /** The asynchronous event of the queue pair; null: none. */
  private final EventType event;

  /** A refusal that does not fail the queue pair. */
  RequestRefusal() {
    this(null, NO_SYNDROME, null, null);
  }

  RequestRefusal(Counter counter, int syndrome, WcStatus receiveStatus, EventType event) {
    this.counter = counter;
    this.syndrome = syndrome;
    this.receiveStatus = receiveStatus;
    this.event = event;
  }

  /** The counter of this refusal. */
  Counter counter() {
    return counter;
  }

  /** Whether the queue pair fails without a NAK. */
  boolean silent() {
    return syndrome == NO_SYNDROME;
  }

  /** The syndrome of the NAK. */
  int syndrome() {
    return syndrome;
  }

  /** The status of the receive request that the message holds, if there is one. */
  WcStatus receiveStatus() {
    return receiveStatus;
  }

  /** The queue pair's asynchronous event, or null if there is none. */
  EventType event() {
    return event;
  }
}
