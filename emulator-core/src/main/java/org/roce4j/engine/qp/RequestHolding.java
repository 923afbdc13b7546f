package org.roce4j.engine.qp;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.queue.PublishedState;
import org.roce4j.engine.requester.ReliableRequester;
import org.roce4j.engine.time.Deadlines;

/**
 * The policy of held requests, one per engine. Small requests that are posted one by one would cost
 * a system call each. While packets of their queue pair are unacknowledged the peer has work and an
 * acknowledgement is on its way, so that the next requests may wait for one another and leave in
 * one train: of as many packets as were sent in a row and are unacknowledged, so that trains double
 * until they are full. Each queue pair publishes up to which request; who posts it then does not
 * make the engine run.
 *
 * <p>Every turn lets everything go: that of a poll, of a verb, of a thread that waits, of the
 * request that fills the train. A turn is due when an acknowledgement leaves too little in flight,
 * and at a deadline. Confined to the engine's owner.
 */
public final class RequestHolding {
  /** Unacknowledged packets of a queue pair from which on its requests may wait. */
  static final int LEAST_UNACKED = 4;

  /**
   * Unacknowledged packets from which on a queue pair streams, whatever comes in between. With less
   * it may as well play ping-pong with a peer that lets one acknowledgement stand for nine
   * requests.
   */
  static final int STREAMING = 16;

  /** What a train takes to fill, where a program posts as fast as it can. */
  static final long LEAST_PATIENCE_NS = 20_000;

  /** A path may be long; who posts so slowly that a train takes longer gains nothing by it. */
  static final long MOST_PATIENCE_NS = 60_000;

  /** Of the requests that wait, every fourth looks at the clock; a power of two. */
  private static final int CLOCK_EVERY = 4;

  /** What is known of requests that were posted and not sent on purpose. */
  private enum Held {
    /** There are none. */
    NONE,
    /** They leave at the deadline, if no turn comes before. */
    UNTIL_DEADLINE,
    /** They are to leave at once. */
    NO_LONGER
  }

  /** Requests of a queue pair that may wait; 0: none. */
  private final int most;

  private final Counters counters;

  private Held held = Held.NONE;

  /** When they leave at the latest, unless there are none. */
  private long untilNs = Deadlines.NEVER;

  /** How long requests wait: a round trip on the path that was used last, within bounds. */
  private long patienceNs = LEAST_PATIENCE_NS;

  /**
   * @param most requests of a queue pair that may wait; the next one lets them go
   */
  public RequestHolding(int most, Counters counters) {
    this.most = most;
    this.counters = counters;
  }

  // ---- which requests may wait

  /**
   * A queue pair's requester has had its turn.
   *
   * @param idle whether it has sent all that was posted
   * @param capacity packets of the size that was sent last that a train takes
   */
  void turnTaken(
      PublishedState qp, ReliableRequester requester, boolean idle, int capacity, PathWindow path) {
    long train = most > 0 && idle ? nextTrain(requester, capacity) : 0;
    if (train > 1) {
      qp.publishMayWait(requester.startedRequests() + train);
      patienceNs = path.roundTrip().within(LEAST_PATIENCE_NS, MOST_PATIENCE_NS);
    } else {
      qp.publishMayWait(0);
    }
  }

  /** Requests that the next train is to have. */
  private long nextTrain(ReliableRequester requester, int capacity) {
    long unacked = requester.unackedPackets();
    long packets = unacked >= STREAMING ? unacked : requester.unackedInRow();
    return packets < LEAST_UNACKED
        ? 0
        : Math.min(
            Math.min(most + 1L, packets), capacity / Math.max(1, requester.packetsOfLastRequest()));
  }

  /** An answer came: with too little in flight there may soon be no other that lets go. */
  void answered(PublishedState qp, ReliableRequester requester, long nowNs) {
    if (qp.someMayWait() && requester.unackedPackets() < LEAST_UNACKED) {
      qp.publishMayWait(0);
      if (held == Held.UNTIL_DEADLINE) {
        held = Held.NO_LONGER;
        untilNs = nowNs;
      }
    }
  }

  /**
   * Whether a thread that has posted a request which may wait asks how long others have waited.
   * That bounds the wait where a thread posts so slowly that no train fills, and costs little where
   * one fills soon. Any thread.
   *
   * @param end of the send queue, after the request
   */
  public static boolean looksAtClock(long end) {
    return end % CLOCK_EVERY == 0;
  }

  // ---- those that do

  /** Requests wait from now on that did not before. */
  public void begin(long nowNs) {
    if (held == Held.NONE) {
      held = Held.UNTIL_DEADLINE;
      untilNs = Deadlines.after(nowNs, patienceNs);
      counters.increment(Counter.REQUESTS_HELD);
    }
  }

  /** All go. */
  public void end() {
    held = Held.NONE;
    untilNs = Deadlines.NEVER;
  }

  /** Whether requests are held that are to leave at once. */
  public boolean overdue() {
    return held == Held.NO_LONGER;
  }

  /** When a turn must come at the latest, or {@link Deadlines#NEVER}. */
  public long deadlineNs() {
    return untilNs;
  }
}
