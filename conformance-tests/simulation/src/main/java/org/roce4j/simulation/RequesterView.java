package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Psn;

/**
 * What the datagrams of one connection prove about its requester: the oldest unacknowledged PSN,
 * how often it was sent since the last progress, the answers, and their times.
 */
final class RequesterView {
  private static final byte NEEDS_RESPONSE = -1;
  private static final byte UNSEEN = -2;

  private final String name;
  private final Excuses excuses;
  private final int pathMtu;
  private final int retryCount;
  private final int rnrRetry;
  private final long timeoutNs;

  /**
   * Whether a packet can reach the engine after the engine's turn at the same time, by way of
   * another engine.
   */
  private final boolean handedOver;

  /**
   * The opcode of each PSN from {@link #base} on; {@link #NEEDS_RESPONSE} if data answers the
   * request; {@link #UNSEEN} if the PSN was not seen because the port was down.
   */
  private byte[] kinds = new byte[256];

  private long base;
  private long next;
  private State now;

  /**
   * The states that the responses of this instant led through; the engine may be in any of them.
   */
  private final List<State> instant = new ArrayList<>();

  private long instantNs = -1;
  private long rnrHeardNs = -1;
  private long rnrUntilNs = -1;
  private boolean frozen;
  private long frozenNs;
  private boolean quiet;

  /** When the port went down; -1 while it is up. */
  private long blindSinceNs = -1;

  /** Possible attempts since the last progress that were not seen, because the port was down. */
  private long blindAttempts;

  /** The first PSN that may have been sent unseen. */
  private long blindFrom;

  /**
   * The state of the requester since the last progress.
   *
   * @param oldest oldest unacknowledged PSN
   * @param attempts how often it was sent
   * @param lastAttemptNs when it was last sent
   * @param rnrNaks RNR NAKs that were not ignored
   * @param hints hints of loss: sequence NAKs and gaps in the responses
   * @param progressNs when it became the oldest
   * @param afterWait whether it was last sent at the end of an RNR wait, and no hint came since
   * @param told whether the last hint spends a retry of its own: the first hint of all, or the
   *     first after an RNR wait (R28); later hints may belong to the attempt before
   */
  private record State(
      long oldest,
      int attempts,
      long lastAttemptNs,
      int rnrNaks,
      int hints,
      long progressNs,
      boolean afterWait,
      boolean told) {

    static State progressed(long nowNs, long oldest, boolean sent) {
      return new State(oldest, sent ? 1 : 0, nowNs, 0, 0, nowNs, false, false);
    }

    State sent(long nowNs, boolean endsWait) {
      return new State(oldest, attempts + 1, nowNs, rnrNaks, hints, progressNs, endsWait, false);
    }

    State hinted() {
      boolean own = hints == 0 || afterWait;
      return new State(
          oldest, attempts, lastAttemptNs, rnrNaks, hints + 1, progressNs, false, own || told);
    }

    State notReady() {
      return new State(
          oldest, attempts, lastAttemptNs, rnrNaks + 1, hints, progressNs, afterWait, told);
    }
  }

  RequesterView(String name, Excuses excuses, int firstPsn, SimulationOptions options) {
    this.name = name;
    this.excuses = excuses;
    pathMtu = options.integer(Knob.MTU);
    retryCount = options.integer(Knob.RETRY);
    rnrRetry = options.integer(Knob.RNR_RETRY);
    timeoutNs = AckTimeout.ns(options.integer(Knob.TIMEOUT));
    handedOver = options.on(Knob.UNSTEERED) && options.severalEngines();
    base = Psn.MASK + 1L + firstPsn;
    next = base;
    now = State.progressed(0, base, false);
  }

  /** The causes that excuse missing answers. */
  Excuses excuses() {
    return excuses;
  }

  // ---- requests

