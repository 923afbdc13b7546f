package org.roce4j.engine.requester;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.path.PathShare;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.engine.requester.RequesterTimers.Timer;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Psn;

/**
 * The packets that a reliable requester has in flight, and its recovery from loss (rc-transport
 * 3.1, 3.2): go-back-N from the oldest unacknowledged PSN.
 *
 * <p>A timeout, a sequence NAK or a gap in the responses starts a retry. Until that retry makes
 * progress, only a timeout starts another.
 */
final class LossRecovery {
  /** What the requester is recovering from. */
  enum Phase {
    /** No recovery: the next hint of loss starts a retry. */
    NONE,
    /** A retry without progress so far: further hints of loss belong to the same loss. */
    GOING_BACK,
    /**
     * The responder had no receive request. Nothing is sent until the RNR timer expires, and hints
     * of loss are ignored.
     */
    RNR_WAIT
  }

  /** The number of the queue pair, for observers. */
  private final int qpNum;

  private final Counters counters;
  private final EngineTrace trace;
  private final SendQueue queue;
  private final Peer peer;
  private final PathShare share;
  private final UnackedWindow window;
  private final CompletionOrder order;
  private final RdAtomicCredits credits;

  /** retry_cnt and rnr_retry, with the retries left of each. */
  private final RetryBudget budget = new RetryBudget();

  private final RequesterTimers timers = new RequesterTimers();
  private final LossProbe probe;

  /**
   * Probes only with at least this number of packets in flight, and only SENDs and WRITEs; 0:
   * always, and READs too.
   */
  private final int leastProbed;

  /** How far the recovery is. */
  private Phase phase = Phase.NONE;

  /** RNR NAKs since the last progress. */
  private long rnrNaks;

  /** Local ACK timeout, ns; 0 waits for ever. */
  private long ackTimeoutNs;

  /**
   * @param probesForLoss whether to probe before the ACK timeout when {@link #deadlineNs} allows
   * @param leastProbed least number of packets in flight for a probe, SENDs and WRITEs only; 0:
   *     always, and READs too
   */
  LossRecovery(
      SendSide side,
      UnackedWindow window,
      CompletionOrder order,
      RdAtomicCredits credits,
      boolean probesForLoss,
      int leastProbed) {
    qpNum = side.qpNum();
    counters = side.counters();
    trace = side.trace();
    queue = side.queue();
    peer = side.peer();
    share = peer.share();
    this.window = window;
    this.order = order;
    this.credits = credits;
    this.leastProbed = leastProbed;
    probe = new LossProbe(probesForLoss);
  }

  void configure(QpAttr attr, int mask) {
    if ((mask & QpAttrMask.TIMEOUT) != 0) {
      ackTimeoutNs = AckTimeout.ns(attr.timeout());
    }
    if ((mask & QpAttrMask.RETRY_CNT) != 0) {
      budget.retryCount(attr.retryCnt());
    }
    if ((mask & QpAttrMask.RNR_RETRY) != 0) {
      budget.rnrRetry(attr.rnrRetry());
    }
  }

  /** Gives up all packets in flight and the recovery. */
  void abandon() {
    share.withdrawn();
    window.restart(window.highest());
    credits.clear();
    phase = Phase.NONE;
    rnrNaks = 0;
    timers.stopAll();
    probe.forget();
  }

  // ---- what is sent

  /** See {@link Requester#inFlight}. */
  InFlight inFlight() {
    return new InFlight(
        (int) window.oldest() & Psn.MASK,
        (int) window.next() & Psn.MASK,
        (int) window.highest() & Psn.MASK,
        budget.retriesLeft(),
        budget.rnrRetriesLeft(),
        timers.dueNs(Timer.ACK),
        timers.dueNs(Timer.RNR),
        rnrNaks);
  }

  /** Whether nothing may be sent until the responder's RNR timer expires. */
  boolean rnrWaiting() {
    return phase == Phase.RNR_WAIT;
  }

