package org.roce4j.engine.memory;

import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MwType;

/**
 * A memory window ({@code struct ibv_mw}): remote rights to a part of a region. Access is checked
 * against the window's own range and rights, its domain, for type 2 the queue pair it was bound on,
 * and the region must still be there (ruling R12).
 */
public final class Window extends MemoryKey {
  private static final int REMOTE_RIGHTS =
      AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;

  private final MwType type;

  /** Whether it was deallocated, perhaps before a bind that was posted is carried out. */
  private boolean revoked;

  /** Null: unbound. Written by whichever engine binds, as a whole. */
  private volatile Binding binding;

  /**
   * What the window shows.
   *
   * @param start address of the first byte, in the region's terms
   * @param qpNum the queue pair it was bound on
   */
  record Binding(Window window, Region region, long start, long length, int access, int qpNum)
      implements Grant {
    @Override
    public long locate(long va, long bytes, int right, Domain asking, int askingQp) {
      Domain domain = window.domain();
      if (!region.valid()
          || region.domain() != domain
          || asking != domain
          || (window.type == MwType.TYPE_2 && askingQp != qpNum)
          || (access & right) != right) {
        return -1;
      }
      boolean zeroBased = (access & AccessFlags.ZERO_BASED) != 0;
      if (!within(va, bytes, zeroBased ? 0 : start, length)) {
        return -1;
      }
      return (zeroBased ? start + va : va) - region.iova();
    }
  }

  Window(int value, Domain domain, MwType type) {
    super(value, domain);
    this.type = type;
  }

  @Override
  Grant grant() {
    return binding;
  }

  public MwType type() {
    return type;
  }

  public boolean bound() {
    return binding != null;
  }

  /**
   * Binds, rebinds (type 1) or unbinds (type 1, length 0). The request names the window, not the
   * key it has: what came of binds before it does not matter (R25).
   *
   * @param newKey its low byte becomes that of this window's key
   * @return whether the rules allow it; if not, nothing changed
   */
  public synchronized boolean bind(
      int newKey, Region target, long address, long bytes, int rights, Domain qpDomain, int onQp) {
    if (revoked || qpDomain != domain()) {
      return false;
    }
    if (bytes == 0) {
      if (type != MwType.TYPE_1) {
        return false;
      }
      unbind();
      rename(newKey);
      return true;
    }
    if ((type == MwType.TYPE_2 && bound()) || !mayBind(target, address, bytes, rights)) {
      return false;
    }
    unbind();
    rename(newKey); // unbound meanwhile: nobody finds the new range by the old key
    target.windowBound();
    binding = new Binding(this, target, address, bytes, rights, onQp);
    return true;
  }

  private void rename(int newKey) {
    value((value() & 0xffffff00) | (newKey & 0xff));
  }

  private boolean mayBind(Region target, long address, long bytes, int rights) {
    int allowed = type == MwType.TYPE_1 ? REMOTE_RIGHTS : REMOTE_RIGHTS | AccessFlags.ZERO_BASED;
    boolean writes = (rights & (AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC)) != 0;
    return target != null
        && target.valid()
        && target.domain() == domain()
        && (target.access() & AccessFlags.MW_BIND) != 0
        && (target.access() & AccessFlags.ZERO_BASED) == 0
        && (rights & ~allowed) == 0
        && (!writes || (target.access() & AccessFlags.LOCAL_WRITE) != 0)
        && within(address, bytes, target.iova(), target.length());
  }

  /** Undoes the binding of a type 2 window if this is its current key, else changes nothing. */
  synchronized boolean invalidate(int key, Domain asking, int askingQp) {
    Binding now = binding;
    if (type != MwType.TYPE_2
        || key != value()
        || now == null
        || asking != domain()
        || askingQp != now.qpNum()) {
      return false;
    }
    unbind();
    return true;
  }

  /** It is deallocated: unbound now, and bound no more. */
  synchronized void revoke() {
    revoked = true;
    unbind();
  }

  synchronized void unbind() {
    Binding was = binding;
    if (was != null) {
      binding = null;
      was.region().windowUnbound();
    }
  }
}
