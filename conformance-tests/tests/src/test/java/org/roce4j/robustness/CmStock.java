package org.roce4j.robustness;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.RdmaCm;

/** The objects that the threads of a {@link CmProgram} share. Thread-safe. */
final class CmStock {
  /** Objects of one kind; each is for any thread. */
  static final class Shelf<T> {
    private static final int MOST = 24;
    private final List<T> things = new ArrayList<>();

    /** Adds an object, in place of another if the shelf is full. */
    synchronized void add(T thing, SplittableRandom random) {
      if (things.size() < MOST) {
        things.add(thing);
      } else {
        things.set(random.nextInt(MOST), thing);
      }
    }

    /** A random object; null if there is none. */
    synchronized T any(SplittableRandom random) {
      return things.isEmpty() ? null : things.get(random.nextInt(things.size()));
    }

    /** Removes a random object; null if there is none. */
    synchronized T takeAny(SplittableRandom random) {
      return things.isEmpty() ? null : things.remove(random.nextInt(things.size()));
    }

    synchronized void remove(T thing) {
      things.remove(thing);
    }

    synchronized int size() {
      return things.size();
    }
  }

  final List<Context> contexts;
  final List<InetSocketAddress> places;

  /** The greatest code for the ACK timeout of ids: their connections stay in time wait as long. */
  final int longestAckTimeout;

  final Shelf<RdmaCm> managers = new Shelf<>();
  final Shelf<EventChannel> channels = new Shelf<>();
  final Shelf<CmId> ids = new Shelf<>();

  /** Events that one thread has taken and any thread may acknowledge. */
  final Shelf<CmEvent> events = new Shelf<>();

  private final List<Thread> threads;
  private final List<RdmaCm> opened = new ArrayList<>();
  private volatile boolean closed;

  CmStock(
      List<Context> contexts,
      List<InetSocketAddress> places,
      int longestAckTimeout,
      List<Thread> threads) {
    this.contexts = contexts;
    this.places = places;
    this.longestAckTimeout = longestAckTimeout;
    this.threads = threads;
  }

  /** Opens another connection manager over some devices; null after {@link #close}. */
  RdmaCm open(SplittableRandom random) {
    List<Context> some = new ArrayList<>(contexts);
    while (some.size() > 1 && random.nextBoolean()) {
      some.remove(random.nextInt(some.size()));
    }
    synchronized (managers) {
      if (closed) {
        return null;
      }
      RdmaCm made = RdmaCm.open(some.toArray(Context[]::new));
      opened.add(made);
      managers.add(made, random);
      return made;
    }
  }

  /** Closes a random connection manager, which another thread may be closing. */
  void closeAnyManager(SplittableRandom random) {
    RdmaCm cm = managers.any(random);
    if (cm != null) {
      cm.close();
      managers.remove(cm);
    }
  }

  /** Ends a standstill of the threads. */
  void disturb(SplittableRandom random) {
    CmEvent event = events.takeAny(random);
    if (event != null) {
      event.ack();
    }
    closeAnyManager(random);
  }

  /** Interrupts a random thread. */
  void interruptAny(SplittableRandom random) {
    threads.get(random.nextInt(threads.size())).interrupt();
  }

  boolean closed() {
    return closed;
  }

  /** Closes all connection managers, and refuses to open others. */
  void close() {
    synchronized (managers) {
      closed = true;
    }
    opened.forEach(RdmaCm::close);
  }
}
