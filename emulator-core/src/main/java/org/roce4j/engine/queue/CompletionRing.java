package org.roce4j.engine.queue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.layout.WcLayout;

/**
 * The completions of a completion queue, in native memory: slots of 64 bytes. Bytes 0-47 of a slot
 * are the exact {@code struct ibv_wc}; a sequence number is at byte 48, the time of the completion
 * at byte 56 if the ring {@linkplain Kind keeps} it. Several engines may push, several threads may
 * poll. A slot at position p is free for the producer of p while its sequence is p, and holds a
 * completion while it is p + 1.
 */
public final class CompletionRing {
  /** The result of {@link #claim} if there is no slot. */
  public static final long NONE = -1;

  /** The offset at which {@link #take} puts the time of a completion, on the port's clock. */
  public static final int STAMP = 56;

  /** The bytes that {@link #take} fills. */
  public static final int TAKEN_BYTES = 64;

  private static final int SLOT_SHIFT = 6;
  private static final int SLOT_BYTES = 1 << SLOT_SHIFT;
  private static final int SEQUENCE = 48;
  private static final int TAIL = 64;
  private static final int HEAD = 128;
  private static final int ARM = 192;
  private static final int FIRST_SLOT = 256;

  private static final int DISARMED = 0;
  private static final int ARMED_ANY = 1;
  private static final int ARMED_SOLICITED = 2;

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private MemorySegment ring;
  private int mask;
  private final RingListener listener;
  private final Kind kind;

  /** Delays events; null: no delay. Written under the ownership of every engine. */
  private EventModeration moderation;

  private final PostLock pollLock = new PostLock();
  private final AtomicInteger overflows = new AtomicInteger();

  /** Receives events on the thread that pushes, which owns an engine. */
  public interface RingListener {
    /** The ring was armed, and a matching completion of the queue pair arrived. */
    void completionEvent(int qpNum);

    /**
     * A completion of the queue pair found no room and is lost.
     *
     * @param first whether it is the first of this ring
     */
    void overflow(int qpNum, boolean first);

    /** The time of a completion of the queue pair, on the port's clock. */
    default long completedNs(int qpNum) {
      return 0;
    }

    /** The event of the queue pair's completion is delayed by at most {@code ns} nanoseconds. */
    default void held(int qpNum, long ns) {}
  }

  /**
   * Properties of a ring.
   *
   * @param stamped whether it keeps the time of each completion
   * @param mayOverrun whether a completion without room is lost without failing the queue
   */
  public record Kind(boolean stamped, boolean mayOverrun) {
    /** A ring of {@code ibv_create_cq}. */
    public static final Kind PLAIN = new Kind(false, false);
  }

  /** A ring of {@link Kind#PLAIN}. */
  public CompletionRing(int entries, RingListener listener) {
    this(entries, listener, Kind.PLAIN);
  }

  /**
   * @param entries number of completions that it must hold; rounded up to a power of two
   */
  public CompletionRing(int entries, RingListener listener, Kind kind) {
    this.listener = listener;
    this.kind = kind;
    mask = slotsFor(entries) - 1;
    ring = allocate(mask + 1);
    VarHandle.releaseFence();
  }

  /**
   * Memory that the garbage collector frees, so that a poll which races with destruction touches no
   * freed memory.
   */
  private static MemorySegment allocate(int slots) {
    MemorySegment memory = Arena.ofAuto().allocate(FIRST_SLOT + (long) slots * SLOT_BYTES, 64);
    for (int i = 0; i < slots; i++) {
      LONG.set(memory, FIRST_SLOT + (long) i * SLOT_BYTES + SEQUENCE, (long) i);
    }
    return memory;
  }