  /** Whether the oldest unacknowledged packet is to be sent again, out of turn. */
  boolean probeDue() {
    return probe.isDue();
  }

  /**
   * Takes note of a packet that is about to be sent at the window's next PSN.
   *
   * @param psns PSNs that the packet takes
   * @param chargeBytes its charge against the path's window
   */
  void sent(long psns, long chargeBytes, boolean ackRequested) {
    long psn = window.next();
    if (!window.resending() && ackRequested) {
      probe.sent(psn);
    }
    count(psn, psns, window.resending());
    share.sent(chargeBytes);
    window.sent(psns);
  }

  /** The oldest unacknowledged packet was sent again and asks for an acknowledgement. */
  void probed() {
    long oldest = window.oldest();
    count(oldest, 1, true);
    probe.probed(oldest, window.next());
    stopAckTimer(); // it starts again, because it runs from when the oldest packet was last sent
    trace.retransmission(qpNum, (int) oldest & Psn.MASK, Counter.LOSS_PROBE);
  }

  /**
   * The packets have left. Starts the ACK timer for the packets in flight unless it runs; without a
   * timeout it never runs.
   */
  void left(long nowNs) {
    probe.left(nowNs);
    if (window.next() > window.oldest() && !timers.runs(Timer.ACK)) {
      startAckTimer(nowNs);
    }
  }

  private void count(long psn, long psns, boolean again) {
    if (again) {
      counters.increment(Counter.RETRANSMITTED_PACKETS);
    }
    if (((psn ^ (psn + psns)) >>> Psn.BITS) != 0) {
      counters.increment(Counter.PSN_WRAP);
    }
  }

  // ---- what is answered

  /** Acknowledges all PSNs before {@code psn}. This is progress: it reloads the retry budget. */
  void progressTo(long nowNs, long psn) {
    window.acknowledge(psn);
    probe.acknowledged(nowNs, psn, peer.window().roundTrip());
    if (window.dataOperations() > 0) {
      credits.answered(psn);
    }
    budget.reload();
    rnrNaks = 0;
    if (phase == Phase.GOING_BACK) {
      phase = Phase.NONE;
    }
    if (window.next() > window.oldest()) {
      startAckTimer(nowNs);
    } else {
      stopAckTimer();
    }
  }

  /**
   * Acts on what an ACK says about a probe. Reordering can make it wrong, so it never ends the
   * connection: with no retry left, the ACK timeout decides.
   */
  void acknowledgedUpTo(long psn) {
    LossProbe.Verdict verdict = probe.answered(psn, window.oldest());
    if (verdict == LossProbe.Verdict.NONE || budget.retriesLeft() == 0) {
      return;
    }
    if (verdict == LossProbe.Verdict.DOUBT && !oldestNeedsResponse()) {
      counters.increment(Counter.LOSS_PROBE);
      probe.confirm();
    } else {
      retryOnce(Counter.LOSS_PROBE);
    }
  }

  /** Goes back once for a hint of loss, unless a retry is under way or the RNR timer runs. */
  void retryOnce(Counter reason) {
    if (phase == Phase.NONE) {
      retry(reason);
    }
  }

  /**
   * The responder has no receive request: waits for its RNR timer, then sends again.
   *
   * @param answerMissing whether an earlier operation lacks its data. That operation is requested
   *     again first, so the wait spends a retry of retry_cnt and not of rnr_retry: the response was
   *     lost, the receiver is not at fault (R3). A retry already under way is not counted twice
   *     until the wait is over.
   */
  void waitForReceiver(long nowNs, int timerCode, boolean answerMissing) {
    rnrNaks++;
    if (answerMissing) {
      if (phase != Phase.GOING_BACK && !budget.takeRetry()) {
        retriesExceeded();
        return;
      }
    } else if (!budget.takeRnrRetry()) {
      counters.increment(Counter.RNR_RETRY_EXCEEDED);
      order.failHead(
          WcStatus.RNR_RETRY_EXC_ERR,
          Wording.of(
              "the peer has no receive posted; %d RNR NAKs, rnrRetry is %d",
              rnrNaks, budget.rnrRetry()));
      return;
    }
    goBack(Counter.RECEIVED_RNR);
    phase = Phase.RNR_WAIT;
    timers.start(Timer.RNR, nowNs + Aeth.rnrDelayNs(timerCode));
  }

