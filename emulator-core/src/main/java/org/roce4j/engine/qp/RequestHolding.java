package org.roce4j.engine.qp;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.queue.PublishedState;
import org.roce4j.engine.requester.ReliableRequester;
import org.roce4j.engine.time.Deadlines;

/**
 * The policy of held requests, one per engine. Small requests that are posted one by one would cost
 * a system call each. While packets of their queue pair are unacknowledged, the peer has work and
 * an acknowledgement is on its way. Therefore the next requests may wait and leave in one train.
 * The train has as many packets as were sent in a row and are unacknowledged, so trains double
 * until they are full. Each queue pair publishes the request up to which requests wait; posting
 * such a request does not run the engine.
 *
 * <p>Every turn of the engine releases all held requests: the turn of a poll, of a verb, of a
 * waiting thread, or of the request that fills the train. A turn is due at a deadline. Confined to
 * the engine's owner.
 */
public final class RequestHolding {
  /** The least number of unacknowledged packets of a queue pair whose requests may wait. */
  static final int LEAST_UNACKED = 4;

  /**
   * The number of unacknowledged packets from which a queue pair counts as streaming, even if
   * packets arrive in between. With fewer it may be in a ping-pong with a peer whose
   * acknowledgements each cover nine requests.
   */
  static final int STREAMING = 16;

  /**
   * The shortest wait in nanoseconds: the time in which a program that posts without pause fills a
   * train.
   */
  static final long LEAST_PATIENCE_NS = 20_000;

  /**
   * The longest wait in nanoseconds, even on a long path: a program that needs longer to fill a
   * train gains nothing.
   */
  static final long MOST_PATIENCE_NS = 60_000;

  /** Every fourth waiting request reads the clock; a power of two. */
  private static final int CLOCK_EVERY = 4;

  /** The greatest number of requests of a queue pair that may wait; 0: none. */
  private final int most;

  private final Counters counters;

  /** The deadline of held requests; {@link Deadlines#NEVER} if there are none. */
  private long untilNs = Deadlines.NEVER;

  /** The wait of requests in nanoseconds: a round trip of the last path used, within bounds. */
  private long patienceNs = LEAST_PATIENCE_NS;

  /**
   * @param most greatest number of requests of a queue pair that may wait; the next one releases
   *     them
   */
  public RequestHolding(int most, Counters counters) {
    this.most = most;
    this.counters = counters;
  }

  // ---- which requests may wait

  /**
   * A queue pair's requester has taken its turn.
   *
   * @param idle whether it has sent all posted requests
   * @param capacity number of packets of the last size that a train holds
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

  /** The number of requests for the next train. */
  private long nextTrain(ReliableRequester requester, int capacity) {
    long unacked = requester.unackedPackets();
    long packets = unacked >= STREAMING ? unacked : requester.unackedInRow();
    return packets < LEAST_UNACKED
        ? 0
        : Math.min(
            Math.min(most + 1L, packets), capacity / Math.max(1, requester.packetsOfLastRequest()));
  }

  /**
   * An answer arrived. With too few packets in flight, no further answer may come that makes a
   * thread poll, so the next request may not wait.
   */
  void answered(PublishedState qp, ReliableRequester requester) {
    if (qp.someMayWait() && requester.unackedPackets() < LEAST_UNACKED) {
      qp.publishMayWait(0);
    }
  }

  /**
   * Whether the thread that has posted a waiting request reads the clock. This bounds the wait if
   * requests are posted too slowly to fill a train, and costs little if they fill one soon. Any
   * thread may call this.
   *
   * @param end end of the send queue after the request
   */
  public static boolean looksAtClock(long end) {
    return end % CLOCK_EVERY == 0;
  }

  // ---- those that do

  /** The first request is held. */
  public void begin(long nowNs) {
    if (!Deadlines.isSet(untilNs)) {
      untilNs = Deadlines.after(nowNs, patienceNs);
      counters.increment(Counter.REQUESTS_HELD);
    }
  }

  /** All held requests leave. */
  public void end() {
    untilNs = Deadlines.NEVER;
  }

  /** The deadline of the next turn, or {@link Deadlines#NEVER}. */
  public long deadlineNs() {
    return untilNs;
  }
}