  /**
   * Changes the size and keeps the completions. Called under the ownership of every engine that
   * pushes.
   *
   * @return false if the ring holds more than {@code entries}
   */
  public boolean resize(int entries) {
    pollLock.lock();
    try {
      if (entries < size()) {
        return false;
      }
      int slots = slotsFor(entries);
      MemorySegment larger = allocate(slots);
      long head = (long) LONG.getAcquire(ring, (long) HEAD);
      long tail = (long) LONG.getAcquire(ring, (long) TAIL);
      long count = tail - head;
      for (long i = 0; i < count; i++) {
        long to = FIRST_SLOT + i * SLOT_BYTES;
        MemorySegment.copy(ring, slotAt(head + i), larger, to, SLOT_BYTES);
        LONG.set(larger, to + SEQUENCE, i + 1);
      }
      LONG.set(larger, (long) TAIL, count);
      MemorySegment smaller = ring;
      mask = slots - 1;
      ring = larger;
      // Either a thread that arms concurrently is seen here, or it sees the new ring.
      VarHandle.fullFence();
      int armed = (int) INT.getOpaque(smaller, (long) ARM);
      if (armed != DISARMED) {
        arm(armed == ARMED_SOLICITED);
      }
      return true;
    } finally {
      pollLock.unlock();
    }
  }

  /** At least two: with one slot, "holds p" and "free for p + 1" would be the same sequence. */
  private static int slotsFor(int entries) {
    return RequestRing.slotsFor(Math.max(2, entries));
  }

  public int capacity() {
    return mask + 1;
  }

  /** Whether a completion was lost since creation. */
  public boolean overflowed() {
    return overflows.get() > 0;
  }

  /** The approximate number of completions that wait to be polled. */
  public int size() {
    MemorySegment memory = ring; // it may be replaced: both numbers are of one memory
    return (int)
        ((long) LONG.getAcquire(memory, (long) TAIL) - (long) LONG.getAcquire(memory, (long) HEAD));
  }

  /**
   * Adds the completion of a send request, which is not solicited. On overflow it is lost, and the
   * listener is informed.
   */
  public void push(long wrId, WcStatus status, WcOpcode opcode, long bytes, int qpNum) {
    long slot = claim(wrId, status, opcode, bytes, qpNum);
    if (slot != NONE) {
      publish(slot, false);
    }
  }

  /**
   * Claims a slot for a completion. {@link #immediate}, {@link #invalidated} and {@link #datagram}
   * may add fields; then {@link #publish} must be called.
   *
   * @return the slot, or {@link #NONE} on overflow: the completion is lost, and the listener is
   *     informed
   */
  public long claim(long wrId, WcStatus status, WcOpcode opcode, long bytes, int qpNum) {
    long position;
    long slot;
    while (true) {
      position = (long) LONG.getAcquire(ring, (long) TAIL);
      slot = slotAt(position);
      long sequence = (long) LONG.getAcquire(ring, slot + SEQUENCE);
      if (sequence - position < 0) {
        if (!kind.mayOverrun()) {
          listener.overflow(qpNum, overflows.getAndIncrement() == 0);
        }
        return NONE;
      }
      if (sequence == position && LONG.compareAndSet(ring, (long) TAIL, position, position + 1)) {
        break;
      }
    }
    // The other fields are 0 from the start: nothing writes them.
    WcLayout.wrId(ring, slot, wrId);
    WcLayout.status(ring, slot, status.value());
    WcLayout.opcode(ring, slot, opcode.value());
    WcLayout.byteLen(ring, slot, (int) bytes);
    WcLayout.invalidatedRkey(ring, slot, 0);
    WcLayout.qpNum(ring, slot, qpNum);
    WcLayout.srcQp(ring, slot, 0);
    WcLayout.wcFlags(ring, slot, 0);
    return slot;
  }

  /** Adds immediate data, as a number, to a claimed slot. */
  public void immediate(long slot, int number) {
    WcLayout.immData(ring, slot, number);
    flag(slot, WcFlags.WITH_IMM);
  }

