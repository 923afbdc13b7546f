package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.roce4j.verbs.Callback;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * The lock that all devices of a fabric share. The thread that gives it up runs the hooks that have
 * become due meanwhile on any of them, and holds nothing while it does.
 */
final class FabricLock {
  private static final System.Logger LOG = System.getLogger("org.roce4j");

  /** A wait is judged to be without end after this real time in which nothing has happened. */
  private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(2);

  /** What is locked: the network, and the engines of every device on it. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled when a thread has acted that others may wait for, or the network is closed. */
  private final Condition acted = lock.newCondition();

  /** The engines whose hooks are run, of all devices. */
  private final List<FabricEngine> engines = new ArrayList<>();

  /** Threads that have made engines run, and have not ended as far as is known. */
  private final Set<Thread> users = new HashSet<>();

  /** Threads that wait for others to act, and have not been told that one did. */
  private final Set<Thread> waiting = new HashSet<>();

  /** How often all threads that use the network were found waiting for each other. */
  private long standstills;

  /** Whether something has happened that the waiting threads were not told of. */
  private boolean untold;

  /** Whether the network was closed, which ends every wait. */
  private boolean closed;

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
    if (users.add(Thread.currentThread())) {
      forgetEnded();
    }
  }

  /** Undoes {@link #enter}. */
  void leave() {
    List<Runnable> hooks = List.of();
    if (lock.getHoldCount() == 1) {
      hooks = dueHooks();
      tellOthers();
    }
    lock.unlock();
    hooks.forEach(Callback::run);
  }

  /** Something has happened on the fabric: hooks that are due are run, without the lock. */
  void happened() {
    untold = true;
    List<Runnable> hooks = lock.getHoldCount() == 1 ? dueHooks() : List.of();
    if (!hooks.isEmpty()) {
      tellOthers();
      lock.unlock();
      try {
        hooks.forEach(Callback::run);
      } finally {
        lock.lock();
      }
    }
  }

  private List<Runnable> dueHooks() {
    List<Runnable> hooks = List.of();
    for (FabricEngine engine : engines) {
      List<Runnable> due = engine.takeHooks();
      if (!due.isEmpty()) {
        hooks = new ArrayList<>(hooks);
        hooks.addAll(due);
      }
    }
    return hooks;
  }

  private void tellOthers() {
    untold = false;
    waiting.clear();
    acted.signalAll();
  }

  /**
   * Lets other threads act, for as long as it takes: nothing else can end the caller's wait. Its
   * holder, which asks again afterwards.
   *
   * <p>A thread that has used the fabric and neither has ended nor waits here itself may yet act,
   * however slow it is. When there is none, the wait is without end; that is told after a grace in
   * which a thread can come that has not used the fabric before.
   *
   * @throws VerbsException ETIMEDOUT if this would block for ever, ENODEV if the network was closed
   */
  void awaitOthers() throws InterruptedException {
    if (untold) {
      tellOthers();
    }
    long before = standstills;
    Thread me = Thread.currentThread();
    waiting.add(me);
    try {
      boolean warned = false;
      while (!closed && waiting.contains(me)) {
        boolean inTime = acted.awaitNanos(GRACE_NS) > 0;
        if (inTime || !waiting.contains(me)) {
          continue;
        }
        if (!othersMayAct()) {
          standstills++;
          tellOthers(); // who waits beside this thread waits in vain, too
        } else if (!warned) {
          warned = true;
          warn(me);
        }
      }
    } finally {
      waiting.remove(me);
    }
    if (closed) {
      throw new VerbsException(Errno.ENODEV, "the virtual network was closed");
    }
    if (standstills != before) {
      throw new VerbsException(
          Errno.ETIMEDOUT,
          "this would block for ever: nothing is left to happen on the virtual network");
    }
  }

  private boolean othersMayAct() {
    forgetEnded();
    return !waiting.containsAll(users);
  }

  private void forgetEnded() {
    users.removeIf(user -> !user.isAlive());
  }

  private void warn(Thread me) {
    List<String> others =
        users.stream().filter(user -> !waiting.contains(user)).map(Thread::getName).toList();
    LOG.log(
        System.Logger.Level.WARNING,
        "thread %s waits on the virtual network, where nothing is left to happen, for one of %s"
            .formatted(me.getName(), others));
  }

  /** Ends all waits; its holder. */
  void close() {
    closed = true;
    tellOthers();
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
