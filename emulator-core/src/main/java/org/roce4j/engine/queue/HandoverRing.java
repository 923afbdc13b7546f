package org.roce4j.engine.queue;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;

/**
 * Copies of datagrams for one engine that arrived at the socket of another. Owners of other engines
 * add them; the engine's owner removes them in the same order. The ring is bounded: a datagram that
 * finds no room is lost, as in a full socket buffer. Allocates nothing after construction.
 */
public final class HandoverRing extends PostLock {
  /** The size of the longest valid packet: an MTU of 4096, the longest headers, ICRC. */
  static final int SLOT_BYTES = 4352;

  static final int SLOTS = 512;

  private static final int ABOUT_LONGS = 9;
  private static final int LENGTH = 0;
  private static final int SOURCE_HIGH = 1;
  private static final int SOURCE_LOW = 2;
  private static final int SOURCE_PORT = 3;
  private static final int LOCAL_HIGH = 4;
  private static final int LOCAL_LOW = 5;
  private static final int NETWORK = 6;
  private static final int HEARD_HIGH = 7;
  private static final int HEARD_LOW = 8;

  private static final VarHandle PUBLISHED;
  private static final VarHandle RETIRED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      PUBLISHED = lookup.findVarHandle(HandoverRing.class, "published", long.class);
      RETIRED = lookup.findVarHandle(HandoverRing.class, "retired", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(SLOTS * SLOT_BYTES);
  private final MemorySegment memory = MemorySegment.ofBuffer(buffer);
  private final long[] about = new long[SLOTS * ABOUT_LONGS];
  private final IcrcVerdict[] verdicts = new IcrcVerdict[SLOTS];

  @SuppressWarnings("unused") // through PUBLISHED
  private long published;

  @SuppressWarnings("unused") // through RETIRED
  private long retired;

  /**
   * Adds a copy; false if there is no room or it is too long for a packet. Any thread may call
   * this.
   */
  public boolean offer(Inbound in) {
    int length = in.length();
    if (length > SLOT_BYTES) {
      return false;
    }
    lock();
    try {
      long at = (long) PUBLISHED.getOpaque(this);
      if (at - (long) RETIRED.getAcquire(this) >= SLOTS) {
        return false;
      }
      int slot = (int) at & SLOTS - 1;
      MemorySegment.copy(in.memory(), in.at(), memory, (long) slot * SLOT_BYTES, length);
      int i = slot * ABOUT_LONGS;
      about[i + LENGTH] = length;
      about[i + SOURCE_HIGH] = in.sourceHigh();
      about[i + SOURCE_LOW] = in.sourceLow();
      about[i + SOURCE_PORT] = in.sourcePort();
      about[i + LOCAL_HIGH] = in.localHigh();
      about[i + LOCAL_LOW] = in.localLow();
      about[i + HEARD_HIGH] = in.heardHigh();
      about[i + HEARD_LOW] = in.heardLow();
      about[i + NETWORK] = (long) in.trafficClass() << 32 | in.hopLimit() & 0xffffffffL;
      verdicts[slot] = in.icrc();
      PUBLISHED.setVolatile(this, at + 1);
      return true;
    } finally {
      unlock();
    }
  }

  /** The number of datagrams that wait. Any thread may call this. */
  public int size() {
    return (int) ((long) PUBLISHED.getVolatile(this) - (long) RETIRED.getOpaque(this));
  }

  /** Shows the oldest datagram, which must exist and stays until {@link #retire}. For the owner. */
  public void first(Inbound into) {
    int slot = (int) (long) RETIRED.getOpaque(this) & SLOTS - 1;
    int i = slot * ABOUT_LONGS;
    into.payload(buffer, memory, slot * SLOT_BYTES, (int) about[i + LENGTH])
        .source(about[i + SOURCE_HIGH], about[i + SOURCE_LOW], (int) about[i + SOURCE_PORT])
        .local(about[i + LOCAL_HIGH], about[i + LOCAL_LOW])
        .heardBy(about[i + HEARD_HIGH], about[i + HEARD_LOW])
        .network((int) (about[i + NETWORK] >> 32), (int) about[i + NETWORK])
        .icrc(verdicts[slot]);
  }

  /** The oldest datagram was handled. For the engine's owner. */
  public void retire() {
    RETIRED.setRelease(this, (long) RETIRED.getOpaque(this) + 1);
  }
}
