package org.roce4j.emulator;

import java.util.concurrent.TimeUnit;
import org.roce4j.drive.Place;
import org.roce4j.drive.Whereabouts;
import org.roce4j.verbs.text.Wording;

/**
 * A thread that has used a virtual network, as the network sees it: may time pass without it? Its
 * fields are the lock's, but for {@link #phase}.
 */
final class FabricThread {
  private static final System.Logger LOG = System.getLogger("org.roce4j");

  /**
   * The network waits this long after its last verb for a thread that sleeps elsewhere for a time.
   */
  private static final long NAP_NS = TimeUnit.MILLISECONDS.toNanos(2);

  /** As {@link #NAP_NS}, for a thread that seems to be in a system call. */
  private static final long CALL_NS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Where the system does not tell, a parked thread may have been woken this long ago. */
  private static final long WAKE_UP_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * A thread that makes this number of calls in a row without sending, polling or waiting looks for
   * a change. A program that only sets up makes fewer.
   */
  private static final int CALLS_OF_A_LOOP = 20_000;

  /**
   * The same for calls that take {@link Elsewhere#BUSY_NS} or longer: a loop that yields or sleeps.
   */
  private static final int CALLS_OF_A_SLOW_LOOP = 1_000;

  /** Where a thread is. */
  enum Phase {
    /** In the program's code. */
    OUTSIDE,
    /** In a verb that changes something, or on its way in or out. */
    ACTING,
    /** In a poll, or another look at what is there. */
    LOOKING,
    /** In a verb that waits for something to happen. */
    WAITING
  }

  final Thread thread;

  /** Its innermost wait; null if it does not wait. */
  FabricWait wait;

  /** Where it is while it does not use the network. */
  private final Whereabouts whereabouts = Whereabouts.mine();

  /** Null where the operating system does not tell its state. */
  private final KernelThread kernel;

  /** Written by the thread itself, before it asks for the lock or while it holds it. */
  private volatile Phase phase = Phase.ACTING;

  /** The count of happenings at its last poll in vain; -1: it has not polled in vain. */
  private long polledAfter = -1;

  /** Its calls in a row that neither sent nor polled nor waited, as far as they count. */
  private int calls;

  /** The real time of the first of them. */
  private long firstCallNs;

  /** Whether it waits for a change by making such calls; time passes as without it. */
  private volatile boolean loops;

  /** The number of its returns to the program's code. */
  private int absences;

  /** The absence that other threads have noticed, and its beginning. */
  private int noticed = -1;

  private long noticedNs;

  /** Since when it has not been seen to wait or poll anywhere; at first {@link #noticedNs}. */
  private long unseenSinceNs;

  /** Since when a virtual thread may have had a carrier in that time. */
  private long carriedSinceNs;

  /** That time as the operating system sees it; null: not yet asked. */
  private Elsewhere elsewhere;

  /** The numbers of its polls elsewhere at the last look. */
  private long seenPolls = -1;

  private long seenSocketPolls = -1;

  /** Whether it waits or polls on another virtual network, by the last look. */
  private boolean onAnother;

  /** Whether a message has said that time passes without this thread in this absence. */
  private boolean givenUp;

  /** The calling thread. */
  FabricThread() {
    thread = Thread.currentThread();
    kernel = KernelThread.current();
  }

  /** For messages: virtual threads have no name, as a rule. */
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

  /** It sends, polls or waits. */
  void actsOnNetwork() {
    calls = 0;
    loops = false;
  }

  /**
   * Counts a call that neither sent nor polled nor waited; returns whether the network steps for
   * it, as for a thread that polls in vain.
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
    return calls == CALLS_OF_A_LOOP; // what one thread alone does must not depend on real time
  }

  /**
   * The kernel's number of the thread; null for a virtual thread or if the system does not tell.
   */
  String kernelNumber() {
    return kernel == null ? null : kernel.number();
  }

  /** Whether it is a virtual thread that runs, so that its carrier is awake for it. */
  boolean keepsCarrierAwake() {
    return thread.isVirtual()
        && thread != Thread.currentThread()
        && thread.getState() == Thread.State.RUNNABLE;
  }

  /** Releases what belongs to an ended thread. */
  void forget() {
    if (kernel != null) {
      kernel.close();
    }
  }

  /**
   * Whether the network may go on without it: it waits there, has polled in vain since the last
   * happening, or is busy with something else. If it waits or polls elsewhere, the network may go
   * on as far as time there allows it.
   *
   * @param company takes where it waits
   * @param now the real time, as {@link System#nanoTime} gives it
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

  /** Whether it was on another virtual network at the last look. */
  boolean isOnAnother() {
    return onAnother;
  }

  /**
   * Whether it has left the network to others. A thread that polls shows by its number of polls
   * that it still does; after a poll of sockets it may compute. Each time it is seen there, the
   * wait for a thread that computes begins anew: with other threads on the same processors it may
   * take longer from one poll to the next than from one look to the next.
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
    Place place = whereabouts.place();
    onAnother = company.add(place == null && polls ? whereabouts.polled() : place);
    boolean onSockets = place == Place.SOCKETS || pollsSockets;
    if (onSockets) {
      company.addSockets(now - noticedNs < Elsewhere.BUSY_NS);
    }
    if (!onAnother && !onSockets && place != Place.ON_ITS_WAY) {
      return isAway(now);
    }
    seen(now);
    return place != Place.ON_ITS_WAY;
  }

  private void seen(long now) {
    unseenSinceNs = now;
    carriedSinceNs = now;
    elsewhere = null;
  }

  /** Whether it sleeps elsewhere or has not come for long. */
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
    Elsewhere.Turns turns = kernel.turns();
    return elsewhere(now, turns).isBusy(now, turns);
  }

  /** As {@link Elsewhere#isBusy}, for a thread that the system tells nothing about. */
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
    Elsewhere.Turns turns = kernel.turns();
    return elsewhere(now, turns).naps(now, turns);
  }

  private Elsewhere elsewhere(long now, Elsewhere.Turns turns) {
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
