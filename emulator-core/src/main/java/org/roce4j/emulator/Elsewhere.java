package org.roce4j.emulator;

import java.util.concurrent.TimeUnit;

/**
 * One absence of a thread from a virtual network, which decides whether time may pass without the
 * thread. The thread may be on its way back while it computes or waits for a processor. A thread
 * that has had a processor many times, each time for a moment, only looks now and then for a
 * change. On a busy machine such a thread is awake nearly always, because it waits for a processor.
 */
final class Elsewhere {
  /** The time for which the network waits for a thread that uses a processor elsewhere. */
  static final long BUSY_NS = TimeUnit.SECONDS.toNanos(2);

  /** The longest time for which the network waits for a thread that gets no processor. */
  static final long STARVED_NS = TimeUnit.SECONDS.toNanos(20);

  /** A longer turn means that the thread computes: a turn on Linux is usually some milliseconds. */
  private static final long MOMENT_NS = TimeUnit.MICROSECONDS.toNanos(50);

  /** The number of turns in {@link #BUSY_NS} from which a thread counts as busy with yielding. */
  private static final int YIELDS = 50;

  /** The greatest number of naps that halve the next wait; 20 s become 5 ms. */
  private static final int MOST_HALVED = 12;

  /**
   * The processor use of a thread.
   *
   * @param ranNs time on a processor
   * @param count number of turns on a processor
   */
  record ProcessorUse(long ranNs, long count) {}

  private final long sinceNs;
  private final ProcessorUse before;

  /** The number of turns at the last check. */
  private long turns;

  /** The time of the first check that found this number of turns. */
  private long awakeSinceNs;

  /** An absence that begins with the first check that finds the thread elsewhere. */
  Elsewhere(long nowNs, ProcessorUse before) {
    sinceNs = nowNs;
    awakeSinceNs = nowNs;
    this.before = before;
  }

  /** Whether a thread that runs is busy with something else. */
  boolean isBusy(long nowNs, ProcessorUse soFar) {
    long away = nowNs - sinceNs;
    return away >= STARVED_NS
        || away >= BUSY_NS
            && (soFar.ranNs - before.ranNs >= BUSY_NS || momentsSince(soFar) >= YIELDS);
  }

  /**
   * Whether a thread that has slept for a limited time and is awake now will sleep again, because
   * it has often done so, or has not run for longer than its previous naps allow.
   */
  boolean naps(long nowNs, ProcessorUse soFar) {
    long moments = Math.min(momentsSince(soFar), MOST_HALVED);
    if (soFar.count != turns) {
      turns = soFar.count;
      awakeSinceNs = nowNs;
      return moments == MOST_HALVED;
    }
    return nowNs - awakeSinceNs >= STARVED_NS >> moments;
  }

  /** The number of turns in this absence; 0 if they were longer than a moment on average. */
  private long momentsSince(ProcessorUse soFar) {
    long count = soFar.count - before.count;
    return soFar.ranNs - before.ranNs <= count * MOMENT_NS ? count : 0;
  }
}
