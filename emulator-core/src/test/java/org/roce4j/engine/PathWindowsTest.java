package org.roce4j.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.path.PathShare;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Gid;

/** The windows of an engine: created with the first user of an address, removed with the last. */
class PathWindowsTest {
  private final DeadlineHeap deadlines = new DeadlineHeap();
  private final UserCounts<Path, Path> paths = new UserCounts<>(Function.identity());
  private final PathWindows windows = new PathWindows(deadlines, paths, 1 << 20);
  private final Path path = new Path(0, 0, 0xffff0a000001L, 0, 0xffff0a000002L, 0, 64);

  private static Path to(long high, long low) {
    return new Path(0, high, 0xffff0a000001L, high, low, 0, 64);
  }

  /** Also of addresses that differ in one half. */
  @Test
  void eachAddressHasAWindowOfItsOwn() {
    PathWindow one = windows.hold(to(1, 2)).window();
    assertSame(one, windows.hold(new Path(0, 1, 7, 1, 2, 3, 9)).window(), "the same address");
    assertEquals(new Gid(1, 2), one.peer());
    windows.hold(to(1, 3));
    windows.hold(to(2, 2));
    windows.hold(to(2, 1));
    assertEquals(4, windows.size());
  }

  @Test
  void aWindowIsLookedAtUntilItsLastUserLeaves() {
    PathWindow window = windows.hold(path).window();
    windows.hold(path);
    PathShare share = new PathShare(() -> {});
    windows.await(window, share, 1000);
    windows.release(path, window, false);
    assertEquals(1, deadlines.size());
    assertEquals(1, windows.size());
    window.forget(share);
    windows.release(path, window, false);
    assertEquals(0, deadlines.size());
  }

  /** The limit of a device may be below the window that a path begins with. */
  @ParameterizedTest
  @ValueSource(longs = {8192, 1 << 20, 4 << 20})
  void aWindowGrowsUpToTheLimitOfItsDevice(long mostBytes) {
    PathWindow growing = PathWindow.upTo(Gid.ZERO, mostBytes, (_, _) -> {});
    long begin = growing.limitBytes();
    Peer peer = new Peer(() -> {});
    peer.path(path, growing, 0);
    PathShare busy = peer.share();
    for (int round = 0; round < 10_000; round++) {
      busy.sent(growing.limitBytes());
      busy.acknowledged(growing.inFlightBytes());
    }
    assertEquals(Math.max(begin, mostBytes), growing.limitBytes());
  }

  /** Regardless of the number of queue pairs that begin to wait in the meantime. */
  @Test
  void aWindowIsLookedAtWhenTheFirstHasWaited() {
    PathWindow window = windows.hold(path).window();
    windows.await(window, new PathShare(() -> {}), 1000);
    long dueNs = deadlines.nextNs();
    windows.await(window, new PathShare(() -> {}), 2000);
    assertEquals(dueNs, deadlines.nextNs());
  }

  @Test
  void aWindowForWhichNobodyWaitsIsSoonLookedAtNoMore() {
    PathWindow window = windows.hold(path).window();
    PathShare share = new PathShare(() -> {});
    windows.await(window, share, 1000);
    window.forget(share);
    for (int look = 0; look < 2; look++) {
      long dueNs = deadlines.nextNs();
      deadlines.pollDue(dueNs).owner().handleTimeout(dueNs);
    }
    assertEquals(Deadlines.NEVER, deadlines.nextNs());
  }

  @Test
  void aWindowThatIsGoneIsLookedAtNoMore() {
    PathWindow window = windows.hold(path).window();
    PathShare share = new PathShare(() -> {});
    windows.await(window, share, 1000);
    assertEquals(1, deadlines.size());
    window.forget(share);
    windows.release(path, window, false);
    assertEquals(0, deadlines.size());
    assertEquals(Deadlines.NEVER, deadlines.nextNs());
    assertEquals(0, windows.size());
    assertEquals(0, paths.size());
  }
}