  /** Adds the key that the peer has invalidated to a claimed slot. */
  public void invalidated(long slot, int rkey) {
    WcLayout.invalidatedRkey(ring, slot, rkey);
    flag(slot, WcFlags.WITH_INV);
  }

  /** Adds the sender of a datagram to a claimed slot, and the flag of its network header. */
  public void datagram(long slot, int sourceQp) {
    WcLayout.srcQp(ring, slot, sourceQp);
    flag(slot, WcFlags.GRH);
  }

  private void flag(long slot, int flag) {
    WcLayout.wcFlags(ring, slot, WcLayout.wcFlags(ring, slot) | flag);
  }

  /**
   * Publishes a claimed slot, so that it can be polled.
   *
   * @param solicited whether a ring armed for solicited completions announces it; errors are always
   *     announced
   */
  public void publish(long slot, boolean solicited) {
    long position = (long) LONG.get(ring, slot + SEQUENCE);
    boolean counts = solicited || WcLayout.status(ring, slot) != WcStatus.SUCCESS.value();
    int qpNum = WcLayout.qpNum(ring, slot);
    if (kind.stamped()) {
      LONG.set(ring, slot + STAMP, listener.completedNs(qpNum));
    }
    // From now on another producer may write the slot.
    LONG.setRelease(ring, slot + SEQUENCE, position + 1);
    announce(counts, qpNum);
  }

  private void announce(boolean solicited, int qpNum) {
    // Full fence between publishing and reading the arm word; the consumer has its twin in arm().
    VarHandle.fullFence();
    int armed = (int) INT.getOpaque(ring, (long) ARM);
    if (armed == DISARMED || (armed == ARMED_SOLICITED && !solicited)) {
      return;
    }
    EventModeration holding = moderation;
    if (holding != null && holding.holdsBack(listener, qpNum)) {
      return;
    }
    if (INT.compareAndSet(ring, (long) ARM, armed, DISARMED)) {
      listener.completionEvent(qpNum);
    } else {
      announce(solicited, qpNum);
    }
  }

  /**
   * Sets the moderation of events. Called under the ownership of every engine that pushes.
   *
   * @param moderation null: none
   */
  public void moderate(EventModeration moderation) {
    this.moderation = moderation;
  }

  /** The delay of an event is over. Called by the owner of the queue pair's engine. */
  public void announceHeld(int qpNum) {
    EventModeration holding = moderation;
    int armed = (int) INT.getOpaque(ring, (long) ARM);
    if (armed != DISARMED
        && (holding == null || holding.release())
        && INT.compareAndSet(ring, (long) ARM, armed, DISARMED)) {
      listener.completionEvent(qpNum);
    }
  }

  /**
   * Requests one event for the next completion. Arming for any completion overrides arming for
   * solicited ones.
   */
  public void arm(boolean solicitedOnly) {
    MemorySegment armed;
    do {
      armed = ring;
      if (solicitedOnly) {
        INT.compareAndSet(armed, (long) ARM, DISARMED, ARMED_SOLICITED);
      } else {
        INT.setVolatile(armed, (long) ARM, ARMED_ANY);
      }
      VarHandle.fullFence();
    } while (armed != ring);
  }

  /** Whether the ring is armed. */
  public boolean armed() {
    return (int) INT.getOpaque(ring, (long) ARM) != DISARMED;
  }

  /**
   * Takes completions into an array of {@code struct ibv_wc} at {@code at}, up to {@code max} and
   * as many as fit the memory.
   *
   * @return the number of completions taken
   * @throws IndexOutOfBoundsException if there is a completion and none fits; it stays in the ring
   */
  public int poll(MemorySegment view, long at, int max) {
    if (looksEmpty()) {
      return 0;
    }
    int count = 0;
    pollLock.lock();
    try {
      long position = (long) LONG.getOpaque(ring, (long) HEAD);
      while (count < max) {
        long slot = slotAt(position);
        if ((long) LONG.getAcquire(ring, slot + SEQUENCE) != position + 1) {
          break;
        }
        copy(slot, view, at + (long) count * WcLayout.SIZE, WcLayout.SIZE);
        count++;
        takenFrom(slot, position);
        position++;
      }
      return count;
    } catch (IndexOutOfBoundsException e) {
      if (count == 0) {
        throw e;
      }
      return count; // these were taken
    } finally {
      pollLock.unlock();
    }
  }

