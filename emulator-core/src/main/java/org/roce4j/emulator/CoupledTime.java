package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.roce4j.drive.WaitingPlace;
import org.roce4j.engine.time.Deadlines;

/**
 * The time of a virtual network whose threads also wait or poll on other networks. While such a
 * thread is elsewhere, this network stands still as long as any thread computes on the other one,
 * because the thread may then return. If no thread computes, both networks advance as one: the
 * earliest event comes first, and time that passes on one also passes on the other. Without this
 * rule, two networks whose threads wait for each other would both stand still, or a lost packet on
 * one would let the waits on the other expire. Sockets count as a network with real time. All
 * networks share one monitor, which only coupled networks use.
 *
 * <p>A network changes its own state, and reads the state of others, in the monitor, while a thread
 * holds the network's lock. A network that begins to stand still, or whose next event changes,
 * makes the others check again, after it has left the monitor and only if their lock is free; so no
 * thread waits for the locks of two networks. A check that is omitted for this reason is not lost:
 * a network with a next event checks again within a millisecond, and a network without one could do
 * nothing.
 */
final class CoupledTime implements WaitingPlace {
  private static final Object ALL = new Object();

  /**
   * The networks that stand still because of others, or for others. Guarded by {@link #ALL}. The
   * references are weak, because a program may leave a network without closing it.
   */
  private static final Set<CoupledTime> STANDING = Collections.newSetFromMap(new WeakHashMap<>());

  /** The greatest real time that counts between an event and the next check. */
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private static int made;

  /** Makes a waiting thread of the network check whether it can advance. */
  private volatile Runnable watcher;

  /** Chooses between two equally early events. */
  private final int number;

  /** Whether it is in {@link #STANDING}. */
  private volatile boolean stands;

  /** Whether another network has waited for this one. */
  private volatile boolean awaited;

  // ---- guarded by ALL

  /** The other networks on which threads of this one wait. */
  private Set<CoupledTime> awaits = Set.of();

  /** Whether threads of this network wait on sockets. */
  private boolean awaitsSockets;

  /** The virtual time to its next event. */
  private long leftNs;

  /**
   * The time that has passed elsewhere while it stood still, by which its own time is behind. Read
   * without the monitor, too: only a network that stands still gets behind.
   */
  private volatile long behindNs;

  /** The real time up to which {@link #behindNs} includes the time of sockets. */
  private long realNs;

  /**
   * @param watcher makes a waiting thread of the network check whether it can advance; called by
   *     threads of other networks, which hold their locks
   */
  CoupledTime(Runnable watcher) {
    this.watcher = watcher;
    synchronized (ALL) {
      number = made++;
      realNs = System.nanoTime();
    }
  }

  /** The other networks on which threads of a network are. */
  static final class Company {
    private final CoupledTime own;
    private final Set<CoupledTime> networks = new HashSet<>();
    private boolean sockets;
    private boolean socketsForLong;

    /**
     * @param own the network of the threads
     */
    Company(CoupledTime own) {
      this.own = own;
    }

    void clear() {
      networks.clear();
      sockets = false;
      socketsForLong = false;
    }

    /** Adds a place if it is another virtual network. Returns whether it is. */
    boolean add(WaitingPlace place) {
      if (place instanceof CoupledTime other && other != own) {
        networks.add(other);
        return true;
      }
      return false;
    }

    /**
     * Adds a thread on sockets.
     *
     * @param lately whether it has used the network recently; if not, real time counts only for the
     *     ends of finite waits
     */
    void addSockets(boolean lately) {
      sockets |= lately;
      socketsForLong |= !lately;
    }

    boolean isEmpty() {
      return isOnlySocketsForLong() && !socketsForLong;
    }

    private boolean isOnlySocketsForLong() {
      return networks.isEmpty() && !sockets;
    }
  }

  /**
   * Whether the next event may happen although threads are elsewhere or other networks wait. Until
   * it happens or {@link #moves} is called, the network stands still for all others. Called with
   * the network's lock, or without a lock in tests.
   *
   * @param company places of the threads that are elsewhere
   * @param left virtual time to the event; {@link Deadlines#NEVER}: there is none
   * @param endsWait whether this event is the end of a finite wait
   * @param now real time of {@link System#nanoTime}
   */
  boolean mayPass(Company company, long left, boolean endsWait, long now) {
    Set<CoupledTime> concerned = new HashSet<>();
    boolean may = mayPass(company, left, endsWait, now, concerned);
    concerned.forEach(other -> other.watcher.run());
    return may;
  }

