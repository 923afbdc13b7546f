package org.roce4j.engine.memory;

import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.text.Wording;

/**
 * A memory window ({@code struct ibv_mw}): remote rights to a part of a region. An access is
 * checked against the window's range and rights, its domain, and for type 2 the queue pair on which
 * it was bound; and the region must still exist (ruling R12).
 *
 * <p>One engine may use a type 1 window while another engine rebinds it. Therefore copies through a
 * window are counted while they last, and the end of a binding waits until the count is zero before
 * it returns, and so before its request completes. A copy never waits, calls no code of the
 * application and moves one packet, so the wait is short and two engines cannot wait for each
 * other. An engine that no thread runs copies nothing.
 */
public final class Window extends MemoryKey {
  private static final int REMOTE_RIGHTS =
      AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;

  private final MwType type;

  /** Whether it was deallocated, possibly before a posted bind was executed. */
  private boolean revoked;

  /** The key of the type 1 bind that was posted last. */
  private final AtomicInteger queuedKey;

  /** The binding; null: unbound. Replaced as a whole by any engine that binds. */
  private volatile Binding binding;

  /** A binding: the memory that the window covers, from a bind until the binding ends. */
  static final class Binding implements Grant {
    private final Window window;
    private final Region region;
    private final long start;
    private final long length;
    private final int access;
    private final Accessor boundOn;

    /** The number of copies that use it now, on all engines. */
    private final AtomicInteger copies = new AtomicInteger();

    /**
     * @param start address of the first byte, in the region's addresses
     * @param boundOn the queue pair that executed the bind
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
     * Increases the count first and then checks the binding, whereas {@link Window#unbind} removes
     * the binding first and then checks the count. So either this copy is refused, or the end of
     * the binding waits for it.
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

    /** The address of its first byte for peers. */
    long first() {
      return (access & AccessFlags.ZERO_BASED) != 0 ? 0 : start;
    }

    long length() {
      return length;
    }

    /** Ends the binding: no copy begins. Waits for begun copies, each of at most one packet. */
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
   * The key that the next type 1 bind sets ({@code ibv_inc_rkey}); each call returns another key.
   * Any thread may call this once the request has a slot in its send queue.
   */
  public int nextKey() {
    return queuedKey.updateAndGet(MemoryWindow::incrementRkey);
  }

  /** The last key that {@link #nextKey} returned, initially {@link #value}. */
  public int queuedKey() {
    return queuedKey.get();
  }

  public boolean bound() {
    return binding != null;
  }

  /** Whether it is bound to this region. */
  public boolean isBoundTo(Region region) {
    Binding now = binding;
    return now != null && now.region == region;
  }

  /**
   * Binds, rebinds (type 1) or unbinds (type 1, length 0). The request names the window and not its
   * key, so the results of earlier binds do not matter (R25).
   *
   * @param newKey its low byte becomes the low byte of this window's key
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
    rename(newKey); // it is unbound meanwhile: no access by the old key finds the new range
    target.windowBound();
    binding = new Binding(this, target, address, bytes, rights, boundOn);
    return true;
  }

  /** Why {@link #bind} was refused. */
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

  /** Ends the binding of a type 2 window if this is its current key; else changes nothing. */
  synchronized boolean invalidate(int key, Accessor asking) {
    Binding now = binding;
    if (type != MwType.TYPE_2 || key != value() || now == null || asking != now.boundOn) {
      return false;
    }
    unbind();
    return true;
  }

  /** Ends the binding of a deallocated window, which can no longer be bound. */
  synchronized void revoke() {
    revoked = true;
    unbind();
  }

  /** Ends the binding. When it returns, no copy uses the old binding on any engine. */
  private void unbind() {
    Binding was = binding;
    if (was != null) {
      binding = null;
      was.awaitCopies();
      was.region().windowUnbound();
    }
  }
}
