package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.roce4j.drive.WaitingPlace;
import org.roce4j.drive.Whereabouts;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.fabric.Fabric;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * Executes the next event of a virtual network when every thread that uses the network waits for
 * it. So the program determines what happens, and not the scheduling of its threads. The thread
 * that notices this steps the network until the wait of some thread is satisfied; then the network
 * stands still until that thread waits again. For the holder of the network's lock.
 */
final class FabricTime {
  private static final System.Logger LOG = System.getLogger("org.roce4j");

  /** After this real time without an event, a wait counts as endless. */
  private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(2);

  /**
   * The time until the first check whether busy threads still are busy; it doubles with each check.
   */
  private static final long FIRST_LOOK_NS = TimeUnit.MICROSECONDS.toNanos(20);

  private static final long LONGEST_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * The virtual time between two checks for threads that are awake and have not used the network. A
   * check takes a system call for each thread of the process. Timeouts are longer than this.
   */
  private static final long UNSEEN_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The condition under which time passes. */
  private enum Clock {
    /** The waits and polls of all threads of the program. */
    THREADS,
    /**
     * The waits and polls of one thread. No other thread is expected, and no check is made for one.
     */
    ONE_THREAD,
    /** Steps of the network alone. */
    STOPPED
  }

  /** The result of an attempt to execute the next event. */
  private enum Attempt {
    HAPPENED,
    /** A thread that uses the network is in the program's code. */
    OTHERS_MAY_ACT,
    /** A thread that has not used the network may be on its way here. */
    STRANGERS_MAY_COME,
    NOTHING_LEFT
  }

  private final Fabric fabric;
  private final FabricLock lock;

  /** The time in relation to other networks on which its threads wait. */
  private final CoupledTime coupled;

  /** The places of the other threads, used during one attempt. */
  private final CoupledTime.Company company;

  /** The waits, the oldest first. */
  private final List<FabricWait> waits = new ArrayList<>();

  /** The waiting thread that regularly checks whether the network can advance. */
  private FabricWait watcher;

  /** The time until the watcher's next check. */
  private long lookNs = FIRST_LOOK_NS;

  /** The real time since which no event is left; valid if {@link #quiet}. */
  private long quietSinceNs;

  private boolean quiet;

  /** The number of events so far. A thread that polled in vain before may find something now. */
  private long happenings;

  /** The virtual time before which no check is made for threads that have not used the network. */
  private long freeUntilNs = -1;

  /** The real time since which virtual time stands still for such threads; 0: it does not. */
  private long strangersSinceNs;

  /** The least wait is a tenth of {@link #UNSEEN_NS}, so that it costs no more than on sockets. */
  private final Patience strangers =
      new Patience(TimeUnit.SECONDS.toNanos(2), TimeUnit.MICROSECONDS.toNanos(100));

  /** The number of the common pool's delayed tasks at the last attempt. */
  private long delayedTasks;

  /** The number of threads that had used the network at that time. */
  private long arrivals;

  /** Decides before a wait ends whether its time is over. */
  private final LastCall lastCall = new LastCall();

  private boolean closed;

  private Clock clock = Clock.THREADS;

  FabricTime(Fabric fabric, FabricLock lock) {
    this.fabric = fabric;
    this.lock = lock;
    coupled = new CoupledTime(() -> lock.ifFree(this::wakeWatcher));
    company = new CoupledTime.Company(coupled);
    Whereabouts.ask();
  }

  // ---- verbs

  /**
   * The calling thread begins to poll.
   *
   * @return its previous place, for {@link Whereabouts#leave}
   */
  WaitingPlace polls(Whereabouts caller) {
    caller.polls(coupled);
    return caller.enter(coupled);
  }

  /** Notes that the calling thread has changed something that others may wait for. */
  void acted() {
    coupled.moves();
    strangersSinceNs = 0;
    endSatisfied();
    if (quiet) {
      quiet = false;
      wakeWatcher();
    }
  }

  /** The calling thread sends and will probably wait soon. */
  void sends(FabricThread me) {
    me.actsOnNetwork();
    lookNs = FIRST_LOOK_NS;
  }

  private void wakeWatcher() {
    if (watcher != null) {
      watcher.signal.signal();
    }
  }

  /** As {@link FabricDevices#stopTime}. */
  void stop() {
    clock = Clock.STOPPED;
  }

  /** As {@link FabricDevices#forOneThread}. */
  void forOneThread() {
    clock = Clock.ONE_THREAD;
  }

  /** Counts an event of the network. */
  void happened() {
    happenings++;
    lookNs = FIRST_LOOK_NS;
    acted();
  }

  /**
   * The calling thread has polled in vain: steps the network once if all other threads let time
   * pass. If the network waits for a thread that has not used it, the poll waits, too, because the
   * number of polls in vain must not depend on which threads are awake.
   *
   * @return whether an event happened; if not, the caller should let another thread run
   */
  boolean pollInVain(FabricThread me) {
    if (clock == Clock.STOPPED) {
      return false;
    }
    me.polledInVain(happenings);
    long before = happenings;
    Attempt attempt = attempt(me);
    for (long ns = FIRST_LOOK_NS;
        attempt == Attempt.STRANGERS_MAY_COME && lock.sleep(ns);
        ns = Math.min(2 * ns, LONGEST_LOOK_NS)) {
      attempt = happenings == before ? attempt(me) : Attempt.HAPPENED;
    }
    return attempt == Attempt.HAPPENED;
  }