  private boolean mayPass(
      Company company, long left, boolean endsWait, long now, Collection<CoupledTime> concerned) {
    synchronized (ALL) {
      boolean news = !stands || leftNs != left || !awaits.equals(company.networks);
      boolean idle = !Deadlines.isSet(left);
      standStill(company, left, endsWait || idle, now);
      Collection<CoupledTime> reached = reached();
      boolean real = reached.stream().anyMatch(other -> other.awaitsSockets);
      if (real) {
        behindNs = behind(now - realNs);
      }
      realNs = now;
      if (idle) {
        behindNs = 0; // nothing is late
        if (company.isOnlySocketsForLong()) {
          return true;
        }
      } else if (behindNs >= left) {
        return true;
      }
      List<CoupledTime> waitForMe =
          STANDING.stream().filter(o -> o != this && o.reached().contains(this)).toList();
      awaited = !waitForMe.isEmpty();
      if (!real
          && reached.stream().allMatch(other -> other.stands && !other.isBefore(this))
          && waitForMe.stream().noneMatch(other -> other.isBefore(this) && other.mayMove())) {
        return true;
      }
      if (news) { // only once, because two networks would otherwise wake each other without end
        concerned.addAll(awaits);
        concerned.addAll(waitForMe);
      }
      return false;
    }
  }

  /**
   * @param forLong whether to wait also for threads that have been on sockets for a long time
   */
  private void standStill(Company company, long left, boolean forLong, long now) {
    if (!stands) {
      stands = true;
      STANDING.add(this);
      realNs = Math.max(realNs, now - LOOK_NS);
    }
    awaits = Set.copyOf(company.networks);
    awaits.forEach(other -> other.awaited = true);
    awaitsSockets = company.sockets || company.socketsForLong && forLong;
    leftNs = left;
  }

  /** Whether other networks may have waited for this one since time last passed here. */
  boolean isAwaited() {
    return awaited;
  }

  /** The network moves: it has an event, or a thread of its own computes. */
  void moves() {
    if (stands) {
      synchronized (ALL) {
        stands = false;
        STANDING.remove(this);
        awaits = Set.of();
        awaitsSockets = false;
      }
    }
  }

  /** The network is closed. Threads that have polled it may still know this object. */
  void close() {
    moves();
    watcher = () -> {};
  }

  /** Virtual time has passed on this network. */
  void passed(long ns) {
    if (!stands && !awaited && behindNs == 0 || ns == 0) {
      return;
    }
    synchronized (ALL) {
      behindNs = Math.max(0, behindNs - ns);
      Collection<CoupledTime> mine = reached();
      awaited = false;
      for (CoupledTime other : STANDING) {
        boolean awaitsMe = other != this && other.reached().contains(this);
        awaited |= awaitsMe;
        if (other != this && (awaitsMe || mine.contains(other))) {
          other.behindNs = other.behind(ns);
        }
      }
    }
  }

  /** How far it is behind after {@code ns} more nanoseconds, at most up to its next event. */
  private long behind(long ns) {
    return Deadlines.isSet(leftNs) ? Math.min(behindNs + ns, Math.max(leftNs, behindNs)) : 0;
  }

  /** Whether this network and every network for which it waits, directly or not, stand still. */
  private boolean mayMove() {
    return reached().stream().allMatch(other -> other.stands && !other.awaitsSockets);
  }

  private boolean isBefore(CoupledTime other) {
    long mine = Deadlines.left(leftNs, behindNs);
    long its = Deadlines.left(other.leftNs, other.behindNs);
    return mine < its || mine == its && number < other.number;
  }

  /** This network and every network for which it waits, directly or not. */
  private Collection<CoupledTime> reached() {
    Set<CoupledTime> known = new HashSet<>(Set.of(this));
    List<CoupledTime> open = new ArrayList<>(known);
    while (!open.isEmpty()) {
      for (CoupledTime next : open.removeLast().awaits) {
        if (known.add(next)) {
          open.add(next);
        }
      }
    }
    return known;
  }

  @Override
  public String toString() {
    return "virtual network " + number;
  }
}
