package org.roce4j.engine.responder;

import org.roce4j.engine.memory.RemoteRange;

/**
 * The answer to a READ, an atomic, a FLUSH or an ATOMIC_WRITE, kept so that a duplicate of the
 * request can be answered again. The original range stays as long as the entry lives, whatever a
 * replay asks for (R7).
 */
final class Answer {
  /** What is answered, and so how. */
  enum Kind {
    /** Data of the range, in one packet or several. */
    READ,
    /** The value before the operation. */
    ATOMIC,
    /** An empty READ response: FLUSH and ATOMIC_WRITE. */
    EMPTY
  }

  final RemoteRange range;
  Kind kind = Kind.EMPTY;
  long firstPsn = -1;
  int packets;
  int msn;
  long original;

  /** Whether its packets were all sent at least once. */
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

  /** Sends packets {@code [from, to)} (again), data up to {@code endByte}. */
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