  /**
   * The calling thread looks for a change by calls that neither send nor poll nor wait: steps the
   * network as for a thread that polls in vain.
   */
  void stepFor(FabricThread me) {
    if (clock == Clock.THREADS && lock.isOutermost()) {
      happenDue(me, () -> false); // its calls have already made the engines take turns now
      pollInVain(me);
    }
  }

  /**
   * Waits until the condition holds. Between events, hooks are run and waiting threads get the
   * lock.
   *
   * @return true if the condition held; false after the timeout
   */
  boolean await(FabricThread me, BooleanSupplier condition, long timeoutNs) {
    if (clock == Clock.STOPPED) {
      return condition.getAsBoolean();
    }
    if (timeoutNs <= 0) {
      return look(me, condition);
    }
    if (condition.getAsBoolean()) {
      return true;
    }
    long deadlineNs = Deadlines.after(fabric.nowNs(), timeoutNs);
    FabricWait wait = new FabricWait(me, condition, deadlineNs, lock.newCondition());
    waits.add(wait);
    WaitingPlace place = me.whereabouts().enter(coupled);
    try {
      while (wait.lasts()) {
        pursue(wait);
      }
    } catch (InterruptedException e) {
      throw VerbsException.interrupted();
    } finally {
      me.whereabouts().leave(place);
      waits.remove(wait);
      wait.leave();
      passWatchOn();
    }
    return result(wait);
  }

  /** A wait with a timeout of 0: only events that are due now may happen. */
  private boolean look(FabricThread me, BooleanSupplier condition) {
    happenDue(me, condition);
    if (!condition.getAsBoolean() && me.calledAgain()) {
      stepFor(me);
    }
    return condition.getAsBoolean();
  }

  private void happenDue(FabricThread me, BooleanSupplier condition) {
    long now = fabric.nowNs();
    Attempt last = Attempt.HAPPENED;
    while (last == Attempt.HAPPENED && !condition.getAsBoolean() && fabric.nextEventNs() == now) {
      me.polledInVain(happenings);
      last = attempt(me);
      if (last == Attempt.HAPPENED) {
        lock.runHooks(me);
      }
    }
  }

  private static boolean result(FabricWait wait) {
    return switch (wait.end()) {
      case CLOSED -> throw Errno.ENODEV.refusal("the virtual network was closed");
      case ENDLESS ->
          throw Errno.ETIMEDOUT.refusal(
              "this would block for ever: nothing is left to happen on the virtual network");
      case SATISFIED -> true; // another thread may have changed the condition since
      default -> wait.condition.getAsBoolean();
    };
  }

  /** Ends all waits: the network is closed. */
  void close() {
    closed = true;
    coupled.close();
    endAll(FabricWait.Ending.CLOSED);
  }

  // ---- going on

