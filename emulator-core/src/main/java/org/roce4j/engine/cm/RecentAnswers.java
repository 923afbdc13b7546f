package org.roce4j.engine.cm;

import java.util.LinkedHashMap;
import org.roce4j.wire.mad.Mad;

/**
 * The requests that programs have answered lately, a bounded number, and the answers: those that
 * leave nothing behind, so that a request that comes again would be another one for the program. A
 * peer sends it again before the answer arrives, or because the answer was lost. It is answered
 * again.
 *
 * <p>Linux forgets such a request at once; its first retransmission comes after 4.6 s.
 *
 * @param <Q> identifies a request; two that are equal are one
 */
final class RecentAnswers<Q> {
  /** The most requests that a program may leave unanswered, and then answer. */
  static final int MOST = 1024;

  /** A peer that missed the answer has asked again by then. */
  static final long LIFE_NS = 2 * CmTiming.RETRY_MAX_NS;

  private record KeptAnswer(Mad message, long atNs) {}

  private final LinkedHashMap<Q, KeptAnswer> latest = new LinkedHashMap<>();

  /** A program has answered a request. */
  void add(long nowNs, Q request, Mad answer) {
    latest.remove(request);
    while (!latest.isEmpty() && isOver(latest.firstEntry().getValue(), nowNs)) {
      latest.pollFirstEntry();
    }
    if (latest.size() >= MOST) {
      latest.pollFirstEntry();
    }
    latest.put(request, new KeptAnswer(answer, nowNs));
  }

  /** The answer to a request that was answered lately, or null. */
  Mad of(long nowNs, Q request) {
    KeptAnswer found = latest.get(request);
    return found == null || isOver(found, nowNs) ? null : found.message;
  }

  private static boolean isOver(KeptAnswer answer, long nowNs) {
    return nowNs - answer.atNs > LIFE_NS;
  }
}
