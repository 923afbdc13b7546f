package org.roce4j.emulator;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The threads of this process that have not used the network yet, such as a pool's worker that was
 * just given a server to run, a carrier of virtual threads, or a thread that was just started. Only
 * a thread that is awake can be on its way here; a sleeping thread comes after another one has
 * woken it. So time waits while one is awake, but not long for one that is busy with something
 * else. Linux reports a thread as awake from the moment of its wake-up; on other systems a worker
 * that was just woken does not count as running yet. For the holder of the network's lock.
 */
final class Outsiders {
  /** The longest wait for one, because the machine may be busy with other processes. */
  private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(2);

  /**
   * Threads of the virtual machine, which run no code of a program. The threads that stop the
   * program for a moment are not in the list: while they are awake, the sleep of a thread has no
   * meaning.
   */
  private static final Pattern OF_THE_MACHINE =
      Pattern.compile(
          "(roce4j-|G1 |Z[A-Z]|Shenand|VM Peri|C[12] Comp|Service Th|Monitor De|Reference"
              + " H|Finalizer|Signal Di|Notificati|Common-Cle|Attach Li|JFR ).*");

  /**
   * The threads that use any network of this process. A thread that waits or polls on its own
   * network may be awake, but is not on its way to another one.
   */
  private static final Set<FabricThread> OF_ALL_NETWORKS =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  /** The threads that were awake at the last check, by number or, without a number, by thread. */
  private final Map<Object, Awake> awake = new HashMap<>();

  /** The number of polls of sockets at the last check. */
  private final Map<FabricThread, Long> socketPolls = new WeakHashMap<>();

  private final Set<String> ofTheMachine = new HashSet<>();

  /** The processor time that a thread may use on its way here. */
  private final Patience patience =
      new Patience(TimeUnit.MILLISECONDS.toNanos(100), TimeUnit.MILLISECONDS.toNanos(1));

  /** The time since which a thread has been awake. */
  private static final class Awake {
    private final long sinceNs;
    private final long ranBeforeNs;
    private final long patienceNs;
    private boolean givenUp;

    Awake(long nowNs, long ranNs, long patienceNs) {
      sinceNs = nowNs;
      ranBeforeNs = ranNs;
      this.patienceNs = patienceNs;
    }

    boolean isWorthWaiting(long nowNs, long ranNs) {
      return nowNs - sinceNs < LONGEST_NS && ranNs - ranBeforeNs < patienceNs;
    }
  }

  /** A thread has used the network for the first time, so other threads may follow. */
  void arrived(FabricThread user) {
    OF_ALL_NETWORKS.add(user);
    patience.rewarded();
  }

  /**
   * Whether time should wait for a thread that may be on its way.
   *
   * @param insiders threads that use the network
   */
  boolean mayCome(Collection<FabricThread> insiders) {
    String caller = KernelThread.currentNumber();
    if (caller == null) {
      return runs(insiders);
    }
    // At the first check the program may be stopped; the thread that stops it is awake before the
    // second check.
    boolean awake = isAwake(caller, insiders);
    return awake || isAwake(caller, insiders);
  }

  boolean isAwake(String caller, Collection<FabricThread> insiders) {
    Set<String> others = KernelThread.numbers();
    others.removeAll(ofTheMachine);
    others.remove(caller);
    Set<Thread> virtual = new HashSet<>();
    insiders.forEach(insider -> remove(insider, others, virtual));
    synchronized (OF_ALL_NETWORKS) {
      for (FabricThread user : OF_ALL_NETWORKS) {
        if (user.whereabouts().place() instanceof CoupledTime || pollsSockets(user)) {
          remove(user, others, virtual);
        }
      }
    }
    int expected = -virtual.size();
    awake.keySet().retainAll(others);
    for (String number : others) {
      try (KernelThread thread = KernelThread.of(number)) {
        expected += isExpected(thread) ? 1 : 0;
      }
    }
    return expected > 0;
  }

  /** Whether it has polled sockets since the last check. */
  private boolean pollsSockets(FabricThread user) {
    long polls = user.whereabouts().socketPolls();
    Long before = socketPolls.put(user, polls);
    return before != null && before != polls;
  }

  private static void remove(FabricThread known, Set<String> others, Set<Thread> virtual) {
    others.remove(known.kernelNumber());
    if (known.keepsCarrierAwake()) {
      virtual.add(known.thread);
    }
  }

  private boolean isExpected(KernelThread thread) {
    if (thread.isAsleep()) {
      awake.remove(thread.number());
      return false;
    }
    if (OF_THE_MACHINE.matcher(thread.name()).matches()) {
      ofTheMachine.add(thread.number());
      return false;
    }
    return isExpected(thread.number(), thread.processorNs());
  }

  private boolean isExpected(Object thread, long ranNs) {
    long now = System.nanoTime();
    Awake since = awake.computeIfAbsent(thread, fresh -> new Awake(now, ranNs, patience.ns()));
    if (since.isWorthWaiting(now, ranNs)) {
      return true;
    }
    if (!since.givenUp) {
      since.givenUp = true;
      patience.inVain();
    }
    return false;
  }

  /** As {@link #isAwake}, if the system does not tell the state of threads. */
  boolean runs(Collection<FabricThread> insiders) {
    Set<Thread> running = running();
    insiders.forEach(insider -> running.remove(insider.thread));
    running.remove(Thread.currentThread());
    awake.keySet().retainAll(running);
    int expected = 0;
    for (Thread thread : running) {
      expected += isExpected(thread, System.nanoTime()) ? 1 : 0;
    }
    return expected > 0;
  }

  private static Set<Thread> running() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    Thread[] threads = new Thread[2 * group.activeCount() + 1];
    int count = group.enumerate(threads);
    return Arrays.stream(threads, 0, count)
        .filter(thread -> thread.getState() == Thread.State.RUNNABLE)
        .collect(Collectors.toSet());
  }
}
