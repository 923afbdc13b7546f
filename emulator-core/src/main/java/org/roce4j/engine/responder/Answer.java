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

  private enum State {
    /** Sent for the first time: it may not be replaced. */
    NEW,
    /** Sent. */
    KEPT,
    /** Sent once more, for a duplicate. */
    REPLAYED
  }

  /** The memory that a READ returns. */
  final RemoteRange range;

  /** What the packets carry. */
  Kind kind = Kind.EMPTY;

  /** The PSN of the request and of the first packet of the answer. */
  long firstPsn;

  /** PSNs that the request takes; 0: the entry is unused. */
  int packets;

  /** The MSN when the request was executed. */
  int msn;

  /** The value before an atomic operation. */
  long original;

  /** Whether packets {@code [next, end)} are to be sent now, and whether for the first time. */
  private State state = State.KEPT;

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
    state = State.NEW;
    send(0, packets, bytes);
  }

  /** Sends packets {@code [from, to)} again, with data up to {@code endByte} of the range. */
  void replay(int from, int to, long endByte) {
    if (state == State.KEPT) {
      state = State.REPLAYED;
    }
    send(from, to, endByte);
  }

  private void send(int from, int to, long endByte) {
    start = from;
    next = from;
    end = to;
    this.endByte = endByte;
  }

  /** Packets up to {@link #end} were sent, or are no longer to be sent. */
  void sent() {
    state = State.KEPT;
  }

  /** Whether all its packets were sent at least once. */
  boolean answered() {
    return state != State.NEW;
  }

  /** Whether packets {@code [next, end)} are to be sent now. */
  boolean pending() {
    return state != State.KEPT;
  }

  boolean covers(long psn) {
    return psn >= firstPsn && psn < firstPsn + packets;
  }

  void forget() {
    firstPsn = 0;
    packets = 0;
    state = State.KEPT;
  }
}
