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
 * The path windows of an engine, one for each peer address, and those that may have room for
 * waiting queue pairs. Confined to the engine's owner.
 */
final class PathWindows {
  private final UserCounts<Path, Path> paths;
  private final UserCounts<Gid, PathWindow> byPeer;
  private final DeadlineHeap deadlines;

  /** The windows that may have room for waiting queue pairs; each is in the queue once. */
  private final ArrayDeque<PathWindow> roomy = new ArrayDeque<>();

  /**
   * @param paths the paths of the whole device
   * @param mostBytes upper bound of each window
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

  /** Adds a user of a path and its window. Changes nothing if memory runs out. */
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
   * Removes a user of a path and its window. When the last user leaves, nothing may be in flight,
   * unless the engine has failed.
   */
  void release(Path path, PathWindow window, boolean givenUp) {
    paths.release(path);
    if (byPeer.release(window.peer())) {
      assert givenUp || window.isEmpty() : "in flight of nobody";
      deadlines.cancel(window.look());
    }
  }

  /** Queues a queue pair that found no room in its window. */
  void await(PathWindow window, PathShare share, long nowNs) {
    if (!share.isWaiting()) {
      window.await(share);
      if (!window.look().isSet()) {
        deadlines.set(window.look(), Deadlines.after(nowNs, window.watch()));
      }
    }
  }

  /** Checks, while queue pairs wait, whether packets in flight still block them. */
  private void look(PathWindow window, long nowNs) {
    long againNs = window.watched();
    if (againNs > 0) {
      deadlines.set(window.look(), Deadlines.after(nowNs, againNs));
    }
    roomMade(window);
  }

  /**
   * A queue pair has nothing in flight any more: removes it from the line.
   *
   * @param window null: the queue pair has none
   */
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

  /** Whether a window may have room for a waiting queue pair. */
  boolean mayAdmit() {
    return !roomy.isEmpty();
  }

  /**
   * Lets waiting queue pairs take turns again, a few at a time: thousands may wait, and one
   * acknowledgement makes room for one.
   */
  void admitWaiting(ActiveRing active) {
    while (active.size() < ReadAhead.BATCH && mayAdmit()) {
      if (!roomy.peek().admitNext()) {
        roomy.poll();
      }
    }
  }
}
