package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.wire.Aeth;

/**
 * Which ACK or NAK is due. Decided while requests are handled, written when the batch is over, so
 * that a received batch costs one acknowledgement. All answers with data go out before it.
 */
final class Acknowledger {
  /** Acknowledgements that one packet may stand for when nothing hurries it. */
  private static final int MOST_DEFERRED = 8;

  /**
   * What may be due, in the order of sending. A NAK acknowledges every PSN before its own, so only
   * the first kind that is due is sent.
   */
  private enum Kind {
    /** The NAK of a request that fails the queue pair. */
    FATAL(null),
    /** RNR NAK: there was no receive request. */
    RNR(Counter.SENT_RNR),
    /** A packet from beyond the expected PSN was dropped. */
    SEQUENCE_NAK(Counter.SENT_SEQUENCE_NAK),
    /** A request that asks for it was executed. */
    ACK(Counter.SENT_ACKS),
    /** A duplicate came: its requester lacks an ACK that was sent. */
    ACK_AGAIN(Counter.SENT_ACKS);

    private static final Kind[] IN_ORDER = values();

    private final Counter counter;

    Kind(Counter counter) {
      this.counter = counter;
    }

    int bit() {
      return 1 << ordinal();
    }
  }

  /** What the requester was told of an expected PSN that has not come yet. */
  private enum Told {
    NOTHING,
    /** A sequence NAK was sent, or is due: one per gap. */
    SEQUENCE_NAK,
    /** An RNR NAK: until the expected PSN has come, no sequence NAK (R4). */
    NOT_READY
  }

  /** PSN, MSN and syndrome of what is due. */
  private static final class Pending {
    private long psn;
    private int msn;
    private int syndrome;
  }

  private final AnswerWriter writer;
  private final Counters counters;
  private final Pending[] pending = new Pending[Kind.IN_ORDER.length];

  /** Which of {@link #pending} are due, as bits of {@link Kind}. */
  private int due;

  /** RNR timer code told to the peer, 0..31. */
  private int minRnrTimer;

  /** Requests that the ACK which is due stands for, beside the last one. */
  private int deferred;

  private Told told = Told.NOTHING;

  /** The highest PSN that was dropped since a sequence NAK became due. */
  private long furthestDropped;

  Acknowledger(ReceiveSide side, AnswerWriter writer) {
    this.writer = writer;
    counters = side.counters();
    for (int i = 0; i < pending.length; i++) {
      pending[i] = new Pending();
    }
  }

  /** See {@link org.roce4j.engine.queue.Touchable}. */
  long touch() {
    return due + pending[Kind.ACK.ordinal()].psn;
  }

  void minRnrTimer(int code) {
    minRnrTimer = code;
  }

  void clear() {
    due = 0;
    told = Told.NOTHING;
  }

  /** A request that asks for it was executed. */
  void acknowledge(long psn, int msn) {
    if (isDue(Kind.ACK)) {
      counters.increment(Counter.ACK_DEFERRED);
      deferred++;
    } else {
      deferred = 0;
    }
    become(Kind.ACK, psn, msn, Aeth.ACK);
  }

  /** A duplicate came: acknowledge up to where that is safe (R1). */
  void acknowledgeAgain(long psn, int msn) {
    become(Kind.ACK_AGAIN, psn, msn, Aeth.ACK);
  }

  /** A packet from beyond the expected PSN was dropped. */
  void outOfSequence(long psn) {
    if (told == Told.NOT_READY) {
      return;
    }
    furthestDropped = isDue(Kind.SEQUENCE_NAK) ? Math.max(furthestDropped, psn) : psn;
    if (told == Told.NOTHING) {
      told = Told.SEQUENCE_NAK;
      due |= Kind.SEQUENCE_NAK.bit();
    }
  }

  /** The expected PSN came; {@code expected} is the next. */
  void inSequence(long expected) {
    cancel(Kind.RNR);
    if (expected > furthestDropped) {
      cancel(Kind.SEQUENCE_NAK); // all that was dropped as early came again meanwhile
    }
    told = isDue(Kind.SEQUENCE_NAK) ? Told.SEQUENCE_NAK : Told.NOTHING;
  }

  void receiverNotReady(long psn, int msn) {
    become(Kind.RNR, psn, msn, Aeth.rnrNak(minRnrTimer));
    cancel(Kind.SEQUENCE_NAK);
    told = Told.NOT_READY;
  }

  void fatal(long psn, int syndrome, int msn) {
    become(Kind.FATAL, psn, msn, syndrome);
  }

  private void become(Kind kind, long psn, int msn, int syndrome) {
    Pending one = pending[kind.ordinal()];
    one.psn = psn;
    one.msn = msn;
    one.syndrome = syndrome;
    due |= kind.bit();
  }

  private void cancel(Kind kind) {
    due &= ~kind.bit();
  }

  private boolean isDue(Kind kind) {
    return (due & kind.bit()) != 0;
  }

  boolean pending() {
    return due != 0;
  }

  /** Whether the ACK that is due stands for few requests. */
  boolean canWait() {
    return deferred < MOST_DEFERRED;
  }

  /** Whether all that is due is an ACK. */
  boolean onlyAcknowledges() {
    return due == Kind.ACK.bit();
  }

  /** An answer up to this PSN went out; it acknowledges everything before it. */
  void answered(long psn) {
    if (isDue(Kind.ACK) && pending[Kind.ACK.ordinal()].psn <= psn) {
      cancel(Kind.ACK);
    }
  }

  /**
   * Writes the first of what is due, which stands for all of it; false: it does not fit.
   *
   * @param expected the expected PSN, which a sequence NAK names
   * @param msn that goes with it
   */
  boolean transmit(Transmit out, long expected, int msn) {
    if (due == 0) {
      return true;
    }
    Kind kind = Kind.IN_ORDER[Integer.numberOfTrailingZeros(due)];
    if (kind == Kind.SEQUENCE_NAK) {
      become(kind, expected, msn, Aeth.NAK_SEQUENCE);
    }
    Pending first = pending[kind.ordinal()];
    if (!writer.acknowledge(out, first.psn, first.syndrome, first.msn)) {
      return false;
    }
    if (kind == Kind.FATAL) {
      clear();
      return true;
    }
    counters.increment(kind.counter);
    due = 0;
    return true;
  }
}