  void requestSent(long nowNs, Opcode opcode, int wirePsn, long readLength) {
    require(
        !frozen || nowNs <= frozenNs,
        OracleRule.NOTHING_LEFT,
        "%s sent %s PSN %d after it had failed",
        name,
        opcode,
        wirePsn);
    require(
        nowNs <= rnrHeardNs || nowNs >= rnrUntilNs,
        OracleRule.RNR_WAIT_KEPT,
        "%s sent PSN %d %d ns before the end of the wait",
        name,
        wirePsn,
        rnrUntilNs - nowNs);
    require(
        !quiet,
        OracleRule.DRAINED_IS_SILENT,
        "%s sent PSN %d after it had said that its send queue is drained",
        name,
        wirePsn);
    long psn = Psn.extend(now.oldest, wirePsn);
    boolean answered = needsResponse(opcode);
    long count = readLength > 0 ? (readLength + pathMtu - 1) / pathMtu : 1;
    for (long p = Math.max(psn, base); p < psn + count; p++) {
      note(p, answered ? NEEDS_RESPONSE : (byte) opcode.code());
    }
    if (psn <= now.oldest && now.oldest < psn + count) {
      now = now.sent(nowNs, now.lastAttemptNs < rnrUntilNs);
      instant.clear();
      instant.add(now);
    }
  }

  private static boolean needsResponse(Opcode opcode) {
    return switch (opcode.operation()) {
      case READ_REQUEST, COMPARE_SWAP, FETCH_ADD, FLUSH, ATOMIC_WRITE -> true;
      default -> false;
    };
  }

  private void note(long psn, byte kind) {
    if (psn < next) {
      byte before = kinds[(int) (psn % kinds.length)];
      if (psn >= base) {
        require(
            before == kind || before == UNSEEN,
            OracleRule.SAME_OPCODE_AGAIN,
            "%s sent PSN %d first as opcode 0x%02x and now as 0x%02x",
            name,
            psn & Psn.MASK,
            before,
            kind);
        kinds[(int) (psn % kinds.length)] = kind;
      }
      return;
    }
    while (psn - base >= kinds.length) {
      grow();
    }
    for (long p = next; p < psn; p++) {
      kinds[(int) (p % kinds.length)] = UNSEEN;
    }
    kinds[(int) (psn % kinds.length)] = kind;
    next = psn + 1;
  }

  private void grow() {
    byte[] larger = new byte[kinds.length * 2];
    for (long p = base; p < next; p++) {
      larger[(int) (p % larger.length)] = kinds[(int) (p % kinds.length)];
    }
    kinds = larger;
  }

  private boolean dataAt(long psn) {
    return kinds[(int) (psn % kinds.length)] == NEEDS_RESPONSE;
  }

  // ---- responses

  void responseDelivered(long nowNs, Opcode opcode, int wirePsn, int syndrome) {
    if (frozen) {
      return;
    }
    if (nowNs != instantNs) {
      instantNs = nowNs;
      instant.clear();
      instant.add(now);
    }
    long psn = Psn.extend(now.oldest, wirePsn);
    if (psn < now.oldest || psn >= next) {
      return;
    }
    if (opcode.operation() == Operation.ACKNOWLEDGE) {
      acknowledged(nowNs, psn, syndrome);
    } else if (cover(nowNs, psn) == psn && dataAt(psn)) {
      progress(nowNs, psn + 1);
    } else {
      now = now.hinted();
    }
    instant.add(now);
  }

  private void acknowledged(long nowNs, long psn, int syndrome) {
    if (Aeth.isAck(syndrome)) {
      if (cover(nowNs, psn + 1) <= psn) {
        now = now.hinted();
      }
      return;
    }
    boolean answerMissing = cover(nowNs, psn) < psn;
    if (!Aeth.isRnrNak(syndrome)) {
      now = now.hinted();
      return;
    }
    if (answerMissing) {
      now = now.hinted(); // an earlier READ or atomic lacks its answer, which is a retry (R3)
    }
    notReady(nowNs, Aeth.rnrDelayNs(Aeth.value(syndrome)));
  }

  /** Acknowledges every PSN before {@code end}, up to the first that needs data. */
  private long cover(long nowNs, long end) {
    long to = now.oldest;
    while (to < end && !dataAt(to)) {
      to++;
    }
    if (to > now.oldest) {
      progress(nowNs, to);
    }
    return to;
  }

