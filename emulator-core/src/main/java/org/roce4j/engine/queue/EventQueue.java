package org.roce4j.engine.queue;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.verbs.EventType;

/**
 * Asynchronous events of a context, pending at the objects they concern: nothing is lost however
 * late they are read, and an object that is destroyed takes its undelivered events along. One that
 * happens again before it was read is told once, in the place of the later one: what is told last
 * of an object, such as a port that went down and up, is what is true. Thread-safe; events are
 * rare, so it takes a lock.
 */
public final class EventQueue {
  private final ArrayDeque<Source> ready = new ArrayDeque<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private Runnable hook;

  /** An object that events concern. */
  public static final class Source {
    private final Object owner;
    private final ArrayDeque<EventType> pending = new ArrayDeque<>();
    private int unacknowledged;
    private boolean awaited;
    private boolean queued;

    public Source(Object owner) {
      this.owner = owner;
    }

    public Object owner() {
      return owner;
    }
  }

  /** An event taken from the queue, to be acknowledged. */
  public static final class Delivered {
    private final Source source;
    private final EventType type;
    private boolean acknowledged;

    private Delivered(Source source, EventType type) {
      this.source = source;
      this.type = type;
    }

    public Source source() {
      return source;
    }

    public EventType type() {
      return type;
    }
  }

  /**
   * An event happened.
   *
   * @return the hook to signal if the queue was empty before, else null
   */
  public Runnable raise(Source source, EventType type) {
    synchronized (ready) {
      source.pending.remove(type);
      source.pending.add(type);
      if (source.queued) {
        return null;
      }
      source.queued = true;
      ready.add(source);
      waiting.set(ready.size());
      return ready.size() == 1 ? hook : null;
    }
  }

  /** Whether an event waits; cheap. */
  public boolean hasEvent() {
    return waiting.get() > 0;
  }

  /** The next event, or null. */
  public Delivered poll() {
    synchronized (ready) {
      Source source = ready.poll();
      if (source == null) {
        return null;
      }
      EventType type = source.pending.poll();
      source.unacknowledged++;
      if (!source.pending.isEmpty()) {
        ready.add(source);
      } else {
        source.queued = false;
      }
      waiting.set(ready.size());
      return new Delivered(source, type);
    }
  }

  /**
   * An event was acknowledged; again does not count.
   *
   * @return whether it was the last, and somebody who asked for {@link #settled} waits for it
   */
  public boolean acknowledge(Delivered event) {
    synchronized (ready) {
      Source source = event.source;
      if (!event.acknowledged) {
        event.acknowledged = true;
        source.unacknowledged--;
      }
      return source.awaited && source.unacknowledged == 0;
    }
  }

  /** Drops what was not delivered; the object is being destroyed. */
  public void discard(Source source) {
    synchronized (ready) {
      source.pending.clear();
      if (source.queued) {
        ready.remove(source);
        source.queued = false;
        waiting.set(ready.size());
      }
    }
  }

  /** Whether every delivered event was acknowledged. */
  public boolean settled(Source source) {
    synchronized (ready) {
      source.awaited = source.unacknowledged > 0;
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
