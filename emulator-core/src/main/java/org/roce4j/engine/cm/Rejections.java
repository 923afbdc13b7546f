package org.roce4j.engine.cm;

import java.util.LinkedHashMap;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Req;

/**
 * The requests that programs have rejected lately, a bounded number, and the answers. A REQ that
 * was retransmitted before its REJ arrived is answered again. Otherwise it would be another request
 * for the program, and if accepted wait a minute for a peer that no longer knows of it.
 *
 * <p>Linux forgets a rejected request at once; its first retransmission comes after 4.6 s.
 */
final class Rejections {
  /** The most requests that a program may leave unanswered, and then reject. */
  static final int MOST = 1024;

  /** A peer whose REJ was lost has asked again by then. */
  static final long LIFE_NS = 2 * CmTiming.RETRY_MAX_NS;

  private record Rejection(Mad answer, long atNs) {}

  private final LinkedHashMap<Req, Rejection> latest = new LinkedHashMap<>();

  /** A program has rejected a request. */
  void add(long nowNs, Req request, Mad answer) {
    latest.remove(request);
    while (!latest.isEmpty() && isOver(latest.firstEntry().getValue(), nowNs)) {
      latest.pollFirstEntry();
    }
    if (latest.size() >= MOST) {
      latest.pollFirstEntry();
    }
    latest.put(request, new Rejection(answer, nowNs));
  }

  /** The answer to a request that was rejected lately, or null. */
  Mad of(long nowNs, Req request) {
    Rejection found = latest.get(request);
    return found == null || isOver(found, nowNs) ? null : found.answer;
  }

  private static boolean isOver(Rejection rejection, long nowNs) {
    return nowNs - rejection.atNs > LIFE_NS;
  }
}