  private void progress(long nowNs, long to) {
    base = to;
    if (to > blindFrom && to < next && kinds[(int) (to % kinds.length)] != UNSEEN) {
      blindAttempts = 0;
    }
    now = State.progressed(nowNs, to, to < next);
  }

  private void notReady(long nowNs, long delayNs) {
    if (nowNs < rnrUntilNs) {
      return; // the wait has begun already
    }
    rnrHeardNs = nowNs;
    rnrUntilNs = nowNs + delayNs;
    now = now.notReady();
  }

  // ---- events of the engine

  /** The engine goes back to the oldest PSN and retransmits. */
  void retransmits(long nowNs, Counter reason) {
    if (reason == Counter.RECEIVED_SEQUENCE_NAK || reason == Counter.RESPONSE_GAP) {
      excuses.requireForHint("goes back for " + reason);
    } else if (reason == Counter.ACK_TIMEOUT) {
      excuses.requireForTimeout("timed out");
      State state = handedOver && nowNs == instantNs ? instant.getFirst() : now;
      long since = Math.max(state.lastAttemptNs, state.progressNs);
      require(
          nowNs - since >= timeoutNs,
          OracleRule.TIMEOUT_NOT_EARLY,
          "%s timed out %d ns after it last sent its oldest PSN or was answered; its timeout is %d",
          name,
          nowNs - since,
          timeoutNs);
    }
  }

  /** The send queue is drained and may send nothing, or it works again. */
  void quiet(boolean silent) {
    quiet = silent;
  }

  /** The port went down, so that requests are not seen, or came up again. */
  void port(long nowNs, boolean up) {
    if (frozen) {
      return; // it sends nothing any more
    }
    if (!up) {
      if (blindAttempts == 0 && blindSinceNs < 0) {
        blindFrom = next;
      }
      blindSinceNs = nowNs;
    } else if (blindSinceNs >= 0) {
      blindAttempts += attemptsWithin(nowNs - blindSinceNs);
      blindSinceNs = -1;
    }
  }

  /** The number of attempts that the port may have hidden. */
  private long unseenAttempts() {
    return blindAttempts + (blindSinceNs >= 0 ? attemptsWithin(frozenNs - blindSinceNs) : 0);
  }

  /** The number of attempts possible in {@code ns}; at least one, because sending takes no time. */
  private long attemptsWithin(long ns) {
    return timeoutNs == 0 ? 1 : ns / timeoutNs + 1;
  }

  /** The queue pair went to ERR: later packets change nothing. */
  void failed(long nowNs) {
    if (frozen) {
      return;
    }
    if (nowNs != instantNs) {
      instant.clear();
      instant.add(now);
    }
    frozen = true;
    frozenNs = nowNs;
  }

  // ---- verdicts

  /** RETRY_EXC_ERR: requires that all retries were spent without progress. */
  void requireRetriesSpent(String request) {
    excuses.requireForTimeout("gave up " + request);
    RuleBroken.checks(OracleRule.BUDGET_SPENT);
    for (State state : instant) {
      long unseen = unseenAttempts();
      boolean waited = unseen > 0 || frozenNs - state.lastAttemptNs >= timeoutNs;
      if (state.attempts + unseen >= retryCount + 1 && (waited || state.told)) {
        return;
      }
    }
    throw new RuleBroken(
        OracleRule.BUDGET_SPENT,
        Wording.of(
            "%s gave up %s at %d ns; retry_cnt is %d, the timeout %d ns; since the last progress:"
                + " %s",
            name, request, frozenNs, retryCount, timeoutNs, instant));
  }

  /** RNR_RETRY_EXC_ERR: requires that the peer sent enough RNR NAKs. */
  void requireRnrRetriesSpent(String request) {
    RuleBroken.checks(OracleRule.BUDGET_SPENT);
    for (State state : instant) {
      if (rnrRetry < 7 && state.rnrNaks >= rnrRetry + 1) {
        return;
      }
    }
    throw new RuleBroken(
        OracleRule.BUDGET_SPENT,
        Wording.of(
            "%s gave up %s at %d ns; rnr_retry is %d; since the last progress: %s",
            name, request, frozenNs, rnrRetry, instant));
  }
}
