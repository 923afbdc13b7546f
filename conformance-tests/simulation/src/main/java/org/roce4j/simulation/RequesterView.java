package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.counter.Counter;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Psn;

/**
 * What the datagrams of one connection prove about its requester: which PSN is the oldest
 * unacknowledged one, how often it was sent since it became that, what was answered, and when.
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
   * Whether what reaches its device may reach its engine after its turn at the same time, through
   * another engine.
   */
  private final boolean handedOver;

  /**
   * Opcode of the packet of each PSN from {@link #base} on; -1: answered by data of its own; -2:
   * not seen yet, because the port was down.
   */
  private byte[] kinds = new byte[256];

  private long base;
  private long next;
  private State now;

  /** The states that responses of this instant went through: the engine may be at any of them. */
  private final List<State> instant = new ArrayList<>();

  private long instantNs = -1;
  private long rnrHeardNs = -1;
  private long rnrUntilNs = -1;
  private boolean frozen;
  private long frozenNs;
  private boolean quiet;

  /** When its port went down, if it is. */
  private long blindSinceNs = -1;

  /** Attempts that nobody can have seen since the last progress, while the port was down before. */
  private long blindAttempts;

  /** The first PSN that it may have sent while nobody saw it. */
  private long blindFrom;

  /**
   * How it stands since the last progress.
   *
   * @param oldest unacknowledged PSN
   * @param attempts how often it was sent
   * @param lastAttemptNs when it was sent last
   * @param rnrNaks that were not ignored
   * @param hints of loss: sequence NAKs and gaps in the responses
   * @param progressNs when it became the oldest
   * @param afterWait whether it was sent last because an RNR wait had ended, and no hint came since
   * @param told whether the last hint spends a retry of its own: the first of all, or the first
   *     after an RNR wait (R28); others may be of the attempt before
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

  /** What excuses it if answers do not come. */
  Excuses excuses() {
    return excuses;
  }

  // ---- what it sends

  void requestSent(long nowNs, Opcode opcode, int wirePsn, long readLength) {
    if (frozen && nowNs > frozenNs) {
      throw new RuleBroken(
          Rule.NOTHING_LEFT,
          "%s sent %s PSN %d after it had failed".formatted(name, opcode, wirePsn));
    }
    require(
        nowNs <= rnrHeardNs || nowNs >= rnrUntilNs,
        Rule.RNR_WAIT_KEPT,
        "%s sent PSN %d %d ns before the end of the wait",
        name,
        wirePsn,
        rnrUntilNs - nowNs);
    require(
        !quiet,
        Rule.DRAINED_IS_SILENT,
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
            Rule.SAME_OPCODE_AGAIN,
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

  // ---- what reaches it

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
      now = now.hinted(); // a READ or atomic before it lacks its answer: that is a retry (R3)
    }
    notReady(nowNs, Aeth.rnrDelayNs(Aeth.value(syndrome)));
  }

  /** Everything before {@code end} is acknowledged, up to what needs an answer of its own. */
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
      return; // it waits already
    }
    rnrHeardNs = nowNs;
    rnrUntilNs = nowNs + delayNs;
    now = now.notReady();
  }

  // ---- what the engine says

  /** It goes back to its oldest PSN and sends again. */
  void retransmits(long nowNs, Counter reason) {
    if (reason == Counter.RECEIVED_SEQUENCE_NAK || reason == Counter.RESPONSE_GAP) {
      excuses.requireForHint("goes back for " + reason);
    } else if (reason == Counter.ACK_TIMEOUT) {
      excuses.requireForTimeout("timed out");
      State state = handedOver && nowNs == instantNs ? instant.getFirst() : now;
      long since = Math.max(state.lastAttemptNs, state.progressNs);
      require(
          nowNs - since >= timeoutNs,
          Rule.TIMEOUT_NOT_EARLY,
          "%s timed out %d ns after it last sent its oldest PSN or was answered; its timeout is %d",
          name,
          nowNs - since,
          timeoutNs);
    }
  }

  /** Its send queue is drained: it may send nothing; or it works again. */
  void quiet(boolean silent) {
    quiet = silent;
  }

  /** Its port went down: what it sends is not seen. Or up again. */
  void port(long nowNs, boolean up) {
    if (frozen) {
      return; // it sends nothing any more that could be hidden
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

  /** How many attempts may have been made while the port was down. */
  private long unseenAttempts() {
    return blindAttempts + (blindSinceNs >= 0 ? attemptsWithin(frozenNs - blindSinceNs) : 0);
  }

  /** One at least: in an instant much can be sent. */
  private long attemptsWithin(long ns) {
    return timeoutNs == 0 ? 1 : ns / timeoutNs + 1;
  }

  /** Its queue pair went to ERR: what comes later changes nothing. */
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

  boolean isFrozen() {
    return frozen;
  }

  // ---- verdicts

  /** RETRY_EXC_ERR: were all retries spent, and without progress? */
  void requireRetriesSpent(String request) {
    excuses.requireForTimeout("gave up " + request);
    for (State state : instant) {
      long unseen = unseenAttempts();
      boolean waited = unseen > 0 || frozenNs - state.lastAttemptNs >= timeoutNs;
      if (state.attempts + unseen >= retryCount + 1 && (waited || state.told)) {
        return;
      }
    }
    throw new RuleBroken(
        Rule.BUDGET_SPENT,
        "%s gave up %s at %d ns; retry_cnt is %d, the timeout %d ns; since the last progress: %s"
            .formatted(name, request, frozenNs, retryCount, timeoutNs, instant));
  }

  /** RNR_RETRY_EXC_ERR: did the peer refuse often enough? */
  void requireRnrRetriesSpent(String request) {
    for (State state : instant) {
      if (rnrRetry < 7 && state.rnrNaks >= rnrRetry + 1) {
        return;
      }
    }
    throw new RuleBroken(
        Rule.BUDGET_SPENT,
        "%s gave up %s at %d ns; rnr_retry is %d; since the last progress: %s"
            .formatted(name, request, frozenNs, rnrRetry, instant));
  }
}
