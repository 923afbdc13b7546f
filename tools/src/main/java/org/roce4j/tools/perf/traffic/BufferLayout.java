package org.roce4j.tools.perf.traffic;

import org.roce4j.tools.perf.exchange.PerftestExchange.Agreement;

/**
 * Where the messages of each queue pair lie in the registered memory: first what all queue pairs
 * send from, then what they receive in. As in perftest, small messages cycle through a buffer of
 * one page, and a large one has a buffer of its own size; a run that verifies has room for every
 * message that may be under way.
 *
 * @param distance bytes from one message to the next
 * @param sendSlots places of a queue pair to send from
 * @param receiveSlots places of a queue pair to receive in, or of the peer to write to
 * @param sendBytes bytes of a queue pair's places to send from
 * @param receiveBytes bytes of a queue pair's places to receive in
 */
record BufferLayout(
    int queuePairs,
    long distance,
    int sendSlots,
    int receiveSlots,
    long sendBytes,
    long receiveBytes) {
  /**
   * More queue pairs than this use one place each: otherwise the posted data would fit in no cache.
   */
  private static final int MANY = 16;

  private static final int PAGE = 4096;

  static BufferLayout of(PerfPlan plan, Agreement agreement) {
    long line = agreement.cacheLine();
    long distance = roundUp(Math.max(1L, plan.size() + plan.headroom()), line);
    int cycle = agreement.cycleBuffer();
    boolean small = plan.size() <= cycle / 2 && plan.queuePairs() <= MANY && !plan.test().latency();
    int slots = small ? (int) (cycle / distance) : 1;
    int sendSlots = plan.verify() ? plan.txDepth() : slots;
    // One place more than receives: the next message may begin to land before it finds none.
    int receiveSlots =
        !plan.verify() ? slots : plan.receives() ? plan.rxDepth() + 1 : plan.txDepth();
    return new BufferLayout(
        plan.queuePairs(),
        distance,
        sendSlots,
        receiveSlots,
        roundUp(Math.max(cycle, sendSlots * distance), PAGE),
        roundUp(Math.max(cycle, receiveSlots * distance), PAGE));
  }

  private static long roundUp(long bytes, long to) {
    return (bytes + to - 1) / to * to;
  }

  long bytes() {
    return queuePairs * (sendBytes + receiveBytes);
  }

  long sendOffset(int lane, long message) {
    return lane * sendBytes + message % sendSlots * distance;
  }

  long receiveOffset(int lane, long message) {
    return queuePairs * sendBytes + lane * receiveBytes + message % receiveSlots * distance;
  }
}
