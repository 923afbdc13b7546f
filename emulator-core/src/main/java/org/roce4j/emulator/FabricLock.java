package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.roce4j.drive.Place;
import org.roce4j.drive.Whereabouts;
import org.roce4j.emulator.FabricThread.Phase;
import org.roce4j.verbs.Callback;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.GiveWay;

/**
 * The lock that all devices of a fabric share, and the threads that use it. It is given to threads
 * in the order in which they ask. The thread that gives it up runs the hooks that have become due
 * meanwhile on any device, and holds nothing while it does.
 */
final class FabricLock {
  /** With more threads than this, those that have ended are forgotten. */
  private static final int FIRST_LOOK_FOR_ENDED = 16;

  /** What is locked: the network, and the engines of every device on it. */
  private final ReentrantLock lock = new ReentrantLock(true);

  private final Condition nobodySignals = lock.newCondition();

  /** The engines whose hooks are run, of all devices. */
  private final List<FabricEngine> engines = new ArrayList<>();

  /** Threads that have used the network. Each finds itself without the lock. */
  private final Map<Thread, FabricThread> threads = new ConcurrentHashMap<>();

  /** Threads that its threads have just made. */
  private final Newcomers newcomers = new Newcomers();

  /** Threads that have not used it. */
  private final Outsiders outsiders = new Outsiders();

  /** The number of threads that have used it for the first time. */
  private long arrivals;

  /** The number of returns to the program's code, where a thread may wake others. */
  private long departures;

  /** The value of {@link #departures} at the last look for outsiders that found none. */
  private long departuresAtLook = -1;

  private int lookForEnded = FIRST_LOOK_FOR_ENDED;

  /** The only thread that may use the network; null: any may. */
  private Thread only;

  // ---- taking and giving up

  /** Takes the lock to read or change state without running an engine. */
  void hold() {
    take(threads.get(Thread.currentThread()), Phase.LOOKING);
  }

  /** Undoes {@link #hold}. */
  void release() {
    FabricThread me = threads.get(Thread.currentThread());
    if (isOutermost()) {
      departs(me);
    }
    lock.unlock();
  }

  /**
   * Takes the lock to make engines run.
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
   * cost a switch of threads.
   */
  boolean isFree() {
    return lock.isHeldByCurrentThread() || !lock.isLocked() && !lock.hasQueuedThreads();
  }

  /**
   * Lets other threads run after a poll in vain, without the lock. A virtual thread sleeps; it does
   * not count as away meanwhile.
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

  /** Gets the lock in turn. The thread sleeps meanwhile, but other networks should expect it. */
  private void queue() {
    Whereabouts mine = Whereabouts.mine();
    Place before = mine.enter(Place.ON_ITS_WAY);
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

  /** Whether the verb of the calling thread, which holds the lock, is inside no other. */
  boolean isOutermost() {
    return lock.getHoldCount() == 1;
  }

  /** Undoes {@link #enter}. */
  void leave(FabricThread me) {
    List<Runnable> hooks = List.of();
    if (isOutermost()) {
      hooks = dueHooks();
      departs(me);
    }
    lock.unlock();
    run(hooks, me);
  }

  /** In a hook the thread runs the program's code, wherever it is. */
  private static void run(List<Runnable> hooks, FabricThread me) {
    if (!hooks.isEmpty()) {
      Place place = me.whereabouts().enter(null);
      try {
        hooks.forEach(Callback::run);
      } finally {
        me.whereabouts().leave(place);
      }
    }
  }

  /** Runs the hooks that are due without the lock; the caller holds it again afterwards. */
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

  /** Lets threads that ask for the lock have it first. */
  void giveWay() {
    if (lock.hasQueuedThreads() && isOutermost()) {
      lock.unlock();
      lock.lock();
    }
  }

  /**
   * Gives up the lock for a time.
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

  // ---- who uses it; for its holder

  /** Refuses all other threads from now on. */
  void keepFor(Thread thread) {
    only = thread;
  }

  /**
   * Whether every other thread that uses the network lets time pass.
   *
   * @param company takes where they wait
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

  /** Whether a thread that those of the network have made may be about to use it. */
  boolean newcomersMayCome() {
    return newcomers.mayCome(System.nanoTime(), () -> outsiders.mayCome(threads.values()));
  }

  /**
   * Whether a thread that has not used the network may be about to. No second look is made until a
   * thread has returned to the program, where it may wake others.
   */
  boolean outsidersMayCome(FabricThread me) {
    if (departures == departuresAtLook && !isInCompany(me)) {
      return false;
    }
    // A thread that came during the look sleeps until the lock is free.
    boolean mayCome = outsiders.mayCome(threads.values()) || lock.hasQueuedThreads();
    departuresAtLook = mayCome ? -1 : departures;
    return mayCome;
  }

  /** A thread may have been woken although none has returned to the program. */
  void lookAgain() {
    departuresAtLook = -1;
  }

  /** Whether a thread other than the caller has used the network and is elsewhere. */
  boolean isInCompany(FabricThread me) {
    return elsewhere().stream().anyMatch(other -> other != me);
  }

  /** Threads that have not ended and wait neither on the network nor on another virtual one. */
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

  // ---- devices; for its holder

  /** Adds engines whose hooks are run. */
  void add(List<FabricEngine> more) {
    engines.addAll(more);
  }

  /** Removes engines. */
  void remove(List<FabricEngine> gone) {
    engines.removeAll(gone);
  }
}
