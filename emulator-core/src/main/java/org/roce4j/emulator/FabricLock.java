package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.roce4j.drive.WaitingPlace;
import org.roce4j.drive.Whereabouts;
import org.roce4j.emulator.FabricThread.Phase;
import org.roce4j.verbs.Callback;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.GiveWay;

/**
 * The lock that all devices of a fabric share, and the threads that use the fabric. Threads get the
 * lock in the order in which they ask. The thread that releases it runs the hooks of any device
 * that have become due, without the lock.
 */
final class FabricLock {
  /** The number of threads from which those that have ended are forgotten. */
  private static final int FIRST_LOOK_FOR_ENDED = 16;

  /** Protects the network and the engines of every device on it. */
  private final ReentrantLock lock = new ReentrantLock(true);

  private final Condition nobodySignals = lock.newCondition();

  /** The engines of all devices, whose hooks are run. */
  private final List<FabricEngine> engines = new ArrayList<>();

  /** The threads that have used the network. A thread finds its own entry without the lock. */
  private final Map<Thread, FabricThread> threads = new ConcurrentHashMap<>();

  /** The threads that these threads have created. */
  private final Newcomers newcomers = new Newcomers();

  /** The threads of the process that have not used the network. */
  private final Outsiders outsiders = new Outsiders();

  /** The number of threads that have used it for the first time. */
  private long arrivals;

  /** The number of returns to the program's code, where a thread may wake other threads. */
  private long departures;

  /** The value of {@link #departures} at the last check that found no outsider on its way. */
  private long departuresAtLook = -1;

  private int lookForEnded = FIRST_LOOK_FOR_ENDED;

  /** The only thread that may use the network; null: any thread may. */
  private Thread only;

  // ---- taking and giving up

  /** Takes the lock to read or change state without running an engine. */
  void hold() {
    take(threads.get(Thread.currentThread()), Phase.LOOKING);
  }

  /** Ends what {@link #hold} began. */
  void release() {
    FabricThread me = threads.get(Thread.currentThread());
    if (isOutermost()) {
      departs(me);
    }
    lock.unlock();
  }

  /**
   * Takes the lock to run engines.
   *
   * @param as ACTING, or LOOKING for a poll
   */
  FabricThread enter(Phase as) {
    Thread caller = Thread.currentThread();
    FabricThread known = threads.get(caller);
    take(known, as);
    if (known != null) {
      return known;
    }
    if (only != null && caller != only) {
      lock.unlock();
      throw Errno.EPERM.refusal(
          "thread %s uses a virtual network that is for thread %s alone",
          caller.getName(), only.getName());
    }
    FabricThread fresh = new FabricThread();
    fresh.phase(as);
    threads.put(caller, fresh);
    arrivals++;
    newcomers.arrived();
    outsiders.arrived(fresh);
    if (threads.size() > lookForEnded) {
      forgetEnded();
      lookForEnded = Math.max(FIRST_LOOK_FOR_ENDED, 2 * threads.size());
    }
    return fresh;
  }

  /**
   * Whether a polling thread would get the lock at once. If polls queued for the lock, each would
   * cause a thread switch.
   */
  boolean isFree() {
    return lock.isHeldByCurrentThread() || !lock.isLocked() && !lock.hasQueuedThreads();
  }

  /**
   * Lets other threads run after a poll in vain, without the lock. A virtual thread sleeps, which
   * does not count as an absence.
   */
  void letOthersRun() {
    Thread caller = Thread.currentThread();
    FabricThread me = caller.isVirtual() ? threads.get(caller) : null;
    if (me != null) {
      me.arrives(Phase.LOOKING);
    }
    GiveWay.toOthers();
    if (me != null) {
      me.arrives(Phase.OUTSIDE);
    }
  }

  private void take(FabricThread me, Phase as) {
    boolean outermost = !lock.isHeldByCurrentThread();
    if (me != null && outermost) {
      me.arrives(as);
    }
    if (isFree()) {
      lock.lock();
    } else {
      queue();
    }
    if (me != null && outermost) {
      me.phase(as);
    }
  }

  /** Gets the lock in turn. While the thread sleeps, other networks must expect its return. */
  private void queue() {
    Whereabouts mine = Whereabouts.mine();
    WaitingPlace before = mine.enter(WaitingPlace.ON_ITS_WAY);
    try {
      lock.lock();
    } finally {
      mine.leave(before);
    }
  }

  /** The calling thread; null if it has not used the network. */
  FabricThread caller() {
    return threads.get(Thread.currentThread());
  }

  /** Whether the verb of the calling thread, which holds the lock, is inside no other verb. */
  boolean isOutermost() {
    return lock.getHoldCount() == 1;
  }

