package org.roce4j.engine.memory;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.verbs.AccessFlags;

/** A memory region: registered memory with rights ({@code struct ibv_mr}). */
public final class Region extends MemoryKey implements Grant {
  private MemorySegment memory;
  private long length;
  private boolean mapped;

  /** Whether there is no memory: writes are discarded, and reads return zeros. */
  private final boolean nothing;

  private long iova;
  private int access;
  private boolean valid = true;

  /** The number of windows bound to it, which several engines change. */
  private final AtomicInteger windows = new AtomicInteger();

  Region(int value, Domain domain, MemorySegment memory, long iova, int access) {
    super(value, domain);
    move(memory, iova);
    this.access = access;
    nothing = false;
  }

  /** A region that covers every address and has no memory ({@code ibv_alloc_null_mr}). */
  Region(int value, Domain domain) {
    super(value, domain);
    memory = MemorySegment.NULL;
    length = Long.MAX_VALUE;
    access = AccessFlags.LOCAL_WRITE;
    nothing = true;
  }

  @Override
  Grant grant() {
    return this;
  }

  @Override
  public long locate(long va, long bytes, int right, Accessor asking) {
    if (!valid || asking.domain() != domain() || (access & right) != right) {
      return -1;
    }
    if (nothing) {
      return 0; // it contains every address but has no bytes
    }
    return within(va, bytes, iova, length) ? va - iova : -1;
  }

  /** Whether its memory contains these bytes of the process. */
  boolean holds(long address, long bytes) {
    MemorySegment now = memory;
    return now != null && within(address, bytes, now.address(), now.byteSize());
  }

  /**
   * A copy need not be announced: a region is removed by the owner of all engines, so no engine
   * copies then.
   */
  @Override
  public boolean beginCopy() {
    return true;
  }

  @Override
  public void endCopy() {}

  @Override
  public Region region() {
    return this;
  }

  MemorySegment memory() {
    return memory;
  }

  /** Whether there is no memory: writes are discarded, and reads return zeros. */
  boolean nothing() {
    return nothing;
  }

  /** Whether its memory is a mapped file, which can be truncated. */
  boolean mapped() {
    return mapped;
  }

  public long iova() {
    return iova;
  }

  public long length() {
    return length;
  }

  public int access() {
    return access;
  }

  public boolean valid() {
    return valid;
  }

  /** Whether memory windows are bound to it. */
  public boolean hasWindows() {
    return windows.get() > 0;
  }

  void windowBound() {
    windows.incrementAndGet();
  }

  void windowUnbound() {
    windows.decrementAndGet();
  }

  void revoke() {
    valid = false;
  }

  /** Sets other memory ({@code ibv_rereg_mr}). For the owner of all engines. */
  public void move(MemorySegment newMemory, long newIova) {
    memory = newMemory;
    length = newMemory.byteSize();
    mapped = newMemory.isMapped();
    iova = newIova;
  }

  /** Sets domain and rights ({@code ibv_rereg_mr}). For the owner of all engines. */
  public void reregister(Domain newDomain, int newAccess) {
    domain(newDomain);
    access = newAccess;
  }
}
