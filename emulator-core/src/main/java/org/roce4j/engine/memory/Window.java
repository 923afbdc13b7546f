package org.roce4j.engine.memory;

import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.text.Wording;

/**
 * A memory window ({@code struct ibv_mw}): remote rights to a part of a region. Access is checked
 * against the window's own range and rights, its domain, for type 2 the queue pair it was bound on,
 * and the region must still be there (ruling R12).
 *
 * <p>A type 1 window may be used by one engine while another engine binds it anew. So a copy
 * through a window is counted while it lasts, and what ends a binding waits for a count of zero
 * before it returns, hence before its completion. A copy waits for nothing, runs no code of the
 * application and moves one packet: so the wait is short, and two engines cannot wait for each
 * other. An engine that no thread runs copies nothing.
 */
public final class Window extends MemoryKey {
  private static final int REMOTE_RIGHTS =
      AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;

  private final MwType type;

  /** Whether it was deallocated, perhaps before a bind that was posted is carried out. */
  private boolean revoked;

  /** The key of the type 1 bind that was queued last. */
  private final AtomicInteger queuedKey;

  /** Null: unbound. Written by whichever engine binds, as a whole. */
  private volatile Binding binding;

  /** What the window shows, from one bind to what ends it. */
  static final class Binding implements Grant {
    private final Window window;
    private final Region region;
    private final long start;
    private final long length;
    private final int access;
    private final Accessor boundOn;

    /** Copies that use it at this moment, of any engine. */
    private final AtomicInteger copies = new AtomicInteger();

    /**
     * @param start address of the first byte, in the region's terms
     * @param boundOn the queue pair whose send queue carried the bind
     */
    Binding(Window window, Region region, long start, long length, int access, Accessor boundOn) {
      this.window = window;
      this.region = region;
      this.start = start;
      this.length = length;
      this.access = access;
      this.boundOn = boundOn;
    }

    @Override
    public long locate(long va, long bytes, int right, Accessor asking) {
      Domain domain = window.domain();
      if (!region.valid()
          || region.domain() != domain
          || asking.domain() != domain
          || (window.type == MwType.TYPE_2 && asking != boundOn)
          || (access & right) != right) {
        return -1;
      }
      boolean zeroBased = (access & AccessFlags.ZERO_BASED) != 0;
      if (!within(va, bytes, zeroBased ? 0 : start, length)) {
        return -1;
      }
      return (zeroBased ? start + va : va) - region.iova();
    }

    @Override
    public Region region() {
      return region;
    }

    /**
     * Counts first and asks then, while {@link Window#unbind} takes the binding away first and
     * looks at the count then: so either this copy does not happen, or it is waited for.
     */
    @Override
    public boolean beginCopy() {
      copies.incrementAndGet();
      if (window.binding == this) {
        return true;
      }
      endCopy();
      return false;
    }

    @Override
    public void endCopy() {
      copies.decrementAndGet();
    }

    Accessor boundOn() {
      return boundOn;
    }

    int access() {
      return access;
    }

    /** The address by which peers name its first byte. */
    long first() {
      return (access & AccessFlags.ZERO_BASED) != 0 ? 0 : start;
    }

    long length() {
      return length;
    }

    /** No copy begins any more: waits for those that have begun, each of one packet at most. */
    private void awaitCopies() {
      while (copies.get() != 0) {
        Thread.onSpinWait();
      }
    }
  }

  Window(int value, Domain domain, MwType type) {
    super(value, domain);
    this.type = type;
    queuedKey = new AtomicInteger(value);
  }

  @Override
  Grant grant() {
    return binding;
  }

  Binding binding() {
    return binding;
  }

  public MwType type() {
    return type;
  }

  /**
   * The key that the next bind of type 1 gives it ({@code ibv_inc_rkey}); every call yields another
   * one. Any thread, once the request has a place in its send queue.
   */
  public int nextKey() {
    return queuedKey.updateAndGet(MemoryWindow::incrementRkey);
  }

  /** What {@link #nextKey} has yielded last, at first {@link #value}. */
  public int queuedKey() {
    return queuedKey.get();
  }

  public boolean bound() {
    return binding != null;
  }

  /** Whether it opens a part of this region. */
  public boolean isBoundTo(Region region) {
    Binding now = binding;
    return now != null && now.region == region;
  }

  /**
   * Binds, rebinds (type 1) or unbinds (type 1, length 0). The request names the window, not the
   * key it has: what came of binds before it does not matter (R25).
   *
   * @param newKey its low byte becomes that of this window's key
   * @return whether the rules allow it; if not, nothing changed
   */
  public synchronized boolean bind(
      int newKey, Region target, long address, long bytes, int rights, Accessor boundOn) {
    if (revoked || boundOn.domain() != domain()) {
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
    binding = new Binding(this, target, address, bytes, rights, boundOn);
    return true;
  }

  /** Why {@link #bind} refused, for people. */
  public synchronized String whyNotBound(
      Region target, long address, long bytes, int rights, Accessor boundOn) {
    if (revoked) {
      return "the window was deallocated";
    }
    if (boundOn.domain() != domain() || (target != null && target.domain() != domain())) {
      return "window, region and queue pair are not of one protection domain";
    }
    if (bytes == 0) {
      return "a type 2 window is unbound by LOCAL_INV, not by a bind of no bytes";
    }
    if (type == MwType.TYPE_2 && bound()) {
      return "a type 2 window that is bound must be invalidated first";
    }
    if (target == null || !target.valid()) {
      return "there is no region to bind it to, or it was deregistered";
    }
    if ((target.access() & AccessFlags.MW_BIND) == 0) {
      return Wording.of("the region grants %s, not MW_BIND", AccessFlags.toString(target.access()));
    }
    if (!within(address, bytes, target.iova(), target.length())) {
      return Wording.of("%d bytes at 0x%x are not all in the region", bytes, address);
    }
    return Wording.of(
        "the rights %s are not a window's, or need LOCAL_WRITE of a region that is not zero-based",
        AccessFlags.toString(rights));
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
  synchronized boolean invalidate(int key, Accessor asking) {
    Binding now = binding;
    if (type != MwType.TYPE_2 || key != value() || now == null || asking != now.boundOn) {
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

  /** When it returns, no copy through what the window showed happens any more, on any engine. */
  private void unbind() {
    Binding was = binding;
    if (was != null) {
      binding = null;
      was.awaitCopies();
      was.region().windowUnbound();
    }
  }
}
