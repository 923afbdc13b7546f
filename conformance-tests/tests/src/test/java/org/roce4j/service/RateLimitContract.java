package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * {@code ibv_modify_qp_rate_limit}, by messages of one packet each and the times of their arrival.
 */
@Timeout(60)
abstract class RateLimitContract {
  private static final int BYTES = 1000;

  /** The length of a packet for the rate, BTH and ICRC included. */
  private static final int PACKET = BYTES + 12 + 4;

  private static final int KBPS = 8000;
  private static final long PACKET_NS = PACKET * 8L * 1_000_000 / KBPS;
  private static final int MESSAGES = 20;
  private static final long PATIENCE_NS = 30_000_000_000L;

  /** Attempts in real time: the shortest time is the one without delay by other programs. */
  private static final int ATTEMPTS = 20;

  private final Arena arena = Arena.ofAuto();

  /**
   * The messages of one list.
   *
   * @param postedNs real time of posting, ns
   * @param times arrival of each message, on the device's clock
   */
  record Run(long postedNs, List<Long> times) {
    long lastedNs() {
      return times.getLast() - times.getFirst();
    }
  }

  /** Judges runs whose packets leave {@code burst} at a time. */
  abstract void judge(Supplier<Run> runs, int burst);

  /** A queue pair that is its own peer. */
  private QueuePair looped(Context context, ExtendedCompletionQueue cq, ProtectionDomain pd) {
    QueuePair qp = pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(64, 64, 1, 1, 0)));
    QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(context.queryGid(1, 0), 0), qp.qpNum()));
    return qp;
  }

  private Run run(Context context, QpRateLimitAttr limit) {
    return run(context, limit, null);
  }

  /**
   * @param then the limit from the second arrival on; null: the same
   */
  private Run run(Context context, QpRateLimitAttr limit, QpRateLimitAttr then) {
    int times = WcExFlags.STANDARD | WcExFlags.WITH_COMPLETION_TIMESTAMP;
    ExtendedCompletionQueue cq = context.createCqEx(new CqInitAttr().cqe(128).wcFlags(times));
    ProtectionDomain pd = context.allocPd();
    MemorySegment memory = arena.allocate(2 * BYTES);
    MemoryRegion region = pd.registerMemory(memory, AccessFlags.LOCAL_WRITE);
    QueuePair qp = looped(context, cq, pd);
    qp.modifyRateLimit(limit);
    RecvRequestList receives = new RecvRequestList(arena, MESSAGES, 1);
    SendRequestList sends = new SendRequestList(arena, MESSAGES, 1, 0);
    for (int i = 0; i < MESSAGES; i++) {
      receives.add().wrId(i).sge(region, BYTES, BYTES);
      sends.add().opcode(WrOpcode.SEND).sge(region, 0, BYTES);
    }
    qp.postRecvOrThrow(receives);
    long postedNs = System.nanoTime();
    qp.postSendOrThrow(sends);
    List<Long> arrived = new ArrayList<>();
    while (arrived.size() < MESSAGES) {
      assertTrue(System.nanoTime() - postedNs < PATIENCE_NS, () -> "only " + arrived);
      if (cq.startPoll() == 0) {
        do {
          assertEquals(WcStatus.SUCCESS, cq.status());
          arrived.add(cq.readCompletionTimestamp());
        } while (cq.nextPoll() == 0);
        cq.endPoll();
        if (then != null && arrived.size() >= 2) {
          qp.modifyRateLimit(then);
          then = null;
        }
      }
    }
    return new Run(postedNs, arrived);
  }

  @Test
  @Tag("ibv_modify_qp_rate_limit")
  void packetsLeaveAtTheRate(Context context) {
    judge(() -> run(context, new QpRateLimitAttr(KBPS)), 1);
  }

  @Test
  @Tag("ibv_modify_qp_rate_limit")
  void burstsLeaveAtTheRate(Context context) {
    judge(() -> run(context, new QpRateLimitAttr(KBPS, 5 * BYTES, BYTES)), 5);
  }

  /** Requests that one rate has delayed leave at the new rate. */
  @ParameterizedTest
  @CsvSource({"1000, 0", "1000, 8000", "8000, 4000", "0, 8000"})
  @Tag("ibv_modify_qp_rate_limit")
  void aRateThatChangesMeanwhileHoldsFromThen(int before, int after, Context context) {
    List<Long> times = run(context, new QpRateLimitAttr(before), new QpRateLimitAttr(after)).times;
    if (before > 0 && after > 0) {
      long wanted = PACKET_NS * KBPS / after;
      assertTrue(times.getLast() - times.get(MESSAGES / 2) >= wanted * (MESSAGES / 2 - 2));
    }
  }

  @Test
  @Tag("ibv_modify_qp_rate_limit")
  void withoutALimitTheyLeaveTogether(Context context) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < ATTEMPTS && least >= (MESSAGES - 1) * PACKET_NS; i++) {
      least = Math.min(least, run(context, QpRateLimitAttr.NONE).lastedNs());
    }
    assertTrue(least < (MESSAGES - 1) * PACKET_NS, least + " ns");
  }

  @Test
  @Tag("ibv_modify_qp_rate_limit")
  void aRateIsOfAQueuePairThatSendsAndWithinTheDevicesBounds(Context context) {
    int most = context.queryDeviceEx().packetPacingCaps().qpRateLimitMax();
    ExtendedCompletionQueue cq = context.createCqEx(new CqInitAttr().cqe(16));
    QueuePair qp = looped(context, cq, context.allocPd());
    refused(qp, new QpRateLimitAttr(most + 1));
    refused(qp, new QpRateLimitAttr(-1));
    refused(qp, new QpRateLimitAttr(0, 1000, 0));
    refused(qp, new QpRateLimitAttr(1000, 0, 1 << 16));
    assertEquals(0, qp.query().rateLimit());
    qp.modifyRateLimit(new QpRateLimitAttr(most));
    assertEquals(most, qp.query().rateLimit());
    qp.modify(new QpAttr().qpState(QpState.RESET));
    assertEquals(0, qp.query().rateLimit());
    refused(qp, new QpRateLimitAttr(1000));
  }

  private static void refused(QueuePair qp, QpRateLimitAttr attr) {
    VerbsException e = assertThrows(VerbsException.class, () -> qp.modifyRateLimit(attr));
    assertEquals(Errno.EINVAL, e.errno());
  }

  /** In virtual time a packet arrives exactly when the rate allows it. */
  static void exactly(List<Long> times, int burst) {
    for (int i = burst; i < times.size(); i++) {
      long wanted = burst * PACKET_NS;
      assertEquals(wanted, times.get(i) - times.get(i - burst), "between messages " + (i - burst));
    }
  }

  /**
   * Never faster than the rate, counted from posting: a late turn catches up, but nothing leaves
   * early. And not idle: a busy machine delays some runs, not all.
   */
  static void about(Supplier<Run> runs, int burst) {
    long wanted = (MESSAGES - burst) * PACKET_NS;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < ATTEMPTS && least >= 20 * wanted; i++) {
      Run run = runs.get();
      long took = run.times.getLast() - run.postedNs;
      assertTrue(took >= wanted, took + " of " + wanted);
      least = Math.min(least, took);
    }
    assertTrue(least < 20 * wanted, least + " of " + wanted);
  }
}
