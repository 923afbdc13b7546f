package org.roce4j.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.roce4j.engine.memory.ScatterGather;

/**
 * A bounded ring of requests. Posters publish at the tail, the engine's owner retires at the head.
 * An index grows for ever; its slot is {@code index & mask}. A request is one record of longs.
 *
 * <p>The ring begins with one slot and doubles when a poster finds it full, up to its bound: an
 * idle queue pair takes little memory, and a queue pair with few requests at a time stays in few
 * cache lines. The poster copies what is not retired into the larger {@link Slots} and never writes
 * to the smaller again; the engine's owner goes on in the slots that it knows until it asks for the
 * {@link #end}, and then takes along what it wrote into them itself.
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
      SLOTS = lookup.findVarHandle(RequestRing.class, "slots", Slots.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Room for requests.
   *
   * @param records of all slots
   * @param companions objects that a request has beside its record, two per slot; null: no request
   *     has any
   */
  record Slots(long[] records, Object[] companions) {}

  /** Longs that a record takes. */
  final int stride;

  private int limit;

  // Under the lock: where posters write.
  private Slots slots;
  long[] posted;
  private int postedMask;
  private long filled;

  @SuppressWarnings("unused") // through PUBLISHED
  private long published;

  // The engine's owner: where it reads.
  private long retired;
  private long seen;
  private Slots known;
  long[] records;
  private int mask;

  /**
   * @param requests how many the ring must hold; the next power of two is granted
   * @param stride longs that a record takes
   */
  RequestRing(int requests, int stride) {
    this.stride = stride;
    limit = slotsFor(requests);
    posted = new long[stride];
    records = posted;
    slots = new Slots(posted, null);
    known = slots;
  }

  /** Longs that a record with {@code maxSge} scatter/gather entries takes. */
  static int stride(int others, int maxSge) {
    return others + Math.max(1, maxSge) * ScatterGather.ENTRY_LONGS;
  }

  static int slotsFor(int requests) {
    return requests <= 1 ? 1 : Integer.highestOneBit(requests - 1) << 1;
  }

  /** How many requests it holds. */
  public final int capacity() {
    return limit;
  }

  /**
   * Lowers or raises the bound.
   *
   * @return false if it holds more requests than that
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

  // ---- posters, under the lock

  /** A free slot to fill, or -1 if the ring is full; under {@link #lock}. */
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
    Slots grown = new Slots(larger, moved);
    posted = larger;
    postedMask = largerMask;
    SLOTS.setRelease(this, grown);
  }

  /** An object that a slot has beside its record, or null. */
  final Object companion(int slot, int which) {
    return slots.companions() == null ? null : slots.companions()[2 * slot + which];
  }

  /** Gives a slot an object beside its record. */
  final void companion(int slot, int which, Object object) {
    if (slots.companions() == null) {
      SLOTS.setRelease(this, new Slots(posted, new Object[2 * (postedMask + 1)]));
    }
    slots.companions()[2 * slot + which] = object;
  }

  /** The claimed slot is filled; under {@link #lock}. */
  public final void filled() {
    filled++;
  }

  /** End of what is filled; under {@link #lock}. */
  public final long filledEnd() {
    return filled;
  }

  /** Whether that many more requests fit; under {@link #lock}. */
  final boolean hasRoom(int requests) {
    return filled - (long) RETIRED.getAcquire(this) + requests <= limit;
  }

  /** Takes back the newest slots that are filled and not published; under {@link #lock}. */
  final void unfill(int requests) {
    filled -= requests;
  }

  /** Makes all filled slots visible to the engine; under {@link #lock}. */
  public final void publish() {
    PUBLISHED.setRelease(this, filled);
  }

  // ---- the engine's owner

  /** Where the request with this index is, until {@link #end} is asked for again. */
  public final int slot(long index) {
    return (int) index & mask;
  }

  /** First index that was not published yet; the engine's owner. */
  public final long end() {
    long end = (long) PUBLISHED.getAcquire(this);
    Slots now = (Slots) SLOTS.getAcquire(this);
    if (now != known) {
      move(now);
    }
    seen = end;
    return end;
  }

  private void move(Slots to) {
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

  /** Copies what the engine's owner itself has written into a record. */
  abstract void moveNotes(long[] from, int fromRecord, long[] to, int toRecord);

  /** An object that a request has beside its record. */
  final Object beside(int slot, int which) {
    return known.companions()[2 * slot + which];
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
  public final long touchOldest() {
    int record = slot(retired) * stride;
    return records[record] + records[record + stride - 1];
  }

  /** Oldest index not retired. */
  public final long head() {
    return retired;
  }

  /** The oldest request is done; its slot may be filled again. The engine's owner. */
  public final void retire() {
    RETIRED.setRelease(this, retired + 1);
  }

  // ---- several engines that take from one ring

  /** Oldest index not retired; it may be retired meanwhile. */
  final long oldest() {
    return (long) RETIRED.getAcquire(this);
  }

  /** First index that was not published yet. */
  final long endForAll() {
    return (long) PUBLISHED.getAcquire(this);
  }

  /** The records that hold what was published before {@link #endForAll}, and is not retired. */
  final long[] recordsForAll() {
    return ((Slots) SLOTS.getAcquire(this)).records();
  }

  /**
   * Retires the oldest request unless another engine did; its slot may be filled again.
   *
   * @return whether it was retired here, and what was read of it before is whole
   */
  final boolean retire(long oldest) {
    return RETIRED.compareAndSet(this, oldest, oldest + 1);
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
