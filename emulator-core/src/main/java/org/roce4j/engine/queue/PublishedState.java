package org.roce4j.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.roce4j.verbs.QpState;

/**
 * A queue pair's state, written by the engine's owner and read by threads that post. A poster
 * publishes its request and then reads the state; a flush writes the state first. So the flush sees
 * the request, or the poster's doorbell has it flushed. The queue pair extends it, and it is the
 * queue pair's place in the {@link DoorbellList} too: what posting and the engine's first look at a
 * queue pair need shares a cache line.
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

  /** Below this end of the send queue a small request may wait for the next one; 0: none may. */
  private long mayWaitBelow;

  /**
   * Asked for by a thread that does not own the engine; the owner fails it when it takes the
   * doorbell.
   */
  private volatile boolean failureRequested;

  /** As it was published last; any thread. */
  public final QpState state() {
    return (QpState) STATE.getVolatile(this);
  }

  /** The same, after a request was published: no flush in between can have missed that one. */
  public final QpState stateAfterPublishing() {
    VarHandle.fullFence(); // publishState() has the twin
    return state();
  }

  /** Tells it to threads that post; the engine's owner. */
  protected final void publishState(QpState next) {
    STATE.setVolatile(this, next);
    VarHandle.fullFence(); // before a flush looks for requests
  }

  /**
   * Whether a request that was published and rung for may wait for others: the engine need not run
   * for it at once. Any thread.
   *
   * @param end of the send queue, after the request
   */
  public final boolean mayWait(long end) {
    return end < (long) MAY_WAIT_BELOW.getVolatile(this);
  }

  /** Whether requests may wait; the engine's owner. */
  public final boolean someMayWait() {
    return mayWaitBelow != 0;
  }

  /**
   * Says which requests may wait; the engine's owner, who takes the doorbells after that when fewer
   * may than before.
   *
   * @param end of the send queue before which they may; 0: none may
   */
  public final void publishMayWait(long end) {
    if (mayWaitBelow != end) {
      MAY_WAIT_BELOW.setVolatile(this, end);
    }
  }

  /** Asks that the queue pair fail; any thread, which rings its doorbell then. */
  public final void requestFailure() {
    failureRequested = true;
  }

  /** Whether that was asked for since the last call; the engine's owner. */
  protected final boolean takeFailureRequest() {
    boolean was = failureRequested;
    if (was) {
      failureRequested = false;
    }
    return was;
  }
}
