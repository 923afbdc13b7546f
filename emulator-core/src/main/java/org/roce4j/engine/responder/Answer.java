package org.roce4j.engine.responder;

import org.roce4j.engine.memory.RemoteRange;

/**
 * The answer to a READ, an atomic, a FLUSH or an ATOMIC_WRITE, kept to answer a duplicate of the
 * request. Its range is the original one for the life of the entry, even if a duplicate requests
 * only a part (R7).
 */
final class Answer {
  /** What an answer carries. */
  enum Kind {
    /** The data of the range, in one packet or more. */
    READ,
    /** The value before the operation, in one packet. */
    ATOMIC,
    /** Nothing: the empty READ response to a FLUSH or an ATOMIC_WRITE. */
    EMPTY
  }

  /** The memory that a READ returns. */
  final RemoteRange range;

  /** What the packets carry. */
  Kind kind = Kind.EMPTY;

  /** The PSN of the request and of the first packet of the answer; -1: unused. */
  long firstPsn = -1;

  /** PSNs that the request takes. */
  int packets;

  /** The MSN when the request was executed. */
  int msn;

  /** The value before an atomic operation. */
  long original;

  /** Whether all its packets were sent at least once. */
  boolean answered = true;

  /** Whether packets {@code [next, end)} are to be sent now. */
  boolean pending;

  /** The first packet of the part that is being sent; its opcode is FIRST or ONLY. */
  int start;

  /** The next packet to send, counted from that of {@link #firstPsn}. */
  int next;

  /** The end of the part that is being sent, exclusive. */
  int end;

  /** The end of that part in the range, bytes, exclusive. */
  long endByte;

  Answer(RemoteRange range) {
    this.range = range;
  }

  void begin(Kind kind, long psn, int packets, int msn, long bytes) {
    this.kind = kind;
    this.firstPsn = psn;
    this.packets = packets;
    this.msn = msn;
    answered = false;
    sendAgain(0, packets, bytes);
  }

  /** Sends packets {@code [from, to)}, with data up to {@code endByte} of the range. */
  void sendAgain(int from, int to, long endByte) {
    start = from;
    next = from;
    end = to;
    this.endByte = endByte;
    pending = true;
  }

  boolean covers(long psn) {
    return firstPsn >= 0 && psn >= firstPsn && psn < firstPsn + packets;
  }

  void forget() {
    firstPsn = -1;
    answered = true;
    pending = false;
  }
}
