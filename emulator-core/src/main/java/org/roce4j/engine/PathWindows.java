package org.roce4j.engine;

import java.util.ArrayDeque;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.path.PathShare;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.qp.QpHost;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Gid;

/**
 * An engine's path windows, one per peer address, and those of them that have queue pairs waiting
 * and perhaps room. Confined to the engine's owner.
 */
final class PathWindows {
  private final UserCounts<Path, Path> paths;
  private final UserCounts<Gid, PathWindow> byPeer;
  private final DeadlineHeap deadlines;

  /** Windows with waiting queue pairs and perhaps room; each is here once. */
  private final ArrayDeque<PathWindow> roomy = new ArrayDeque<>();

  /**
   * @param paths of the whole device
   * @param mostBytes no window grows above this
   */
  PathWindows(DeadlineHeap deadlines, UserCounts<Path, Path> paths, long mostBytes) {
    this.deadlines = deadlines;
    this.paths = paths;
    byPeer = new UserCounts<>(peer -> PathWindow.upTo(peer, mostBytes, this::look));
  }

  private static Gid peer(Path path) {
    return new Gid(path.remoteHigh(), path.remoteLow());
  }

  int size() {
    return byPeer.size();
  }

  /** Adds a user to a path and its window; changes nothing if memory runs out. */
  QpHost.HeldPath hold(Path path) {
    Path held = paths.hold(path);
    try {
      return new QpHost.HeldPath(held, byPeer.hold(peer(held)));
    } catch (OutOfMemoryError e) {
      paths.release(held);
      throw e;
    }
  }

  /**
   * Removes a user of a path and its window. When the last one leaves, the window must be empty,
   * unless the engine has given up.
   */
  void release(Path path, PathWindow window, boolean givenUp) {
    paths.release(path);
    if (byPeer.release(window.peer())) {
      assert givenUp || window.isEmpty() : "in flight of nobody";
      deadlines.cancel(window.look());
    }
  }

  /** A queue pair found no room and waits for some. */
  void await(PathWindow window, PathShare share, long nowNs) {
    if (!share.isWaiting()) {
      window.await(share);
      if (!window.look().isSet()) {
        deadlines.set(window.look(), Deadlines.after(nowNs, window.watch()));
      }
    }
  }

  /** Checks, while a queue pair waits, whether packets in flight may keep it out any longer. */
  private void look(PathWindow window, long nowNs) {
    long againNs = window.watched();
    if (againNs > 0) {
      deadlines.set(window.look(), Deadlines.after(nowNs, againNs));
    }
    roomMade(window);
  }

  /** Nothing of a queue pair is in flight any more; null: it has no window. */
  void leave(PathWindow window, PathShare share) {
    if (window != null) {
      window.forget(share);
      roomMade(window);
    }
  }

  /**
   * The window may have room for waiting queue pairs.
   *
   * @param window null: the queue pair has none
   */
  void roomMade(PathWindow window) {
    if (window != null && window.mayAdmit()) {
      roomy.add(window);
    }
  }

  /** Whether a waiting queue pair may be admitted. */
  boolean mayAdmit() {
    return !roomy.isEmpty();
  }

  /**
   * Lets queue pairs that wait for a path take turns again, a few at a time: thousands may wait,
   * and an acknowledgement makes room for one.
   */
  void admitWaiting(ActiveRing active) {
    while (active.size() < ReadAhead.BATCH && mayAdmit()) {
      if (!roomy.peek().admitNext()) {
        roomy.poll();
      }
    }
  }
}
