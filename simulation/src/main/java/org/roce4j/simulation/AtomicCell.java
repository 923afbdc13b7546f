package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.verbs.WrOpcode;

/**
 * A long that atomics work on. A private one belongs to one connection, whose order says what each
 * atomic must return. A shared one is only added to: the returned values must form one chain that
 * every completed addition appears in exactly once.
 */
final class AtomicCell {
  private static final int MOST_STEPS = 1_000_000;

  final Extent extent;
  final boolean shared;
  private final long initial;

  /** Of a private cell, after everything that was posted. */
  private long value;

  private int outstanding;
  private final List<Long> possible = new ArrayList<>();
  private final Map<Long, PostedSend> byOriginal = new HashMap<>();
  private final List<PostedSend> doubtful = new ArrayList<>();
  private int steps;

  AtomicCell(Extent extent, boolean shared, long initial) {
    this.extent = extent;
    this.shared = shared;
    this.initial = initial;
    value = initial;
    extent.memory.storeLong(extent, initial);
  }

  /** The value that the next private atomic finds. */
  long value() {
    return value;
  }

  boolean idle() {
    return outstanding == 0;
  }

  /** Whether an atomic on it failed, so that its value is not certain any more. */
  boolean uncertain() {
    return !possible.isEmpty();
  }

  void posted(PostedSend atomic, long compare, long swap) {
    extent.undetermined = true;
    outstanding++;
    if (shared) {
      return;
    }
    atomic.original = value;
    if (atomic.opcode == WrOpcode.ATOMIC_FETCH_AND_ADD) {
      value += atomic.add;
    } else if (value == compare) {
      value = swap;
    }
    atomic.result = value;
  }

  /** It completed and returned this value. */
  void completed(PostedSend atomic, long returned) {
    outstanding--;
    if (shared) {
      PostedSend twin = byOriginal.put(returned, atomic);
      require(
          twin == null || atomic.add == 0 || twin.add == 0,
          Rule.ATOMIC_ONCE,
          "two additions found %s at the same value %d: %s and %s",
          extent,
          returned,
          twin,
          atomic);
      return;
    }
    require(
        returned == atomic.original,
        Rule.ATOMIC_ONCE,
        "%s on %s returned %d instead of %d",
        atomic,
        extent,
        returned,
        atomic.original);
    if (outstanding == 0 && !uncertain()) {
      extent.memory.landedLong(extent, atomic.result, Rule.ATOMIC_ONCE, atomic.toString());
    }
  }

  /** It failed or was flushed: whether it was executed is not known. */
  void failed(PostedSend atomic) {
    outstanding--;
    if (shared) {
      doubtful.add(atomic);
    } else {
      if (possible.isEmpty()) {
        possible.add(atomic.original);
      }
      possible.add(atomic.result);
    }
  }

  /** When all is over. */
  void checkAtEnd() {
    long found = extent.memory.actualLong(extent);
    if (!shared) {
      require(
          possible.isEmpty() || possible.contains(found),
          Rule.ATOMIC_ONCE,
          "%s holds %d, which no execution of a part of the failed atomics leaves: %s",
          extent,
          found,
          possible);
      return;
    }
    Deque<PostedSend> open = new ArrayDeque<>(doubtful);
    steps = 0;
    require(
        chain(initial, found, byOriginal.size(), open),
        Rule.ATOMIC_ONCE,
        "no order of the %d completed additions (and some of the %d failed ones) leads from %d to"
            + " %d in %s",
        byOriginal.size(),
        doubtful.size(),
        initial,
        found,
        extent);
  }

  /** Whether all completed additions, and some of the doubtful ones, lead from here to the end. */
  private boolean chain(long at, long end, int left, Deque<PostedSend> open) {
    long now = at;
    int remaining = left;
    PostedSend next = byOriginal.get(now);
    while (next != null && remaining > 0) {
      now += next.add;
      remaining--;
      next = byOriginal.get(now);
    }
    if (remaining == 0 && now == end) {
      return true;
    }
    if (++steps > MOST_STEPS) {
      return true; // too many doubtful ones to try them all
    }
    for (int i = open.size(); i > 0; i--) {
      PostedSend one = open.poll();
      if (chain(now + one.add, end, remaining, open)) {
        return true;
      }
      open.add(one);
    }
    return false;
  }
}
