package org.roce4j.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.roce4j.engine.memory.ScatterGather;

/**
 * A bounded ring of requests. Posters publish at the tail, and the engine's owner retires at the
 * head. An index increases without end; its slot is {@code index & mask}. A request is one record
 * of longs.
 *
 * <p>The ring begins with one slot and doubles, up to its bound, when a poster finds it full. So an
 * idle queue pair takes little memory, and a queue pair with few requests at a time uses few cache
 * lines. The poster copies the requests that are not retired into the larger {@link RingSlots} and
 * never writes to the smaller ones again. The engine's owner continues to use the smaller slots
 * until its next call of {@link #end}, which copies its own notes into the larger ones.
 */
abstract sealed class RequestRing extends PostLock permits SendQueue, ReceiveQueue {
  private static final VarHandle PUBLISHED;
  private static final VarHandle RETIRED;
  private static final VarHandle SLOTS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      PUBLISHED = lookup.findVarHandle(RequestRing.class, "published", long.class);
      RETIRED = lookup.findVarHandle(RequestRing.class, "retired", long.class);
      SLOTS = lookup.findVarHandle(RequestRing.class, "slots", RingSlots.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * The storage of the requests.
   *
   * @param records the records of all slots
   * @param companions objects that belong to a request in addition to its record, two per slot;
   *     null: no request has any
   */
  record RingSlots(long[] records, Object[] companions) {}

  /** The number of longs of a record. */
  final int stride;

  private int limit;

  // The fields of posters, used under the lock.
  private RingSlots slots;
  long[] posted;
  private int postedMask;
  private long filled;

  @SuppressWarnings("unused") // through PUBLISHED
  private long published;

  // The fields of the engine's owner.
  private long retired;
  private long seen;
  private RingSlots known;
  long[] records;
  private int mask;

  /**
   * @param requests number of requests that the ring must hold; rounded up to a power of two
   * @param stride number of longs of a record
   */
  RequestRing(int requests, int stride) {
    this.stride = stride;
    limit = slotsFor(requests);
    posted = new long[stride];
    records = posted;
    slots = new RingSlots(posted, null);
    known = slots;
  }

  /**
   * The number of longs of a record with {@code maxSge} scatter/gather entries.
   *
   * @param others number of its other longs
   */
  static int stride(int others, int maxSge) {
    return others + Math.max(1, maxSge) * ScatterGather.ENTRY_LONGS;
  }

  /** The number of requests that a ring for {@code requests} holds: the next power of two. */
  public static int slotsFor(int requests) {
    return requests <= 1 ? 1 : Integer.highestOneBit(requests - 1) << 1;
  }

  /** The greatest number of requests that it holds. */
  public final int capacity() {
    return limit;
  }

  /**
   * Changes the bound.
   *
   * @return false if the ring holds more than {@code requests} requests
   */
  public final boolean limit(int requests) {
    lock();
    try {
      if (filled - (long) RETIRED.getAcquire(this) > requests) {
        return false;
      }
      limit = requests;
      return true;
    } finally {
      unlock();
    }
  }

  // ---- for posters, under the lock

  /** A free slot to fill; -1 if the ring is full. Called under {@link #lock}. */
  public final int claim() {
    long oldest = (long) RETIRED.getAcquire(this);
    if (filled - oldest >= limit) {
      return -1;
    }
    if (filled - oldest > postedMask) {
      grow(oldest);
    }
    return (int) filled & postedMask;
  }

  private void grow(long oldest) {
    int largerMask = 2 * postedMask + 1;
    long[] larger = new long[(largerMask + 1) * stride];
    Object[] companions = slots.companions();
    Object[] moved = companions == null ? null : new Object[2 * (largerMask + 1)];
    for (long i = oldest; i < filled; i++) {
      int from = (int) i & postedMask;
      int to = (int) i & largerMask;
      System.arraycopy(posted, from * stride, larger, to * stride, stride);
      if (moved != null) {
        moved[2 * to] = companions[2 * from];
        moved[2 * to + 1] = companions[2 * from + 1];
      }
    }
    RingSlots grown = new RingSlots(larger, moved);
    posted = larger;
    postedMask = largerMask;
    SLOTS.setRelease(this, grown);
  }

  /** The object that belongs to a slot in addition to its record; null: none. */
  final Object companion(int slot, int which) {
    return slots.companions() == null ? null : slots.companions()[2 * slot + which];
  }

  /** Sets the object that belongs to a slot in addition to its record. */
  final void companion(int slot, int which, Object object) {
    if (slots.companions() == null) {
      SLOTS.setRelease(this, new RingSlots(posted, new Object[2 * (postedMask + 1)]));
    }
    slots.companions()[2 * slot + which] = object;
  }

  /** The claimed slot has been filled. Called under {@link #lock}. */
  public final void filled() {
    filled++;
  }

  /** The end of the filled slots. Called under {@link #lock}. */
  public final long filledEnd() {
    return filled;
  }

  /** Whether there is room for {@code requests} more requests. Called under {@link #lock}. */
  final boolean hasRoom(int requests) {
    return filled - (long) RETIRED.getAcquire(this) + requests <= limit;
  }

  /** Removes the newest slots, which are filled but not published. Called under {@link #lock}. */
  final void unfill(int requests) {
    filled -= requests;
  }

  /** Makes all filled slots visible to the engine. Called under {@link #lock}. */
  public final void publish() {
    PUBLISHED.setRelease(this, filled);
  }

  // ---- for the engine's owner

  /** The slot of the request at an index, valid until the next call of {@link #end}. */
  public final int slot(long index) {
    return (int) index & mask;
  }

  /** The first index that is not published. For the engine's owner. */
  public final long end() {
    long end = (long) PUBLISHED.getAcquire(this);
    RingSlots now = (RingSlots) SLOTS.getAcquire(this);
    if (now != known) {
      move(now);
    }
    seen = end;
    return end;
  }

  private void move(RingSlots to) {
    int largerMask = to.records().length / stride - 1;
    if (to.records() != records) {
      for (long i = retired; i < seen; i++) {
        moveNotes(records, slot(i) * stride, to.records(), ((int) i & largerMask) * stride);
      }
    }
    known = to;
    records = to.records();
    mask = largerMask;
  }

  /** Copies the fields of a record that the engine's owner has written. */
  abstract void moveNotes(long[] from, int fromRecord, long[] to, int toRecord);

  /** An object that belongs to a request in addition to its record. */
  final Object beside(int slot, int which) {
    return known.companions()[2 * slot + which];
  }

  /** Whether every published request is retired. For the engine's owner. */
  public final boolean isEmpty() {
    return retired == end();
  }

  /** Prefetches the oldest request's record; the result has no meaning. */
  public final long touchOldest() {
    int record = slot(retired) * stride;
    return records[record] + records[record + stride - 1];
  }

  /** The oldest index that is not retired. */
  public final long head() {
    return retired;
  }

  /** Retires the oldest request, whose slot can then be filled again. For the engine's owner. */
  public final void retire() {
    RETIRED.setRelease(this, retired + 1);
  }

  // ---- for several engines that take from one ring

  /** The oldest index that is not retired; another engine may retire it at any time. */
  final long oldest() {
    return (long) RETIRED.getAcquire(this);
  }

  /** The first index that is not published. */
  final long endForAll() {
    return (long) PUBLISHED.getAcquire(this);
  }

  /** The records of requests published before the last {@link #endForAll} and not retired. */
  final long[] recordsForAll() {
    return ((RingSlots) SLOTS.getAcquire(this)).records();
  }

  /**
   * Retires the oldest request unless another engine did.
   *
   * @return whether this call retired it; if so, what was read of it before is consistent
   */
  final boolean retire(long oldest) {
    return RETIRED.compareAndSet(this, oldest, oldest + 1);
  }

  /** The number of requests that are published and not retired. Any thread may call this. */
  public final int size() {
    return (int) ((long) PUBLISHED.getAcquire(this) - (long) RETIRED.getAcquire(this));
  }

  /** Removes every request without a completion. For the engine's owner. */
  public final void clear() {
    lock();
    try {
      RETIRED.setRelease(this, filled); // all are published: a poster does it under the lock
    } finally {
      unlock();
    }
  }
}
