package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.wire.Aeth;

/** How a reliable responder refuses a request (rc-transport 4, the table of checks). */
enum Refusal {
  /** Not at all. */
  NONE,
  /** An operation that is none of a request's: dropped. */
  UNKNOWN,
  /** No receive request: RNR NAK, and the queue pair goes on. */
  NOT_READY,
  /** An opcode out of sequence: the network or a device went wrong. */
  OUT_OF_SEQUENCE(
      Counter.RESPONDER_INVALID_REQUEST,
      Aeth.NAK_INVALID_REQUEST,
      WcStatus.REM_INV_REQ_ERR,
      EventType.QP_REQ_ERR),
  /** Length, alignment, or more READs and atomics than were agreed upon: a program's mistake. */
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
  /** A right of the queue pair is missing (R9), or key, range or right of the memory. */
  ACCESS_ERROR(
      Counter.RESPONDER_ACCESS_ERROR,
      Aeth.NAK_REMOTE_ACCESS,
      WcStatus.REM_ACCESS_ERR,
      EventType.QP_ACCESS_ERR),
  /** A local key of the receive request is bad. */
  LOCAL_PROTECTION(
      Counter.RESPONDER_PROTECTION_ERROR, Aeth.NAK_REMOTE_OPERATIONAL, WcStatus.LOC_PROT_ERR, null),
  /**
   * An XRC request names a shared receive queue that its target's domain does not have. The event
   * is that of adapters' drivers for an invalid XRCETH and for an XRC domain violation.
   */
  NO_RECEIVER(
      Counter.RESPONDER_INVALID_REQUEST,
      Aeth.NAK_INVALID_REQUEST,
      WcStatus.REM_INV_REQ_ERR,
      EventType.QP_ACCESS_ERR),
  /** An XRC request names a shared receive queue that has failed. */
  RECEIVER_FAILED(
      Counter.RESPONDER_INVALID_REQUEST, Aeth.NAK_REMOTE_OPERATIONAL, WcStatus.REM_OP_ERR, null),
  /** The key that a SEND with invalidate names cannot be invalidated: no answer is defined. */
  NOT_INVALIDATED(
      Counter.RESPONDER_ACCESS_ERROR,
      Refusal.NO_SYNDROME,
      WcStatus.REM_INV_REQ_ERR,
      EventType.QP_ACCESS_ERR);

  private static final int NO_SYNDROME = -1;

  private final Counter counter;
  private final int syndrome;
  private final WcStatus receiveStatus;
  private final EventType event;

  /** The queue pair does not fail. */
  Refusal() {
    this(null, NO_SYNDROME, null, null);
  }

  Refusal(Counter counter, int syndrome, WcStatus receiveStatus, EventType event) {
    this.counter = counter;
    this.syndrome = syndrome;
    this.receiveStatus = receiveStatus;
    this.event = event;
  }

  /** What counts requests refused so. */
  Counter counter() {
    return counter;
  }

  /** Whether the requester is told nothing, though the queue pair fails. */
  boolean silent() {
    return syndrome == NO_SYNDROME;
  }

  /** Of the NAK. */
  int syndrome() {
    return syndrome;
  }

  /** With which the receive request completes that the message holds, if there is one. */
  WcStatus receiveStatus() {
    return receiveStatus;
  }

  /** The queue pair's asynchronous event, or null. */
  EventType event() {
    return event;
  }
}