  private void retry(Counter reason) {
    if (!budget.takeRetry()) {
      retriesExceeded();
      return;
    }
    counters.increment(Counter.COMPLETER_RETRY);
    peer.window().lost();
    goBack(reason);
    phase = Phase.GOING_BACK;
  }

  private void retriesExceeded() {
    counters.increment(Counter.RETRY_EXCEEDED);
    order.failHead(
        WcStatus.RETRY_EXC_ERR,
        Wording.of(
            "no acknowledgement of PSN %d after %d retries, ACK timeout %.3f ms",
            window.oldest() & Psn.MASK, budget.retryCount(), ackTimeoutNs / 1e6));
  }

  private void goBack(Counter reason) {
    stopAckTimer();
    window.goBack();
    share.withdrawn();
    credits.clear();
    probe.sentAgain();
    trace.retransmission(qpNum, (int) window.next() & Psn.MASK, reason);
  }

  // ---- time

  private void startAckTimer(long nowNs) {
    if (ackTimeoutNs > 0) {
      timers.start(Timer.ACK, nowNs + ackTimeoutNs);
      timers.start(Timer.PROBE, probe.dueNs(nowNs, ackTimeoutNs, peer.window().roundTrip()));
    }
  }

  private void stopAckTimer() {
    timers.stop(Timer.ACK);
    timers.stop(Timer.PROBE);
  }

  /**
   * When {@link #handleTimeout} must be called, or {@link Deadlines#NEVER}.
   *
   * @param probing whether to detect losses before the ACK timeout
   */
  long deadlineNs(boolean probing) {
    if (timers.runs(Timer.RNR)) {
      return timers.dueNs(Timer.RNR);
    }
    return probing && timers.runs(Timer.PROBE) && worthProbing()
        ? timers.dueNs(Timer.PROBE)
        : timers.dueNs(Timer.ACK);
  }

  /**
   * Whether silence costs more than a needless retransmission. A stream could have sent more in the
   * meantime; a requester that sends little loses less by waiting for the ACK timeout.
   */
  private boolean worthProbing() {
    return leastProbed == 0
        || (window.next() - window.oldest() >= leastProbed && !oldestNeedsResponse());
  }

  private boolean oldestNeedsResponse() {
    return window.needsResponse(queue.slot(queue.head()));
  }

  void handleTimeout(long nowNs) {
    if (timers.isDue(Timer.RNR, nowNs)) {
      timers.stop(Timer.RNR);
      phase = Phase.NONE; // what is sent from now on is an attempt of its own
    } else if (timers.isDue(Timer.ACK, nowNs)) {
      counters.increment(Counter.ACK_TIMEOUT);
      retry(Counter.ACK_TIMEOUT);
    } else if (timers.isDue(Timer.PROBE, nowNs) && worthProbing()) {
      acknowledgementOverdue();
    }
  }

  /**
   * Probes, because an acknowledgement is overdue before the ACK timeout. If the oldest operation
   * needs data, the requester goes back, which requests the data again and spends no retry.
   */
  private void acknowledgementOverdue() {
    timers.stop(Timer.PROBE);
    probe.overdue();
    counters.increment(Counter.LOSS_PROBE);
    if (oldestNeedsResponse()) {
      goBack(Counter.LOSS_PROBE);
    } else {
      probe.due();
    }
  }

  /** See {@link org.roce4j.engine.queue.Touchable}. */
  long touch() {
    return share.inFlightBytes() + timers.dueNs(Timer.PROBE) + budget.retriesLeft() + ackTimeoutNs;
  }
}
