package org.roce4j.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An intrusive list of queue pairs with published work. Any thread rings; the engine's owner takes
 * the whole list at once. A queue pair is in the list at most once.
 */
public final class DoorbellList {
  private static final VarHandle TOP;
  private static final VarHandle RUNG;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TOP = lookup.findVarHandle(DoorbellList.class, "top", Doorbell.class);
      RUNG = lookup.findVarHandle(Doorbell.class, "isRung", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through TOP
  private Doorbell top;

  /** A queue pair's place in the list. */
  public abstract static sealed class Doorbell permits PublishedState {
    private Doorbell next;

    @SuppressWarnings("unused") // through RUNG
    private boolean isRung;

    /**
     * The doorbell that was rung before this one; read by the engine's owner before {@link
     * #answer}.
     */
    public final Doorbell next() {
      return next;
    }

    /** Handles the announced work. Called by the engine's owner after {@link #answer}. */
    public abstract void rung();

    /** Marks the doorbell as taken, so that ringing adds it to the list again. */
    public final void answer() {
      next = null;
      RUNG.setVolatile(this, false);
      VarHandle.fullFence(); // before its work is read; pairs with the fence in ring()
    }
  }

  /**
   * Announces published work. Any thread may call this.
   *
   * @return whether it was added to the list; if not, it was in the list, and the thread that takes
   *     the list sees the work
   */
  public boolean ring(Doorbell doorbell) {
    while (!RUNG.compareAndSet(doorbell, false, true)) {
      // A failed compare-and-set orders nothing: without the fence, the published work might become
      // visible only after the owner has answered and read.
      VarHandle.fullFence();
      if ((boolean) RUNG.getVolatile(doorbell)) {
        return false;
      }
    }
    Doorbell before;
    do {
      before = (Doorbell) TOP.getAcquire(this);
      doorbell.next = before;
    } while (!TOP.compareAndSet(this, before, doorbell));
    return true;
  }

  /** Whether the list is not empty. */
  public boolean isRung() {
    return TOP.getVolatile(this) != null;
  }

  /** Takes the whole list, newest first, or null. Called by the engine's owner. */
  public Doorbell takeAll() {
    return TOP.getAcquire(this) == null ? null : (Doorbell) TOP.getAndSet(this, null);
  }
}
