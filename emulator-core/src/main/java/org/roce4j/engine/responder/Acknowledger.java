package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.wire.Aeth;

/**
 * Decides which ACK or NAK to send. Requests make it due; it is written after the batch of received
 * packets, so a batch costs one acknowledgement. All answers with data go out before it.
 */
final class Acknowledger {
  /**
   * An ACK that stands for this number of requests besides its own is sent without further delay.
   */
  private static final int MOST_DEFERRED = 8;

  /**
   * The kinds of acknowledgement, in the order of sending. A NAK acknowledges every PSN before its
   * own, so only the first kind that is due is sent.
   */
  private enum Kind {
    /** The NAK for a request that fails the queue pair. */
    FATAL(null),
    /** RNR NAK: no receive request was posted. */
    RNR(Counter.SENT_RNR),
    /** A packet beyond the expected PSN was dropped. */
    SEQUENCE_NAK(Counter.SENT_SEQUENCE_NAK),
    /** A request that asks for an acknowledgement was executed. */
    ACK(Counter.SENT_ACKS),
    /** A duplicate arrived, so its requester lacks an ACK that was sent. */
    ACK_AGAIN(Counter.SENT_ACKS);

    private static final Kind[] IN_ORDER = values();

    /** What counts it when it is sent. */
    private final Counter counter;

    Kind(Counter counter) {
      this.counter = counter;
    }

    int bit() {
      return 1 << ordinal();
    }
  }

  /** The NAK that the requester has received while the expected PSN is missing. */
  private enum Told {
    NOTHING,
    /** A sequence NAK was sent or is due; one per gap. */
    SEQUENCE_NAK,
    /** An RNR NAK: no sequence NAK until the expected PSN arrives (R4). */
    NOT_READY
  }

  /** The fields of an acknowledgement that is due. */
  private static final class Pending {
    /** The PSN of its BTH. */
    private long psn;

    /** The MSN of its AETH: the number of requests executed, modulo 2^24. */
    private int msn;

    /** The syndrome of its AETH. */
    private int syndrome;
  }

  private final AnswerWriter writer;
  private final Counters counters;

  /** An acknowledgement of each kind; those of {@link #due} are valid. */
  private final Pending[] pending = new Pending[Kind.IN_ORDER.length];

  /** The kinds that are due, as bits of {@link Kind}. */
  private int due;

  /** RNR timer code for RNR NAKs, 0..31. */
  private int minRnrTimer;

  /** Requests that the due ACK stands for, not counting the last one. */
  private int deferred;

  /** See {@link Told}; {@code NOTHING} unless there is a gap. */
  private Told told = Told.NOTHING;

  /** The highest PSN dropped since a sequence NAK became due. */
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

  /** A request that asks for an acknowledgement was executed. */
  void acknowledge(long psn, int msn) {
    if (isDue(Kind.ACK)) {
      counters.increment(Counter.ACK_DEFERRED);
      deferred++;
    } else {
      deferred = 0;
    }
    become(Kind.ACK, psn, msn, Aeth.ACK);
  }

  /** A duplicate arrived: acknowledges again, up to the PSN that is safe (R1). */
  void acknowledgeAgain(long psn, int msn) {
    become(Kind.ACK_AGAIN, psn, msn, Aeth.ACK);
  }

  /** A packet beyond the expected PSN was dropped. */
  void outOfSequence(long psn) {
    furthestDropped = isDue(Kind.SEQUENCE_NAK) ? Math.max(furthestDropped, psn) : psn;
    if (told == Told.NOTHING) {
      told = Told.SEQUENCE_NAK;
      due |= Kind.SEQUENCE_NAK.bit();
    }
  }

  /** The expected PSN arrived; {@code expected} is the next one. */
  void inSequence(long expected) {
    cancel(Kind.RNR);
    if (expected > furthestDropped) {
      cancel(Kind.SEQUENCE_NAK); // every dropped packet has arrived again
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

  /** Whether the due ACK may wait for further requests. */
  boolean canWait() {
    return deferred < MOST_DEFERRED;
  }

  /** Whether an ACK is due and nothing else. */
  boolean onlyAcknowledges() {
    return due == Kind.ACK.bit();
  }

  /** An answer with data up to {@code psn} was sent. It acknowledges every PSN before it. */
  void answered(long psn) {
    if (pending[Kind.ACK.ordinal()].psn <= psn) {
      cancel(Kind.ACK);
    }
  }

  /**
   * Writes the first kind that is due, which stands for all others; false if it does not fit.
   *
   * @param expected the expected PSN, which a sequence NAK names
   * @param msn the MSN of a sequence NAK
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
