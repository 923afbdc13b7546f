package org.roce4j.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.roce4j.verbs.QpState;

/**
 * A queue pair's state, written by the engine's owner and read by threads that post. Whoever posts
 * publishes first and reads the state then; whoever flushes writes the state first: so a request is
 * either seen by the flush or flushed by its poster's doorbell. It is the queue pair's place in the
 * {@link DoorbellList} too: posting needs both, and they share a cache line.
 */
public final class PublishedState extends DoorbellList.Doorbell {
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(PublishedState.class, "state", QpState.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings({"unused", "FieldMayBeFinal"}) // through STATE
  private QpState state = QpState.RESET;

  /**
   * @param owner the queue pair
   */
  public PublishedState(Object owner) {
    super(owner);
  }

  public QpState get() {
    return (QpState) STATE.getVolatile(this);
  }

  public void set(QpState next) {
    STATE.setVolatile(this, next);
  }
}
