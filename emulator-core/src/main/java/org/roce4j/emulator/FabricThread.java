package org.roce4j.emulator;

import java.util.concurrent.TimeUnit;

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

  /** Null where the operating system does not tell its state. */
  private final KernelThread kernel;

  /** Written by the thread itself, before it asks for the lock or while it holds it. */
  private volatile Phase phase = Phase.ACTING;

  /** The count of happenings at its last poll in vain; -1: it has not polled in vain. */
  private long polledAfter = -1;

  /** The number of its returns to the program's code. */
  private int absences;

  /** The absence that other threads have noticed, and its beginning. */
  private int noticed = -1;

  private long noticedNs;

  /** The absence as the operating system sees it; null: not yet asked. */
  private Elsewhere elsewhere;

  /** Whether a message has said that time passes without this thread in this absence. */
  private boolean givenUp;

  /** The calling thread. */
  FabricThread() {
    thread = Thread.currentThread();
    kernel = KernelThread.current();
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
   * happening, or is busy with something else.
   */
  boolean letsTimePass(long happenings) {
    return switch (phase) {
      case WAITING -> true;
      case ACTING -> false;
      case LOOKING -> polledAfter == happenings;
      case OUTSIDE -> polledAfter == happenings || isAway() && phase == Phase.OUTSIDE;
    };
  }

  /** Whether it sleeps elsewhere or has not come for long. */
  private boolean isAway() {
    Thread.State state = thread.getState();
    long now = System.nanoTime();
    if (noticed != absences) {
      noticed = absences;
      noticedNs = now;
      elsewhere = null;
      givenUp = false;
    }
    long away = now - noticedNs;
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
      return now - noticedNs >= Elsewhere.BUSY_NS;
    }
    Elsewhere.Turns turns = kernel.turns();
    return elsewhere(now, turns).isBusy(now, turns);
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
          "time passes on the virtual network without thread %s, which has run elsewhere for 2 s; if it waits for another thread, let it block, or poll a completion queue"
              .formatted(thread.getName()));
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
