package org.roce4j.verbs.cm;

import java.util.HashSet;
import java.util.Set;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** Events of an id that were delivered and are not acknowledged. */
final class CmEventDebt {
  private final Set<Entry> owed = new HashSet<>();
  private boolean abandoned;
  private boolean ended;

  /** One event. */
  final class Entry {
    private final Thread taker = Thread.currentThread();

    private Entry() {}

    void acknowledge() {
      synchronized (CmEventDebt.this) {
        owed.remove(this);
        CmEventDebt.this.notifyAll();
      }
    }
  }

  /**
   * An event that is delivered now; null: the id is closed, and its program hears no more of it.
   */
  synchronized Entry delivered() {
    if (ended) {
      return null;
    }
    Entry entry = new Entry();
    if (!abandoned) {
      owed.add(entry);
    }
    return entry;
  }

  /** The id is closed: no event is delivered any more. */
  synchronized void end() {
    ended = true;
  }

  /** Forgets the events that are owed, and those to come. */
  synchronized void abandon() {
    abandoned = true;
    owed.clear();
    notifyAll();
  }

  /**
   * Refuses to wait for events that this thread itself holds.
   *
   * @throws VerbsException EDEADLK if this thread took an event that is owed
   */
  synchronized void checkNotOwn() {
    if (owed.stream().anyMatch(entry -> entry.taker == Thread.currentThread())) {
      throw Errno.EDEADLK.refusal(
          "an event that this thread took is not acknowledged: ack() it first");
    }
  }

  /**
   * Waits until nothing is owed.
   *
   * @throws VerbsException EINTR if the thread is interrupted
   */
  synchronized void awaitNone() {
    while (!owed.isEmpty()) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw VerbsException.interrupted();
      }
    }
  }
}