  /**
   * Takes the oldest completion with its time: {@link #TAKEN_BYTES} bytes that begin with a {@link
   * WcLayout} and have the time at {@link #STAMP}.
   *
   * @return false if there is none
   */
  public boolean take(MemorySegment to) {
    if (looksEmpty()) {
      return false;
    }
    pollLock.lock();
    try {
      long position = (long) LONG.getOpaque(ring, (long) HEAD);
      long slot = slotAt(position);
      if ((long) LONG.getAcquire(ring, slot + SEQUENCE) != position + 1) {
        return false;
      }
      copy(slot, to, 0, TAKEN_BYTES);
      takenFrom(slot, position);
      return true;
    } finally {
      pollLock.unlock();
    }
  }

  /**
   * Copies from a slot to the caller's memory, which keeps all of its bytes if they do not fit.
   * {@link MemorySegment#copy} takes twice the time for 48 bytes.
   */
  private void copy(long slot, MemorySegment to, long at, int bytes) {
    Objects.checkFromIndexSize(at, bytes, to.byteSize());
    for (int i = 0; i < bytes; i += Long.BYTES) {
      to.set(ValueLayout.JAVA_LONG_UNALIGNED, at + i, (long) LONG.get(ring, slot + i));
    }
  }

  /** Frees a slot. */
  private void takenFrom(long slot, long position) {
    LONG.setRelease(ring, slot + SEQUENCE, position + capacity());
    LONG.setRelease(ring, (long) HEAD, position + 1);
  }

  /**
   * Whether the next slot waits for its completion, without taking the lock. A slot that another
   * thread is taking says nothing about the slots behind it, for however long that thread is
   * suspended. The ring may be replaced concurrently, so size and slot are read from the same
   * memory.
   */
  private boolean looksEmpty() {
    MemorySegment memory = ring;
    long position = (long) LONG.getOpaque(memory, (long) HEAD);
    long slots = memory.byteSize() - FIRST_SLOT >> SLOT_SHIFT;
    long slot = FIRST_SLOT + ((position & slots - 1) << SLOT_SHIFT);
    return (long) LONG.getAcquire(memory, slot + SEQUENCE) == position;
  }

  /**
   * Discards the completions of a queue pair that was destroyed or reset, and closes the gaps.
   * Called under the ownership of every engine that pushes.
   */
  public void purge(int qpNum) {
    pollLock.lock();
    try {
      long head = (long) LONG.getOpaque(ring, (long) HEAD);
      long end = (long) LONG.getAcquire(ring, (long) TAIL);
      long first = end;
      for (long position = end - 1; position >= head; position--) {
        if (WcLayout.qpNum(ring, slotAt(position)) != qpNum) {
          first--;
          move(slotAt(position), slotAt(first));
        }
      }
      for (long position = head; position < first; position++) {
        LONG.setRelease(ring, slotAt(position) + SEQUENCE, position + capacity());
      }
      LONG.setRelease(ring, (long) HEAD, first);
    } finally {
      pollLock.unlock();
    }
  }

  /** Copies a completion without the sequence number, which belongs to the slot. */
  private void move(long from, long to) {
    MemorySegment.copy(ring, from, ring, to, WcLayout.SIZE);
    LONG.set(ring, to + STAMP, (long) LONG.get(ring, from + STAMP));
  }

  private long slotAt(long position) {
    return FIRST_SLOT + (position & mask) * SLOT_BYTES;
  }
}
