package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.wire.Aeth;

/**
 * Which ACK or NAK is due. Decided while requests are handled, written when the batch is over, so
 * that a received batch costs one acknowledgement. All answers with data go out before it.
 */
final class Acknowledger extends AnswerWriter {
  /** Acknowledgements that one packet may stand for when nothing hurries it. */
  private static final int MOST_DEFERRED = 8;

  private int minRnrTimer;

  private boolean ackDue;

  /** Requests that the ACK which is due stands for, but for one. */
  private int deferred;

  private long ackPsn;
  private int ackMsn;

  private boolean againDue;
  private long againPsn;
  private int againMsn;

  /** A sequence NAK was sent (or is due) and no expected PSN has come since: one per gap. */
  private boolean sequenceNakSent;

  private boolean sequenceNakDue;
  private long furthestDropped;

  private boolean rnrSent;
  private boolean rnrDue;
  private long rnrPsn;
  private int rnrMsn;

  private boolean fatalDue;
  private long fatalPsn;
  private int fatalMsn;
  private int fatalSyndrome;

  Acknowledger(ReceiveSide side) {
    super(side);
  }

  /** A number without meaning, from the first and the last of its fields. */
  long readAhead() {
    return ackPsn + fatalPsn;
  }

  void minRnrTimer(int code) {
    minRnrTimer = code;
  }

  void clear() {
    ackDue = false;
    againDue = false;
    sequenceNakSent = false;
    sequenceNakDue = false;
    rnrSent = false;
    rnrDue = false;
    fatalDue = false;
  }

  /** A request that asks for it was executed. */
  void acknowledge(long psn, int msn) {
    if (ackDue) {
      counters.increment(Counter.ACK_DEFERRED);
      deferred++;
    } else {
      deferred = 0;
    }
    ackDue = true;
    ackPsn = psn;
    ackMsn = msn;
  }

  /** A duplicate came: acknowledge up to where that is safe (R1). */
  void acknowledgeAgain(long psn, int msn) {
    againDue = true;
    againPsn = psn;
    againMsn = msn;
  }

  /** A packet from beyond the expected PSN was dropped. */
  void outOfSequence(long psn, long expected) {
    if (rnrSent) {
      return; // R4: until the expected PSN has come, no sequence NAK
    }
    furthestDropped = sequenceNakDue ? Math.max(furthestDropped, psn) : psn;
    if (!sequenceNakSent) {
      sequenceNakSent = true;
      sequenceNakDue = true;
    }
  }

  /** The expected PSN came; {@code expected} is the next. */
  void inSequence(long expected) {
    sequenceNakSent = sequenceNakDue;
    rnrSent = false;
    rnrDue = false;
    if (sequenceNakDue && expected > furthestDropped) {
      // All that was dropped as early came again meanwhile.
      sequenceNakDue = false;
      sequenceNakSent = false;
    }
  }

  void receiverNotReady(long psn, int msn) {
    rnrSent = true;
    rnrDue = true;
    rnrPsn = psn;
    rnrMsn = msn;
    sequenceNakDue = false;
    sequenceNakSent = false;
  }

  void fatal(long psn, int syndrome, int msn) {
    fatalDue = true;
    fatalPsn = psn;
    fatalSyndrome = syndrome;
    fatalMsn = msn;
  }

  boolean fatalPending() {
    return fatalDue;
  }

  boolean pending() {
    return ackDue || againDue || sequenceNakDue || rnrDue || fatalDue;
  }

  /** Whether the ACK that is due stands for few requests. */
  boolean canWait() {
    return deferred < MOST_DEFERRED;
  }

  /** Whether all that is due is an ACK. */
  boolean onlyAcknowledges() {
    return ackDue && !againDue && !sequenceNakDue && !rnrDue && !fatalDue;
  }

  /** An answer up to this PSN went out; it acknowledges everything before it. */
  void answered(long psn) {
    if (ackDue && ackPsn <= psn) {
      ackDue = false;
    }
  }

  /**
   * Writes what is due, one packet; false: it does not fit. A NAK acknowledges what is before it.
   */
  boolean transmit(Transmit out, long expected, int msn) {
    if (fatalDue) {
      if (!acknowledge(out, fatalPsn, fatalSyndrome, fatalMsn)) {
        return false;
      }
      clear();
      return true;
    }
    if (rnrDue) {
      if (!acknowledge(out, rnrPsn, Aeth.rnrNak(minRnrTimer), rnrMsn)) {
        return false;
      }
      counters.increment(Counter.SENT_RNR);
      rnrDue = false;
      ackDue = false;
      againDue = false;
    } else if (sequenceNakDue) {
      if (!acknowledge(out, expected, Aeth.NAK_SEQUENCE, msn)) {
        return false;
      }
      counters.increment(Counter.SENT_SEQUENCE_NAK);
      sequenceNakDue = false;
      ackDue = false;
      againDue = false;
    } else if (ackDue) {
      if (!acknowledge(out, ackPsn, Aeth.ACK, ackMsn)) {
        return false;
      }
      counters.increment(Counter.SENT_ACKS);
      ackDue = false;
      againDue = false;
    } else if (againDue) {
      if (!acknowledge(out, againPsn, Aeth.ACK, againMsn)) {
        return false;
      }
      counters.increment(Counter.SENT_ACKS);
      againDue = false;
    }
    return true;
  }
}
