package org.roce4j.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The indices of a bounded ring of requests. Posters publish at the tail, the engine's owner
 * retires at the head. An index grows for ever; its slot is {@code index & mask}.
 */
abstract sealed class RequestRing extends PostLock permits SendQueue, ReceiveQueue {
  private static final VarHandle PUBLISHED;
  private static final VarHandle RETIRED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      PUBLISHED = lookup.findVarHandle(RequestRing.class, "published", long.class);
      RETIRED = lookup.findVarHandle(RequestRing.class, "retired", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int mask;
  private int limit;
  private long filled;

  @SuppressWarnings("unused") // through PUBLISHED
  private long published;

  private long retired;

  /**
   * @param requests how many the ring must hold; its slots are the next power of two
   */
  RequestRing(int requests) {
    mask = slotsFor(requests) - 1;
    limit = mask + 1;
  }

  static int slotsFor(int requests) {
    return requests <= 1 ? 1 : Integer.highestOneBit(requests - 1) << 1;
  }

  /** How many requests it holds. */
  public final int capacity() {
    return limit;
  }

  /** Lowers or raises the bound, at most to the number of slots. */
  public final void limit(int requests) {
    limit = Math.min(requests, mask + 1);
  }

  public final int slots() {
    return mask + 1;
  }

  public final int slot(long index) {
    return (int) index & mask;
  }

  /** A free slot to fill, or -1 if the ring is full; under {@link #lock}. */
  public final int claim() {
    return filled - (long) RETIRED.getAcquire(this) >= limit ? -1 : slot(filled);
  }

  /** The claimed slot is filled; under {@link #lock}. */
  public final void filled() {
    filled++;
  }

  /** Makes all filled slots visible to the engine; under {@link #lock}. */
  public final void publish() {
    PUBLISHED.setRelease(this, filled);
  }

  /** First index that was not published yet; the engine's owner. */
  public final long end() {
    return (long) PUBLISHED.getAcquire(this);
  }

  /** Whether nothing is published that is not retired; the engine's owner. */
  public final boolean isEmpty() {
    return retired == end();
  }

  /**
   * Reads the oldest request's record, so that it is in the cache soon.
   *
   * @return a number without meaning
   */
  public abstract long readAhead();

  /** Oldest index not retired. */
  public final long head() {
    return retired;
  }

  /** The oldest request is done; its slot may be filled again. The engine's owner. */
  public final void retire() {
    RETIRED.setRelease(this, retired + 1);
  }

  /** How many are published and not retired, seen from any thread. */
  public final int size() {
    return (int) ((long) PUBLISHED.getAcquire(this) - (long) RETIRED.getAcquire(this));
  }

  /** Forgets every request without a completion; the engine's owner. */
  public final void clear() {
    lock();
    try {
      publish();
      RETIRED.setRelease(this, filled);
    } finally {
      unlock();
    }
  }
}
