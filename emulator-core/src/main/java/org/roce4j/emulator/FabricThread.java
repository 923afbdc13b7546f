package org.roce4j.emulator;

import java.util.concurrent.TimeUnit;
import org.roce4j.drive.WaitingPlace;
import org.roce4j.drive.Whereabouts;
import org.roce4j.verbs.text.Wording;

/**
 * A thread that has used a virtual network. It decides whether time may pass without this thread.
 * All fields except {@link #phase} are guarded by the lock.
 */
final class FabricThread {
  private static final System.Logger LOG = System.getLogger("org.roce4j");

  /**
   * After its last verb, the network waits this long for a thread that sleeps elsewhere for a
   * limited time.
   */
  private static final long NAP_NS = TimeUnit.MILLISECONDS.toNanos(2);

  /** As {@link #NAP_NS}, for a thread that seems to be in a system call. */
  private static final long CALL_NS = TimeUnit.MILLISECONDS.toNanos(20);

  /** If a thread's state is unknown, a parked thread may have been woken up to this long ago. */
  private static final long WAKE_UP_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * After this number of successive calls that neither send nor poll nor wait, a thread counts as
   * looking for a change. A program that only sets up makes fewer.
   */
  private static final int CALLS_OF_A_LOOP = 20_000;

  /**
   * The same number for calls that take {@link Elsewhere#BUSY_NS} or longer, in a loop that yields
   * or sleeps.
   */
  private static final int CALLS_OF_A_SLOW_LOOP = 1_000;

  /** Where a thread is. */
  enum Phase {
    /** In the program's code. */
    OUTSIDE,
    /** In a verb that changes something, or about to enter or leave one. */
    ACTING,
    /** In a poll or another verb that only looks for results. */
    LOOKING,
    /** In a verb that waits for something to happen. */
    WAITING
  }

  final Thread thread;

  /** Its innermost wait; null if it does not wait. */
  FabricWait wait;

  /** Its place while it does not use the network. */
  private final Whereabouts whereabouts = Whereabouts.mine();

  /** Null if the operating system does not tell the thread's state. */
  private final KernelThread kernel;

  /** Written by the thread itself, before it asks for the lock or while it holds it. */
  private volatile Phase phase = Phase.ACTING;

  /** The count of happenings at its last poll in vain; -1: it has not polled in vain. */
  private long polledAfter = -1;

  /** The number of its successive calls that neither sent nor polled nor waited. */
  private int calls;

  /** The real time of the first of these calls. */
  private long firstCallNs;

  /** Whether it looks for a change by such calls. Then time passes without it. */
  private volatile boolean loops;

  /** The number of its returns to the program's code. */
  private int absences;

  /** The absence that other threads have noticed, and its beginning. */
  private int noticed = -1;

  private long noticedNs;

  /**
   * The time since which it was not seen to wait or poll anywhere, initially {@link #noticedNs}.
   */
  private long unseenSinceNs;

  /** When a virtual thread may first have had a carrier, after {@link #unseenSinceNs}. */
  private long carriedSinceNs;

  /** The absence as the operating system sees it; null: not yet asked. */
  private Elsewhere elsewhere;

  /** The numbers of its polls elsewhere at the last check. */
  private long seenPolls = -1;

  private long seenSocketPolls = -1;

  /** Whether it waited or polled on another virtual network at the last check. */
  private boolean onAnother;

  /** Whether a message was logged that time passes without this thread in this absence. */
  private boolean givenUp;

  /** The calling thread. */
  FabricThread() {
    thread = Thread.currentThread();
    kernel = KernelThread.current();
  }

  /** The name for messages: virtual threads usually have none. */
  String name() {
    return thread.getName().isEmpty() ? "#" + thread.threadId() : thread.getName();
  }

  Phase phase() {
    return phase;
  }

  void phase(Phase next) {
    if (next == Phase.OUTSIDE) {
      absences++;
    } else if (next == Phase.ACTING) {
      polledAfter = -1;
    }
    phase = next;
  }

  /** Called before it asks for the lock. */
  void arrives(Phase as) {
    phase = as;
  }

  /** Notes a poll in vain at this count of happenings. */
  void polledInVain(long happenings) {
    polledAfter = happenings;
  }

  /** The thread sends, polls or waits. */
  void actsOnNetwork() {
    calls = 0;
    loops = false;
  }

  /**
   * Counts a call that neither sent nor polled nor waited. Returns whether the network must step
   * for it, as for a thread that polls in vain.
   */
  boolean calledAgain() {
    if (calls == 0) {
      firstCallNs = System.nanoTime();
    }
    calls = Math.min(calls + 1, CALLS_OF_A_LOOP);
    loops =
        calls == CALLS_OF_A_LOOP
            || calls >= CALLS_OF_A_SLOW_LOOP
                && System.nanoTime() - firstCallNs >= Elsewhere.BUSY_NS;
    return calls == CALLS_OF_A_LOOP; // the actions of a single thread must not depend on real time
  }