  /** Ends what {@link #enter} began. */
  void leave(FabricThread me) {
    List<Runnable> hooks = List.of();
    if (isOutermost()) {
      hooks = dueHooks();
      departs(me);
    }
    lock.unlock();
    run(hooks, me);
  }

  /** Inside a hook a thread counts as running the program's code. */
  private static void run(List<Runnable> hooks, FabricThread me) {
    if (!hooks.isEmpty()) {
      WaitingPlace place = me.whereabouts().enter(null);
      try {
        hooks.forEach(Callback::run);
      } finally {
        me.whereabouts().leave(place);
      }
    }
  }

  /** Releases the lock, runs the hooks that are due, and takes the lock again. */
  void runHooks(FabricThread me) {
    List<Runnable> hooks = isOutermost() ? dueHooks() : List.of();
    if (hooks.isEmpty()) {
      return;
    }
    Phase before = me.phase();
    departs(me);
    lock.unlock();
    try {
      run(hooks, me);
    } finally {
      me.arrives(Phase.ACTING);
      lock.lock();
      me.phase(before);
    }
  }

  private void departs(FabricThread me) {
    departures++;
    if (me != null) {
      me.phase(Phase.OUTSIDE);
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

  /** Lets threads that wait for the lock have it first. */
  void giveWay() {
    if (lock.hasQueuedThreads() && isOutermost()) {
      lock.unlock();
      lock.lock();
    }
  }

  /**
   * Releases the lock for a time.
   *
   * @return false if the thread was interrupted; its flag stays set
   */
  @SuppressWarnings("WaitNotInLoop") // the caller checks again, whatever woke it
  boolean sleep(long ns) {
    try {
      nobodySignals.awaitNanos(ns);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Runs an action with the lock if it is free. */
  void ifFree(Runnable action) {
    if (lock.tryLock()) {
      try {
        action.run();
      } finally {
        lock.unlock();
      }
    }
  }

  /** A condition of the lock. */
  Condition newCondition() {
    return lock.newCondition();
  }

  // ---- for its holder: the threads that use it

  /** Refuses all threads except one from now on. */
  void keepFor(Thread thread) {
    only = thread;
  }

  /**
   * Whether every other thread that uses the network lets time pass.
   *
   * @param company receives the places of threads that wait elsewhere
   */
  boolean othersLetTimePass(FabricThread me, long happenings, CoupledTime.Company company) {
    long now = System.nanoTime();
    for (FabricThread other : threads.values()) {
      if (other == me || other.letsTimePass(happenings, company, now)) {
        continue;
      }
      if (other.thread.isAlive()) {
        return false;
      }
      forget(other);
    }
    return true;
  }

  /** The number of threads that have used the network for the first time. */
  long arrivals() {
    return arrivals;
  }

  /** Whether a thread that was created by a thread of the network may be about to use it. */
  boolean newcomersMayCome() {
    return newcomers.mayCome(System.nanoTime(), () -> outsiders.mayCome(threads.values()));
  }

  /**
   * Whether a thread that has not used the network may be about to. After a check that found none,
   * the next check is made when a thread has returned to the program, where it may wake others.
   */
  boolean outsidersMayCome(FabricThread me) {
    if (departures == departuresAtLook && !isInCompany(me)) {
      return false;
    }
    // A thread that arrived during the check sleeps until the lock is free.
    boolean mayCome = outsiders.mayCome(threads.values()) || lock.hasQueuedThreads();
    departuresAtLook = mayCome ? -1 : departures;
    return mayCome;
  }

  /**
   * Makes the next check for outsiders, because a thread may have been woken although no thread has
   * returned to the program.
   */
  void lookAgain() {
    departuresAtLook = -1;
  }

  /** Whether a thread other than the caller has used the network and is elsewhere now. */
  boolean isInCompany(FabricThread me) {
    return elsewhere().stream().anyMatch(other -> other != me);
  }

  /** The threads that have not ended and wait neither here nor on another virtual network. */
  List<FabricThread> elsewhere() {
    forgetEnded();
    return threads.values().stream()
        .filter(user -> user.phase() != Phase.WAITING && !user.isOnAnother())
        .toList();
  }

  private void forgetEnded() {
    threads.values().stream().filter(user -> !user.thread.isAlive()).forEach(this::forget);
  }

  private void forget(FabricThread ended) {
    threads.remove(ended.thread);
    ended.forget();
  }

  /** Forgets all threads: the network is closed. */
  void forgetAll() {
    threads.values().forEach(FabricThread::forget);
  }

  // ---- for its holder: the devices

  /** Adds engines, whose hooks are run. */
  void add(List<FabricEngine> more) {
    engines.addAll(more);
  }

  /** Removes engines. */
  void remove(List<FabricEngine> gone) {
    engines.removeAll(gone);
  }
}
