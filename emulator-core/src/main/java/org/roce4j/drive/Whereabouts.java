package org.roce4j.drive;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.roce4j.verbs.GiveWay;

/**
 * Where a thread is while it uses devices. A virtual network must know whether a thread that uses
 * it computes, or waits on another network or on sockets. The thread itself sets it; any thread may
 * read it. Setting it allocates nothing.
 */
public final class Whereabouts {
  private static final ThreadLocal<Whereabouts> MINE = ThreadLocal.withInitial(Whereabouts::new);

  private static final VarHandle POLLS;
  private static final VarHandle SOCKET_POLLS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      POLLS = lookup.findVarHandle(Whereabouts.class, "polls", long.class);
      SOCKET_POLLS = lookup.findVarHandle(Whereabouts.class, "socketPolls", long.class);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether a virtual network exists or has existed. Only then are polls of sockets noted. */
  private static volatile boolean asked;

  /** The place where it waits; null: it runs the program's code. */
  private volatile WaitingPlace place;

  /** The virtual network that it has polled last; null: none. */
  private volatile WaitingPlace polled;

  @SuppressWarnings("unused") // by POLLS
  private long polls;

  @SuppressWarnings("unused") // by SOCKET_POLLS
  private long socketPolls;

  private Whereabouts() {}

  /** The whereabouts of the calling thread. */
  public static Whereabouts mine() {
    return MINE.get();
  }

  /** Notes polls of sockets from now on, because a virtual network may read the notes. */
  public static void ask() {
    asked = true;
  }

  // ---- for the thread itself

  /**
   * The thread begins to wait at a place. A wait inside another one, as in a hook, hides the outer
   * one.
   *
   * @return the previous place, for {@link #leave}
   */
  public WaitingPlace enter(WaitingPlace next) {
    WaitingPlace before = place;
    place = next;
    return before;
  }

  /** Ends the wait begun by {@link #enter}. */
  public void leave(WaitingPlace before) {
    place = before;
  }

  /** The thread polls a virtual network. */
  public void polls(WaitingPlace network) {
    if (polled != network) {
      polled = network;
    }
    POLLS.setOpaque(this, (long) POLLS.get(this) + 1);
  }

  /** The calling thread polls a device on sockets. */
  static void pollsSockets() {
    if (asked) {
      Whereabouts mine = mine();
      SOCKET_POLLS.setOpaque(mine, (long) SOCKET_POLLS.get(mine) + 1);
    }
  }

  /**
   * Lets other threads run; a virtual thread sleeps instead.
   *
   * @param place where the thread is meanwhile, so that it does not count as away
   */
  static void giveWay(WaitingPlace place) {
    if (!asked) {
      GiveWay.toOthers();
      return;
    }
    Whereabouts mine = mine();
    WaitingPlace before = mine.enter(place);
    try {
      GiveWay.toOthers();
    } finally {
      mine.leave(before);
    }
  }

  // ---- for any thread

  /** The place where the thread waits; null: it does not wait. */
  public WaitingPlace place() {
    return place;
  }

  /** The virtual network that it has polled last; null: none. */
  public WaitingPlace polled() {
    return polled;
  }

  /** The number of its polls of virtual networks. */
  public long polls() {
    return (long) POLLS.getOpaque(this);
  }

  /** The number of its polls of sockets since a virtual network exists. */
  public long socketPolls() {
    return (long) SOCKET_POLLS.getOpaque(this);
  }

  @Override
  public String toString() {
    return place == null ? "in the program" : "waits on " + place;
  }
}
