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
 * Threads of this process that have not used the network yet: a worker of a pool that was just
 * given a server to run, a carrier of virtual threads, a thread that was just started. Only a
 * thread that is awake can be on its way here; a sleeping one comes when another wakes it. So time
 * waits while one is awake, but not long for one that is busy with something else. Linux tells
 * which threads are awake from the moment of the wake-up; on other systems a worker that was just
 * woken does not count as running yet. For the holder of the network's lock.
 */
final class Outsiders {
  /** The longest wait for one: the machine may be busy with other processes. */
  private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(2);

  /**
   * Threads of the virtual machine: they run no code of a program. Those that stop the program for
   * a moment are not among them: while they are awake, no thread's sleep means anything.
   */
  private static final Pattern OF_THE_MACHINE =
      Pattern.compile(
          "(roce4j-|G1 |Z[A-Z]|Shenand|VM Peri|C[12] Comp|Service Th|Monitor De|Reference"
              + " H|Finalizer|Signal Di|Notificati|Common-Cle|Attach Li|JFR ).*");

  /**
   * The threads that use any network of this process. One that waits or polls looks after its own:
   * awake as it is, it is on the way to no other.
   */
  private static final Set<FabricThread> OF_ALL_NETWORKS =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  /** The threads that were awake at the last look; by number or, without one, by thread. */
  private final Map<Object, Awake> awake = new HashMap<>();

  /** The number of polls of sockets at the last look. */
  private final Map<FabricThread, Long> socketPolls = new WeakHashMap<>();

  private final Set<String> ofTheMachine = new HashSet<>();

  /** The processor time that a thread may take on its way here. */
  private final Patience patience =
      new Patience(TimeUnit.MILLISECONDS.toNanos(100), TimeUnit.MILLISECONDS.toNanos(1));

  /** The time since which a thread is awake. */
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

  /** A thread uses the network for the first time: other threads may follow. */
  void arrived(FabricThread user) {
    OF_ALL_NETWORKS.add(user);
    patience.rewarded();
  }

  /**
   * Whether time should wait for a thread that may be about to come.
   *
   * @param insiders threads that use the network
   */
  boolean mayCome(Collection<FabricThread> insiders) {
    String caller = KernelThread.currentNumber();
    if (caller == null) {
      return runs(insiders);
    }
    // At the first look the program may be stopped; the thread that stops it is awake before the
    // second.
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

  /** Whether it has polled sockets since the last look. */
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

  /** As {@link #isAwake}, where the system does not tell. */
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
