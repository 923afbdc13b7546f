package org.roce4j.emulator;

import java.util.concurrent.TimeUnit;

/**
 * One absence of a thread from a virtual network: may time pass without it? It may be on its way
 * back as long as it computes or waits for a processor. A thread that had a processor again and
 * again, each time for a moment, looks now and then whether something has come to pass. On a busy
 * machine such a thread is nearly always awake, for it waits for its next turn on a processor.
 */
final class Elsewhere {
  /** The network waits this long for a thread that runs elsewhere and uses the processor. */
  static final long BUSY_NS = TimeUnit.SECONDS.toNanos(2);

  /** The longest wait for a thread that gets no processor. */
  static final long STARVED_NS = TimeUnit.SECONDS.toNanos(20);

  /** A computing thread has turns longer than this, as a rule: Linux's are some milliseconds. */
  private static final long MOMENT_NS = TimeUnit.MICROSECONDS.toNanos(50);

  /** A thread that has yielded this often in {@link #BUSY_NS} is busy with that. */
  private static final int YIELDS = 50;

  /** Each nap halves the wait for the next; 20 s become 5 ms. */
  private static final int MOST_HALVED = 12;

  /**
   * The use that a thread has made of the processors.
   *
   * @param ranNs the time on a processor
   * @param count how often it was given one
   */
  record Turns(long ranNs, long count) {}

  private final long sinceNs;
  private final Turns before;

  /** The number of its turns at the last look. */
  private long turns;

  /** The time of the first look that found this number. */
  private long awakeSinceNs;

  /** Begins with the first look that finds the thread elsewhere. */
  Elsewhere(long nowNs, Turns before) {
    sinceNs = nowNs;
    awakeSinceNs = nowNs;
    this.before = before;
  }

  /** Whether a thread that runs is busy with something else. */
  boolean isBusy(long nowNs, Turns soFar) {
    long away = nowNs - sinceNs;
    return away >= STARVED_NS
        || away >= BUSY_NS
            && (soFar.ranNs - before.ranNs >= BUSY_NS || momentsSince(soFar) >= YIELDS);
  }

  /**
   * Whether a thread that slept for a limited time and is awake now will sleep again: it has done
   * so often, or was not seen to run for as long as its habits allow.
   */
  boolean naps(long nowNs, Turns soFar) {
    long moments = Math.min(momentsSince(soFar), MOST_HALVED);
    if (soFar.count != turns) {
      turns = soFar.count;
      awakeSinceNs = nowNs;
      return moments == MOST_HALVED;
    }
    return nowNs - awakeSinceNs >= STARVED_NS >> moments;
  }

  /** The number of its turns in this absence; 0 if it has used more than a moment of each. */
  private long momentsSince(Turns soFar) {
    long count = soFar.count - before.count;
    return soFar.ranNs - before.ranNs <= count * MOMENT_NS ? count : 0;
  }
}
