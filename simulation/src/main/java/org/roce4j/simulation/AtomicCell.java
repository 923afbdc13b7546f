package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.roce4j.verbs.WrOpcode;

/**
 * A long that atomics work on. A private one belongs to one connection, whose order says what each
 * atomic must return. A shared one is only added to: the returned values must form one chain that
 * every completed addition appears in exactly once.
 */
final class AtomicCell {
  final Extent extent;
  final boolean shared;
  private final long initial;

  /** Of a private cell, after everything that was posted. */
  private long value;

  private int outstanding;
  private final List<Long> possible = new ArrayList<>();
  private final Map<Long, PostedSend> byOriginal = new HashMap<>();

  /** Additions that failed, by the end that posted them, in order: a prefix of each may be done. */
  private final Map<Object, List<PostedSend>> doubtful = new LinkedHashMap<>();

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
  void failed(PostedSend atomic, Object poster) {
    outstanding--;
    if (shared) {
      doubtful.computeIfAbsent(poster, key -> new ArrayList<>()).add(atomic);
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
    List<List<PostedSend>> open = List.copyOf(doubtful.values());
    require(
        chain(initial, found, byOriginal.size(), open, new int[open.size()], new HashSet<>()),
        Rule.ATOMIC_ONCE,
        "no order of the %d completed additions (and some of those that failed) leads from %d to"
            + " %d in %s",
        byOriginal.size(),
        initial,
        found,
        extent);
  }

  /**
   * Whether all completed additions, and some of the doubtful ones, lead from here to the end.
   *
   * @param done how many of each poster's doubtful ones are
   * @param tried values from which that was found not to be so
   */
  private boolean chain(
      long at, long end, int left, List<List<PostedSend>> open, int[] done, Set<Long> tried) {
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
    if (!tried.add(now)) {
      return false;
    }
    for (int i = 0; i < done.length; i++) {
      if (done[i] < open.get(i).size()) {
        long then = now + open.get(i).get(done[i]).add;
        done[i]++;
        if (chain(then, end, remaining, open, done, tried)) {
          return true;
        }
        done[i]--;
      }
    }
    return false;
  }
}
