package org.roce4j.engine.queue;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;

/**
 * Asynchronous events of a context in the order in which they happened; an object that is destroyed
 * takes its undelivered events along. None is merged with another, until nobody reads: an object
 * with {@link #MOST_OF_AN_OBJECT} events to be told tells a repeated one once, in the place of the
 * later, so that what is told last of it, such as a port that went down and up, is what is true.
 * Thread-safe; events are rare, so it takes a lock.
 */
public final class EventQueue {
  /** Events of one object that wait before repeated ones are merged. */
  static final int MOST_OF_AN_OBJECT = 256;

  private final ArrayDeque<Waiting> ready = new ArrayDeque<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private Runnable hook;

  /** What events concern: one of a queue's or a port's, or the device. */
  public static final class Source {
    private final QueuePair qp;
    private final CompletionQueue cq;
    private final SharedReceiveQueue srq;
    private final int portNum;
    private int pending;
    private int unacknowledged;
    private boolean awaited;

    private Source(QueuePair qp, CompletionQueue cq, SharedReceiveQueue srq, int portNum) {
      this.qp = qp;
      this.cq = cq;
      this.srq = srq;
      this.portNum = portNum;
    }

    /** A queue pair. */
    public static Source of(QueuePair qp) {
      return new Source(qp, null, null, 0);
    }

    /** A completion queue. */
    public static Source of(CompletionQueue cq) {
      return new Source(null, cq, null, 0);
    }

    /** A shared receive queue. */
    public static Source of(SharedReceiveQueue srq) {
      return new Source(null, null, srq, 0);
    }

    /**
     * A port, or the device.
     *
     * @param portNum 1 or more; 0: the device
     */
    public static Source ofPort(int portNum) {
      return new Source(null, null, null, portNum);
    }

    /** The queue pair; null: the event concerns something else. */
    public QueuePair qp() {
      return qp;
    }

    /** The completion queue, or null. */
    public CompletionQueue cq() {
      return cq;
    }

    /** The shared receive queue, or null. */
    public SharedReceiveQueue srq() {
      return srq;
    }

    /** The number of the port, or 0. */
    public int portNum() {
      return portNum;
    }
  }

  private record Waiting(Source source, EventType type) {}

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
      Waiting event = new Waiting(source, type);
      if (source.pending < MOST_OF_AN_OBJECT || !ready.removeFirstOccurrence(event)) {
        source.pending++;
      }
      ready.add(event);
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
      Waiting event = ready.poll();
      if (event == null) {
        return null;
      }
      event.source.pending--;
      event.source.unacknowledged++;
      waiting.set(ready.size());
      return new Delivered(event.source, event.type);
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
      if (source.pending > 0) {
        source.pending = 0;
        ready.removeIf(event -> event.source == source);
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
