package org.roce4j.emulator;

import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The threads that a network must expect: they were created by its threads and have not used it
 * yet. Time waits a moment for them, so that a server that was just started is there before its
 * client has timed out. Java does not report new threads, but it asks an inheritable thread local
 * for the child's value, which costs nothing per event; {@link Outsiders} finds all other threads.
 */
final class Newcomers {
  private static final InheritableThreadLocal<Origin> ORIGIN =
      new InheritableThreadLocal<>() {
        @Override
        protected Origin childValue(Origin parent) {
          Newcomers network = parent == null ? null : parent.network.get();
          return network == null ? null : network.expect();
        }
      };

  /** The network that a thread, or the thread that created it, has used last. */
  private static final class Origin {
    private final WeakReference<Newcomers> network;
    private final boolean isChild;
    private final long madeNs = System.nanoTime();

    Origin(Newcomers network, boolean isChild) {
      this.network = new WeakReference<>(network);
      this.isChild = isChild;
    }
  }

  private final Set<Origin> expected = ConcurrentHashMap.newKeySet();

  private final Patience patience =
      new Patience(TimeUnit.MILLISECONDS.toNanos(100), TimeUnit.MICROSECONDS.toNanos(100));

  private Origin expect() {
    Origin child = new Origin(this, true);
    expected.add(child);
    return child;
  }

  /** The calling thread has used the network. For the lock's holder. */
  void arrived() {
    Origin mine = ORIGIN.get();
    if (mine == null || mine.network.get() != this) {
      ORIGIN.set(new Origin(this, false));
      return;
    }
    expected.remove(mine);
    if (mine.isChild) {
      patience.rewarded(); // also if it comes later than expected
    }
  }

  /**
   * Whether time should wait for a thread that may be on its way. For the lock's holder.
   *
   * @param now real time of {@link System#nanoTime}
   * @param others whether a thread that has not used the network is awake; then the wait goes on
   */
  boolean mayCome(long now, BooleanSupplier others) {
    if (expected.isEmpty()) {
      return false;
    }
    boolean over = expected.stream().anyMatch(child -> now - child.madeNs >= patience.ns());
    if (over && !others.getAsBoolean()) {
      expected.removeIf(child -> now - child.madeNs >= patience.ns());
      patience.inVain();
    }
    return !expected.isEmpty();
  }
}
