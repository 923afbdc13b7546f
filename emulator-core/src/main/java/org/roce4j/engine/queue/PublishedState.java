package org.roce4j.engine.queue;

import java.util.concurrent.atomic.AtomicReference;
import org.roce4j.verbs.QpState;

/**
 * A queue pair's state, written by the engine's owner and read by threads that post. Whoever posts
 * publishes first and reads the state then; whoever flushes writes the state first: so a request is
 * either seen by the flush or flushed by its poster's doorbell.
 */
public final class PublishedState {
  private final AtomicReference<QpState> state = new AtomicReference<>(QpState.RESET);

  public QpState get() {
    return state.get();
  }

  public void set(QpState next) {
    state.set(next);
  }
}
