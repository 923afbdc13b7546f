package org.roce4j.engine.queue;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;

/**
 * The asynchronous events of a context, in the order in which they occurred. Destroying an object
 * drops its undelivered events. Events are merged only if the program does not read them: when an
 * object has {@link #MOST_OF_AN_OBJECT} undelivered events, a repeated one replaces the earlier
 * one, so that the last event of an object, such as a port that went down and up, still shows its
 * state. Thread-safe; events are rare, so it takes a lock.
 */
public final class EventQueue {
  /** The number of undelivered events of an object from which repeated ones are merged. */
  static final int MOST_OF_AN_OBJECT = 256;

  private final ArrayDeque<Waiting> ready = new ArrayDeque<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private Runnable hook;

  /**
   * The source of events: a queue pair, a completion queue, a shared receive queue, a port, or the
   * device.
   */
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

    /** The queue pair; null for another source. */
    public QueuePair qp() {
      return qp;
    }

    /** The completion queue; null for another source. */
    public CompletionQueue cq() {
      return cq;
    }

    /** The shared receive queue; null for another source. */
    public SharedReceiveQueue srq() {
      return srq;
    }

    /** The number of the port; 0 for another source. */
    public int portNum() {
      return portNum;
    }
  }

  private record Waiting(Source source, EventType type) {}

  /** A delivered event, which must be acknowledged. */
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
   * Adds an event.
   *
   * @return the hook to call if the queue was empty before, else null
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

  /** Whether an event waits. Takes no lock. */
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
   * Acknowledges an event. A second acknowledgement has no effect.
   *
   * @return whether all events of its source are acknowledged now and a thread waits for {@link
   *     #settled}
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

  /** Drops the undelivered events of an object that is being destroyed. */
  public void discard(Source source) {
    synchronized (ready) {
      if (source.pending > 0) {
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