  /**
   * The kernel's number of the thread; null for a virtual thread, or if the system does not tell
   * it.
   */
  String kernelNumber() {
    return kernel == null ? null : kernel.number();
  }

  /** Whether it is a virtual thread that runs, so that its carrier is awake. */
  boolean keepsCarrierAwake() {
    return thread.isVirtual()
        && thread != Thread.currentThread()
        && thread.getState() == Thread.State.RUNNABLE;
  }

  /** Releases the resources of an ended thread. */
  void forget() {
    if (kernel != null) {
      kernel.close();
    }
  }

  /**
   * Whether time may pass without it: it waits here, has polled in vain since the last event, or is
   * busy with something else. If it waits or polls elsewhere, time may pass as far as the other
   * network allows it.
   *
   * @param company receives the place where it waits
   * @param now real time of {@link System#nanoTime}
   */
  boolean letsTimePass(long happenings, CoupledTime.Company company, long now) {
    return switch (phase) {
      case WAITING -> true;
      case ACTING -> loops;
      case LOOKING -> polledAfter == happenings;
      case OUTSIDE ->
          loops || polledAfter == happenings || isElsewhere(company, now) && phase == Phase.OUTSIDE;
    };
  }

  Whereabouts whereabouts() {
    return whereabouts;
  }

  /** Whether it was on another virtual network at the last check. */
  boolean isOnAnother() {
    return onAnother;
  }

  /**
   * Whether it is away. The number of its polls shows whether a thread still polls elsewhere; after
   * a poll of sockets it may compute. Whenever it was seen elsewhere, the wait for a computing
   * thread starts again, because on busy processors more time may pass between two polls than
   * between two checks.
   */
  private boolean isElsewhere(CoupledTime.Company company, long now) {
    if (noticed != absences) {
      noticed = absences;
      noticedNs = now;
      seen(now);
      givenUp = false;
      seenPolls = whereabouts.polls();
      seenSocketPolls = whereabouts.socketPolls();
    }
    boolean polls = seenPolls != (seenPolls = whereabouts.polls());
    boolean pollsSockets = seenSocketPolls != (seenSocketPolls = whereabouts.socketPolls());
    WaitingPlace place = whereabouts.place();
    onAnother = company.add(place == null && polls ? whereabouts.polled() : place);
    boolean onSockets = place == WaitingPlace.SOCKETS || pollsSockets;
    if (onSockets) {
      company.addSockets(now - noticedNs < Elsewhere.BUSY_NS);
    }
    if (!onAnother && !onSockets && place != WaitingPlace.ON_ITS_WAY) {
      return isAway(now);
    }
    seen(now);
    return place != WaitingPlace.ON_ITS_WAY;
  }

  private void seen(long now) {
    unseenSinceNs = now;
    carriedSinceNs = now;
    elsewhere = null;
  }

  /** Whether it sleeps elsewhere or was not seen for a long time. */
  private boolean isAway(long now) {
    Thread.State state = thread.getState();
    long away = now - unseenSinceNs;
    return switch (state) {
      case NEW, TERMINATED -> true;
      case WAITING, BLOCKED -> isAsleep(away);
      case TIMED_WAITING -> away >= NAP_NS && (isAsleep(away) || naps(now));
      case RUNNABLE -> away >= CALL_NS && (isInCall() || isBusy(now) && giveUp());
    };
  }

  private boolean isInCall() {
    return kernel != null && kernel.isAsleep();
  }

  private boolean isBusy(long now) {
    if (kernel == null) {
      return runsOn(now);
    }
    Elsewhere.ProcessorUse turns = kernel.turns();
    return elsewhere(now, turns).isBusy(now, turns);
  }

  /** As {@link Elsewhere#isBusy}, for a thread whose processor use the system does not tell. */
  private boolean runsOn(long now) {
    if (now - unseenSinceNs >= Elsewhere.STARVED_NS) {
      return true;
    }
    if (now - carriedSinceNs < Elsewhere.BUSY_NS) {
      return false;
    }
    if (thread.isVirtual() && Carriers.areAwaited()) {
      carriedSinceNs = now;
      return false;
    }
    return true;
  }

  private boolean naps(long now) {
    if (kernel == null) {
      return false;
    }
    Elsewhere.ProcessorUse turns = kernel.turns();
    return elsewhere(now, turns).naps(now, turns);
  }

  private Elsewhere elsewhere(long now, Elsewhere.ProcessorUse turns) {
    if (elsewhere == null) {
      elsewhere = new Elsewhere(now, turns);
    }
    return elsewhere;
  }

  private boolean giveUp() {
    if (!givenUp) {
      givenUp = true;
      LOG.log(
          System.Logger.Level.WARNING,
          Wording.of(
              "time passes on the virtual network without thread %s, which has run elsewhere for 2"
                  + " s; if it waits for another thread, let it block, or poll a completion queue",
              name()));
    }
    return true;
  }

  private boolean isAsleep(long away) {
    if (kernel != null) {
      return kernel.isAsleep();
    }
    return thread.isVirtual() || away >= WAKE_UP_NS;
  }
}
