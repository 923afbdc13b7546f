package org.roce4j.hardware;

import java.util.function.Supplier;
import org.roce4j.hardware.bindings.Descriptors;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.verbs.Callback;
import org.roce4j.verbs.PoolWorker;
import org.roce4j.verbs.VerbsException;

/**
 * The file descriptor of a completion channel or of a context's asynchronous events, made
 * non-blocking. Waiting is done in short slices, so that an interruption and the destruction of the
 * object are noticed soon; an event ends a slice at once. A readiness hook is served by a daemon
 * thread, which exists while there is a hook.
 */
final class EventDescriptor {
  private static final long SLICE_NS = 50_000_000;

  private final String name;
  private final int descriptor;
  private final Gate gate;
  private final Supplier<VerbsException> destroyed;

  /** Guarded by this. */
  private Runnable hook;

  private boolean armed;
  private Thread watcher;

  /**
   * @param name name of the watching thread
   * @param gate gate of the object that has the descriptor
   * @param destroyed the exception of a wait when that object is destroyed
   */
  EventDescriptor(String name, int descriptor, Gate gate, Supplier<VerbsException> destroyed) {
    this.name = name;
    this.descriptor = descriptor;
    this.gate = gate;
    this.destroyed = destroyed;
    Descriptors.dontBlock(descriptor);
  }

  /**
   * The next event, as {@code take} reads it; null if none arrived in time.
   *
   * @param take reads an event; null if there is none
   * @param timeoutNs 0: do not wait; {@link Long#MAX_VALUE}: without limit
   */
  <T> T next(Supplier<T> take, long timeoutNs) {
    return timeoutNs > 0 && PoolWorker.isCaller()
        ? PoolWorker.await(() -> nextHere(take, timeoutNs))
        : nextHere(take, timeoutNs);
  }

  private <T> T nextHere(Supplier<T> take, long timeoutNs) {
    long startNs = System.nanoTime();
    while (true) {
      if (!gate.enter()) {
        throw destroyed.get();
      }
      try (Frame frame = new Frame()) {
        T taken = take.get();
        arm();
        if (taken != null) {
          return taken;
        }
        long leftNs =
            timeoutNs == Long.MAX_VALUE ? SLICE_NS : timeoutNs - (System.nanoTime() - startNs);
        if (leftNs <= 0) {
          return null;
        }
        Descriptors.awaitReadable(frame, descriptor, Math.min(leftNs, SLICE_NS));
      } finally {
        gate.leave();
      }
      if (Thread.currentThread().isInterrupted()) {
        throw VerbsException.interrupted();
      }
    }
  }

  /** The descriptor, for native code. */
  int descriptor() {
    if (gate.isShut()) {
      throw destroyed.get();
    }
    return descriptor;
  }

  /** Sets the hook that is called when an event arrives; null removes it. */
  synchronized void onEvent(Runnable newHook) {
    if (newHook != null && gate.isShut()) {
      throw destroyed.get();
    }
    hook = newHook;
    armed = true;
    notifyAll();
    if (hook != null && watcher == null) {
      watcher = Thread.ofPlatform().daemon().name(name).unstarted(this::watch);
      watcher.start();
    }
  }

  /** The queue was looked at: the next event is news again. */
  private synchronized void arm() {
    if (!armed) {
      armed = true;
      notifyAll();
    }
  }

  private void watch() {
    while (hooked()) {
      if (readable()) {
        announce();
      }
    }
  }

  /** Waits until an event arrives; false if there is nothing to watch any more. */
  private synchronized boolean hooked() {
    try {
      while (hook != null && !armed) {
        wait();
      }
    } catch (InterruptedException e) {
      hook = null; // nobody but a program that looks for this thread interrupts it
    }
    if (hook == null) {
      watcher = null;
    }
    return hook != null;
  }

  private boolean readable() {
    if (!gate.enter()) {
      onEvent(null);
      return false;
    }
    try (Frame frame = new Frame()) {
      return Descriptors.awaitReadable(frame, descriptor, SLICE_NS);
    } finally {
      gate.leave();
    }
  }

  /** To the hook of now: another may have taken its place while nothing came. */
  private void announce() {
    Runnable to;
    synchronized (this) {
      to = hook;
      armed = false;
    }
    if (to != null) {
      Callback.run(to);
    }
  }
}
