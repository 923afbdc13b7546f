package org.roce4j.engine.queue;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.verbs.CompletionQueue;

/**
 * The events of a completion channel: the completion queues that have announced a completion. A
 * queue announces once per arming, so events are rare and may take a lock. Thread-safe.
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
   * Adds the event of a completion queue.
   *
   * @return the hook to call if there was no event before, else null
   */
  public Runnable raise(Source source) {
    synchronized (ready) {
      ready.add(source);
      waiting.set(ready.size());
      return ready.size() == 1 ? hook : null;
    }
  }

  /** Whether an event waits. Takes no lock. */
  public boolean hasEvent() {
    return waiting.get() > 0;
  }

  /** Removes the next event and returns its queue, or null. */
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
   * Acknowledges events. Acknowledgements beyond the delivered events do not count for later ones.
   *
   * @return whether all events are acknowledged now and a thread waits for {@link #settled}
   */
  public boolean acknowledge(Source source, int events) {
    synchronized (ready) {
      source.acknowledged += Math.min(events, source.delivered - source.acknowledged);
      return source.awaited && source.acknowledged >= source.delivered;
    }
  }

  /** Drops the events not delivered, because the completion queue is being destroyed. */
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
   * Sets the hook to call when the first event arrives; null: none.
   *
   * @return whether events already wait, so that the caller must call the hook
   */
  public boolean onEvent(Runnable newHook) {
    synchronized (ready) {
      hook = newHook;
      return newHook != null && !ready.isEmpty();
    }
  }
}
