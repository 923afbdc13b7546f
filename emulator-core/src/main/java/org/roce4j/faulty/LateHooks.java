package org.roce4j.faulty;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.roce4j.verbs.VerbsException;

/**
 * Calls the hooks of channels when delayed completions are due: one thread for all channels of a
 * decoration, which ends when nothing has been late for a while. Thread-safe.
 */
final class LateHooks {
  private static final long LINGER_NS = 1_000_000_000L;

  private final Set<DecoratedChannel> watched = new LinkedHashSet<>();
  private boolean running;

  /** Has the hook of a channel called when its next delayed completion is due. */
  synchronized void watch(DecoratedChannel channel) {
    watched.add(channel);
    notifyAll();
    if (!running) {
      running = true;
      Thread.ofPlatform().daemon().name("roce4j-late").start(this::run);
    }
  }

  private void run() {
    for (List<DecoratedChannel> due = take(); !due.isEmpty(); due = take()) {
      DecoratedChannel next = null;
      long leastNs = Long.MAX_VALUE;
      for (DecoratedChannel channel : due) { // without the lock: hooks may call back
        long leftNs = channel.untilLateNs();
        if (leftNs <= 1) {
          call(channel);
        } else if (leftNs < Long.MAX_VALUE) {
          watch(channel);
          next = leftNs < leastNs ? channel : next;
          leastNs = Math.min(leftNs, leastNs);
        }
      }
      if (next != null) {
        sleep(next, leastNs);
      }
    }
  }

  /** The watched channels, which are not watched any more; empty: the thread ends. */
  private synchronized List<DecoratedChannel> take() {
    try {
      long endNs = System.nanoTime() + LINGER_NS;
      for (long leftNs = LINGER_NS; watched.isEmpty() && leftNs > 0; ) {
        TimeUnit.NANOSECONDS.timedWait(this, leftNs);
        leftNs = endNs - System.nanoTime();
      }
    } catch (InterruptedException e) {
      // nobody but the virtual machine interrupts it
    }
    List<DecoratedChannel> taken = List.copyOf(watched);
    watched.clear();
    running = !taken.isEmpty();
    return taken;
  }

  private static void call(DecoratedChannel channel) {
    try {
      channel.callHook();
    } catch (RuntimeException | Error e) {
      Thread me = Thread.currentThread();
      me.getUncaughtExceptionHandler().uncaughtException(me, e);
    }
  }

  private synchronized void forget(DecoratedChannel channel) {
    watched.remove(channel);
  }

  private void sleep(DecoratedChannel channel, long leftNs) {
    try {
      channel.letPass(leftNs);
    } catch (VerbsException e) {
      forget(channel); // the device is closed or gone
    }
  }
}
