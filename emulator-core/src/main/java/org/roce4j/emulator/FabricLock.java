package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock that all devices of a fabric share. Whoever gives it up runs the hooks that have become
 * due meanwhile on any of them.
 */
final class FabricLock {
  private static final long OTHERS_MAY_ACT_NS = TimeUnit.SECONDS.toNanos(2);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition acted = lock.newCondition();
  private final List<FabricEngine> engines = new ArrayList<>();
  private Thread firstUser;
  private boolean severalUsers;

  /** Takes the lock for a look at what is there, or a change of it, that makes no engine run. */
  void hold() {
    lock.lock();
  }

  /** Undoes {@link #hold}. */
  void release() {
    lock.unlock();
  }

  /** Takes the lock to make engines run. */
  void enter() {
    lock.lock();
    Thread me = Thread.currentThread();
    if (firstUser == null) {
      firstUser = me;
    }
    severalUsers |= firstUser != me;
  }

  /** Undoes {@link #enter}. */
  void leave() {
    List<Runnable> hooks = List.of();
    if (lock.getHoldCount() == 1) {
      for (FabricEngine engine : engines) {
        List<Runnable> due = engine.takeHooks();
        if (!due.isEmpty()) {
          hooks = new ArrayList<>(hooks);
          hooks.addAll(due);
        }
      }
      acted.signalAll();
    }
    lock.unlock();
    hooks.forEach(Runnable::run);
  }

  /**
   * Lets other threads act that have used the fabric before; its holder.
   *
   * @return whether one did, in reasonable time
   */
  @SuppressWarnings("WaitNotInLoop") // the caller asks its condition again, in a loop
  boolean awaitOthers() throws InterruptedException {
    return severalUsers && acted.awaitNanos(OTHERS_MAY_ACT_NS) > 0;
  }

  /** Engines whose hooks are run from now on; its holder. */
  void add(List<FabricEngine> more) {
    engines.addAll(more);
  }

  /** Engines that are not run any more; its holder. */
  void remove(List<FabricEngine> gone) {
    engines.removeAll(gone);
  }
}
