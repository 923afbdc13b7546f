package org.roce4j.engine.queue;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.verbs.CompletionQueue;

/**
 * The events of a completion channel: which completion queues announced something. A queue
 * announces once per arming, so events are rare and a lock is taken. Thread-safe.
 */
public final class CompletionEvents {
  private final ArrayDeque<Source> ready = new ArrayDeque<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private Runnable hook;

  /** A completion queue of the channel. */
  public static final class Source {
    private final CompletionQueue owner;
    private int delivered;
    private int acknowledged;
    private boolean awaited;

    public Source(CompletionQueue owner) {
      this.owner = owner;
    }

    public CompletionQueue owner() {
      return owner;
    }
  }

  /**
   * A completion queue announces a completion.
   *
   * @return the hook to signal if there was no event before, else null
   */
  public Runnable raise(Source source) {
    synchronized (ready) {
      ready.add(source);
      waiting.set(ready.size());
      return ready.size() == 1 ? hook : null;
    }
  }

  /** Whether an event waits; cheap. */
  public boolean hasEvent() {
    return waiting.get() > 0;
  }

  /** The queue whose event is next, or null. */
  public Source poll() {
    synchronized (ready) {
      Source source = ready.poll();
      if (source != null) {
        source.delivered++;
        waiting.set(ready.size());
      }
      return source;
    }
  }

  /**
   * Events were acknowledged; more than were delivered do not count for later ones.
   *
   * @return whether these were the last, and somebody who asked for {@link #settled} waits for them
   */
  public boolean acknowledge(Source source, int events) {
    synchronized (ready) {
      source.acknowledged += Math.min(events, source.delivered - source.acknowledged);
      return source.awaited && source.acknowledged >= source.delivered;
    }
  }

  /** Drops what was not delivered; the completion queue is being destroyed. */
  public void discard(Source source) {
    synchronized (ready) {
      ready.removeIf(waitingSource -> waitingSource == source);
      waiting.set(ready.size());
    }
  }

  /** Whether every delivered event was acknowledged. */
  public boolean settled(Source source) {
    synchronized (ready) {
      source.awaited = source.acknowledged < source.delivered;
      return !source.awaited;
    }
  }

  /**
   * Sets what is called on the edge from empty to not; null for none.
   *
   * @return whether events wait already, so that the caller has to call it
   */
  public boolean onEvent(Runnable newHook) {
    synchronized (ready) {
      hook = newHook;
      return newHook != null && !ready.isEmpty();
    }
  }
}
