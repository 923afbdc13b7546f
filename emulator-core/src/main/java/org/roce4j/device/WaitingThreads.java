package org.roce4j.device;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The threads of this process that wait in a verb of an emulated device, on a virtual network or on
 * sockets. A thread is added at its first wait and its entry is reused, so that a wait allocates
 * nothing. Any thread may call the methods.
 */
public final class WaitingThreads {
  private static final int FIRST_LOOK_FOR_ENDED = 64;

  private static final ThreadLocal<ThreadEntry> MINE =
      ThreadLocal.withInitial(WaitingThreads::join);

  private static final Set<ThreadEntry> ENTRIES = ConcurrentHashMap.newKeySet();

  /** The number of entries from which those of ended threads are removed. */
  private static volatile int lookForEnded = FIRST_LOOK_FOR_ENDED;

  private WaitingThreads() {}

  /**
   * A thread that waits.
   *
   * @param verb name of the method, such as {@code getCqEvent}
   * @param object handle on which it was called
   * @param sinceNs beginning of the wait, on the clock of {@link System#nanoTime}
   */
  public record Waiting(Thread thread, String verb, Object object, long sinceNs) {
    @Override
    public String toString() {
      return "thread " + thread.getName() + " waits in " + verb + " on " + object;
    }
  }

  /** The threads that wait now; the longest wait comes first. */
  public static List<Waiting> now() {
    List<Waiting> all = new ArrayList<>();
    for (ThreadEntry entry : ENTRIES) {
      synchronized (entry) {
        if (entry.object != null && entry.thread.isAlive()) {
          all.add(new Waiting(entry.thread, entry.verb, entry.object, entry.sinceNs));
        }
      }
    }
    long nowNs = System.nanoTime();
    all.sort(Comparator.comparingLong(waiting -> waiting.sinceNs - nowNs));
    return all;
  }

  /**
   * The calling thread begins to wait. A wait inside another one, as in a readiness hook, hides the
   * outer one.
   */
  static void enter(String verb, Object object) {
    MINE.get().enter(verb, object);
  }

  /** The calling thread ends its wait. */
  static void leave() {
    MINE.get().enter(null, null);
  }

  /** The number of entries, including those of threads that do not wait now. */
  static int remembered() {
    return ENTRIES.size();
  }

  private static ThreadEntry join() {
    if (ENTRIES.size() >= lookForEnded) {
      ENTRIES.removeIf(entry -> !entry.thread.isAlive());
      lookForEnded = Math.max(FIRST_LOOK_FOR_ENDED, 2 * ENTRIES.size());
    }
    ThreadEntry entry = new ThreadEntry(Thread.currentThread());
    ENTRIES.add(entry);
    return entry;
  }

  /** The wait of one thread. Guarded by its own monitor, which is held only briefly. */
  private static final class ThreadEntry {
    private final Thread thread;
    private String verb;
    private Object object;
    private long sinceNs;

    ThreadEntry(Thread thread) {
      this.thread = thread;
    }

    synchronized void enter(String calledVerb, Object calledObject) {
      verb = calledVerb;
      object = calledObject;
      sinceNs = calledObject == null ? 0 : System.nanoTime();
    }
  }
}