  private void pursue(FabricWait wait) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (closed) {
      wait.end(FabricWait.Ending.CLOSED);
      return;
    }
    switch (attempt(wait.thread)) {
      case HAPPENED -> {
        lock.runHooks(wait.thread);
        lock.giveWay();
      }
      case OTHERS_MAY_ACT, STRANGERS_MAY_COME -> {
        if (watches(wait, lookNs)) {
          lookNs = Math.min(2 * lookNs, LONGEST_LOOK_NS);
        }
      }
      case NOTHING_LEFT -> awaitOthers(wait);
    }
  }

  private Attempt attempt(FabricThread me) {
    company.clear();
    if (!lock.othersLetTimePass(me, happenings, company)) {
      coupled.moves();
      return Attempt.OTHERS_MAY_ACT;
    }
    FabricWait first = firstToTimeOut();
    if (strangersMayCome(me, first) && isPatient()) {
      return Attempt.STRANGERS_MAY_COME;
    }
    boolean endsWait = first != null && Deadlines.isBefore(first.deadlineNs, fabric.nextEventNs());
    boolean alone = company.isEmpty() && !coupled.isAwaited();
    if (!alone && !coupled.mayPass(company, leftNs(first), endsWait, System.nanoTime())) {
      return Attempt.OTHERS_MAY_ACT;
    }
    long startNs = fabric.nowNs();
    if (endsWait) {
      long leftNs = Deadlines.left(first.deadlineNs, fabric.nowNs());
      if (clock == Clock.THREADS
          && lastCall.lasts(System.nanoTime(), happenings, isInCompany(me), leftNs)) {
        return Attempt.OTHERS_MAY_ACT;
      }
      if (leftNs > 0) {
        fabric.run(leftNs);
      }
      first.end(FabricWait.Ending.TIMED_OUT);
    } else if (!fabric.step()) {
      return Attempt.NOTHING_LEFT;
    }
    coupled.passed(fabric.nowNs() - startNs);
    happened();
    return Attempt.HAPPENED;
  }

  /** The virtual time to the next event or to the end of the first wait. */
  private long leftNs(FabricWait first) {
    long next = fabric.nextEventNs();
    next = first == null ? next : Deadlines.earlier(first.deadlineNs, next);
    return Math.max(0, Deadlines.left(next, fabric.nowNs()));
  }

  /**
   * Whether to go on waiting for threads that have not used the network. Some threads, such as
   * carriers of virtual threads, are awake many times for a moment and never use it.
   */
  private boolean isPatient() {
    long now = System.nanoTime();
    if (arrivals != lock.arrivals()) {
      arrivals = lock.arrivals();
      strangers.rewarded();
    }
    if (strangersSinceNs == 0) {
      strangersSinceNs = now;
    }
    if (now - strangersSinceNs < strangers.ns()) {
      return true;
    }
    strangers.inVain();
    freeUntilNs = fabric.nowNs() + UNSEEN_NS;
    return false;
  }

  /** Whether a thread may be on its way that would act before the next event. */
  private boolean strangersMayCome(FabricThread me, FabricWait first) {
    if (clock == Clock.ONE_THREAD) {
      return false;
    }
    if (lock.newcomersMayCome()) {
      return true;
    }
    noticeDelayedTasks();
    long next = fabric.nextEventNs();
    next = first == null ? next : Deadlines.earlier(first.deadlineNs, next);
    if (next <= freeUntilNs || !Deadlines.isSet(next) || !fabric.isIdle()) {
      return false;
    }
    boolean mayCome = lock.outsidersMayCome(me);
    if (!mayCome) {
      freeUntilNs = Math.max(next, fabric.nowNs() + UNSEEN_NS);
    }
    return mayCome;
  }

  /** Makes the next check for outsiders, because a delayed task that begins wakes a thread. */
  private void noticeDelayedTasks() {
    long before = delayedTasks;
    delayedTasks = ForkJoinPool.commonPool().getDelayedTaskCount();
    if (delayedTasks != before) {
      freeUntilNs = -1;
      lock.lookAgain();
    }
  }

  /**
   * Whether threads are expected: one that has used the network and is elsewhere, or a delayed task
   * of the common pool.
   */
  private boolean isInCompany(FabricThread me) {
    return lock.isInCompany(me) || delayedTasks > 0;
  }

  private FabricWait firstToTimeOut() {
    FabricWait first = null;
    for (int i = 0; i < waits.size(); i++) {
      FabricWait wait = waits.get(i);
      if (wait.lasts()
          && Deadlines.isSet(wait.deadlineNs)
          && (first == null || Deadlines.isBefore(wait.deadlineNs, first.deadlineNs))) {
        first = wait;
      }
    }
    return first;
  }

  private void endSatisfied() {
    for (int i = 0; i < waits.size(); i++) {
      FabricWait wait = waits.get(i);
      if (wait.lasts() && wait.condition.getAsBoolean()) {
        wait.end(FabricWait.Ending.SATISFIED);
      }
    }
  }

  private void endAll(FabricWait.Ending as) {
    waits.stream().filter(FabricWait::lasts).forEach(wait -> wait.end(as));
  }

  // ---- sleeping

  /**
   * Sleeps until it is signalled. One waiting thread is the watcher, which sleeps at most until its
   * next check.
   *
   * @return whether the caller was the watcher
   */
  @SuppressWarnings("WaitNotInLoop") // the caller checks again, whatever woke it
  private boolean watches(FabricWait wait, long longestNs) throws InterruptedException {
    if (watcher != null) {
      wait.signal.await();
      return false;
    }
    watcher = wait;
    try {
      wait.signal.awaitNanos(longestNs);
    } finally {
      watcher = null;
    }
    return true;
  }

  private void passWatchOn() {
    if (watcher == null) {
      waits.stream().filter(FabricWait::lasts).findFirst().ifPresent(next -> next.signal.signal());
    }
  }

  /**
   * Lets other threads act, for any time, because nothing else can end the caller's wait. A thread
   * that has used the network and neither has ended nor waits here may still act, however slow it
   * is. If there is no such thread, all waits are endless; they end after a grace period in which a
   * thread that has not used the network may arrive.
   */
  private void awaitOthers(FabricWait wait) throws InterruptedException {
    long now = System.nanoTime();
    if (!quiet) {
      quiet = true;
      quietSinceNs = now;
    }
    long left = clock == Clock.ONE_THREAD ? 0 : GRACE_NS - (now - quietSinceNs);
    if (left > 0) {
      watches(wait, left);
      return;
    }
    quiet = false;
    List<FabricThread> others = lock.elsewhere();
    if (others.isEmpty()) {
      endAll(FabricWait.Ending.ENDLESS);
    } else {
      warn(wait, others);
    }
  }

  private static void warn(FabricWait wait, List<FabricThread> others) {
    if (wait.isNewlyWarned()) {
      LOG.log(
          System.Logger.Level.WARNING,
          Wording.of(
              "thread %s waits on the virtual network, where nothing is left to happen, for one of"
                  + " %s",
              wait.thread.name(), others.stream().map(FabricThread::name).toList()));
    }
  }
}
