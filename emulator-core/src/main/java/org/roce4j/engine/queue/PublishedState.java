package org.roce4j.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.roce4j.verbs.QpState;

/**
 * A queue pair's state, written by the engine's owner and read by threads that post. A poster
 * publishes its request and then reads the state; a flush writes the state first. So either the
 * flush sees the request, or the poster's doorbell has the request flushed. The queue pair extends
 * this class, which is also its place in the {@link DoorbellList}: what a post and the start of a
 * turn read is in one cache line.
 */
public abstract non-sealed class PublishedState extends DoorbellList.Doorbell {
  private static final VarHandle STATE;
  private static final VarHandle MAY_WAIT_BELOW;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(PublishedState.class, "state", QpState.class);
      MAY_WAIT_BELOW = lookup.findVarHandle(PublishedState.class, "mayWaitBelow", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings({"unused", "FieldMayBeFinal"}) // through STATE
  private QpState state = QpState.RESET;

  /**
   * Requests may wait for later ones while the end of the send queue is below this; 0: none may.
   */
  private long mayWaitBelow;

  /**
   * Whether a thread that does not own the engine has asked for a failure. The owner fails the
   * queue pair when it takes the doorbell.
   */
  private volatile boolean failureRequested;

  /** The state published last. Any thread may call this. */
  public final QpState state() {
    return (QpState) STATE.getVolatile(this);
  }

  /**
   * The state after the caller has published a request. If it does not show a flush, the flush that
   * publishes its state later sees the request.
   */
  public final QpState stateAfterPublishing() {
    VarHandle.fullFence(); // the counterpart is in publishState()
    return state();
  }

  /** Publishes the state to threads that post. For the engine's owner. */
  protected final void publishState(QpState next) {
    STATE.setVolatile(this, next);
    VarHandle.fullFence(); // before a flush looks for requests
  }

  /**
   * Whether a published request may wait for later ones, so that the engine need not run for it at
   * once. The doorbell was rung. Any thread may call this.
   *
   * @param end end of the send queue after the request
   */
  public final boolean mayWait(long end) {
    return end < (long) MAY_WAIT_BELOW.getVolatile(this);
  }

  /** Whether any request may wait. For the engine's owner. */
  public final boolean someMayWait() {
    return mayWaitBelow != 0;
  }

  /**
   * Publishes which requests may wait. For the engine's owner; if fewer may wait than before, it
   * must then take the doorbells.
   *
   * @param end index in the send queue below which requests may wait; 0: none may
   */
  public final void publishMayWait(long end) {
    if (mayWaitBelow != end) {
      MAY_WAIT_BELOW.setVolatile(this, end);
    }
  }

  /** Asks for the failure of the queue pair. Any thread, which must then ring the doorbell. */
  public final void requestFailure() {
    failureRequested = true;
  }

  /** Whether a failure was asked for since the last call. For the engine's owner. */
  protected final boolean takeFailureRequest() {
    boolean was = failureRequested;
    if (was) {
      failureRequested = false;
    }
    return was;
  }
}
