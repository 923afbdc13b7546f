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

  final RemoteRange range;
  Kind kind = Kind.EMPTY;
  long firstPsn = -1;
  int packets;
  int msn;
  long original;

  /** Whether all its packets were sent at least once. */
  boolean answered = true;

  /** Whether packets {@code [next, end)} are to be sent now. */
  boolean pending;

  int start;
  int next;
  int end;
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
