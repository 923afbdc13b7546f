package org.roce4j.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Queue pairs with published work, an intrusive list: any thread rings, the engine's owner takes
 * all of them at once. A queue pair that was rung and not yet taken stands in it once.
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

    /** Its work was announced; after {@link #answer}, by the engine's owner. */
    public abstract void rung();

    /** Taken: ringing from now on puts it into the list again. */
    public final void answer() {
      next = null;
      RUNG.setVolatile(this, false);
      VarHandle.fullFence(); // before its work is looked at; ring() has the twin
    }
  }

  /**
   * Announces published work; any thread.
   *
   * @return whether it stands in the list only now; if not, who takes the list sees the work too
   */
  public boolean ring(Doorbell doorbell) {
    while (!RUNG.compareAndSet(doorbell, false, true)) {
      // A compare-and-set that fails orders nothing: what was published might be seen only after
      // the owner has answered and looked.
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

  /** Whether somebody rang. */
  public boolean isRung() {
    return TOP.getVolatile(this) != null;
  }

  /** Takes the whole list, the newest first, or null; the engine's owner. */
  public Doorbell takeAll() {
    return TOP.getAcquire(this) == null ? null : (Doorbell) TOP.getAndSet(this, null);
  }
}
