package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.roce4j.verbs.WrOpcode;

/**
 * A long that atomics work on. A private cell belongs to one connection, whose order determines
 * what each atomic must return. A shared cell only takes additions: their returned values must form
 * one chain that contains each completed addition exactly once.
 */
final class AtomicCell {
  private static final int MOST_BRANCHES = 100_000;

  final Extent extent;
  final boolean shared;
  private final long initial;

  /** The value of a private cell after all posted atomics. */
  private long value;

  private int outstanding;
  private final List<Long> possible = new ArrayList<>();
  private final Map<Long, PostedSend> byOriginal = new HashMap<>();

  /**
   * The failed additions of each end, in posting order. A prefix of each list may have been
   * executed.
   */
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

  /** Whether an atomic on the cell failed, so that its value is not certain. */
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

  /** The atomic completed and returned {@code returned}. */
  void completed(PostedSend atomic, long returned) {
    outstanding--;
    if (shared) {
      PostedSend twin = byOriginal.put(returned, atomic);
      require(
          twin == null || atomic.add == 0 || twin.add == 0,
          OracleRule.ATOMIC_ONCE,
          "two additions found %s at the same value %d: %s and %s",
          extent,
          returned,
          twin,
          atomic);
      return;
    }
    require(
        returned == atomic.original,
        OracleRule.ATOMIC_ONCE,
        "%s on %s returned %d instead of %d",
        atomic,
        extent,
        returned,
        atomic.original);
    if (outstanding == 0 && !uncertain()) {
      extent.memory.landedLong(extent, atomic.result, OracleRule.ATOMIC_ONCE, atomic.toString());
    }
  }

  /** The atomic failed or was flushed; it may have been executed. */
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

  /** Judges the final value of the cell. */
  void checkAtEnd() {
    long found = extent.memory.actualLong(extent);
    if (!shared) {
      require(
          possible.isEmpty() || possible.contains(found),
          OracleRule.ATOMIC_ONCE,
          "%s holds %d, which no execution of a part of the failed atomics leaves: %s",
          extent,
          found,
          possible);
      return;
    }
    require(
        additionsLeadTo(found),
        OracleRule.ATOMIC_ONCE,
        "no order of the %d completed additions (and some of those that failed) leads from %d to"
            + " %d in %s",
        byOriginal.size(),
        initial,
        found,
        extent);
  }

  /** A value that doubtful additions lead to, with the number of each end's that are executed. */
  private record Branch(long value, int[] done) {}

  /**
   * Whether all completed additions and some doubtful ones lead to {@code end}. Amounts are random,
   * so the search meets a value that a completed addition found only on the right way, and never
   * looks back beyond it.
   */
  private boolean additionsLeadTo(long end) {
    List<List<PostedSend>> open = List.copyOf(doubtful.values());
    Branch at = new Branch(initial, new int[open.size()]);
    int left = byOriginal.size();
    while (true) {
      long value = at.value;
      for (PostedSend next = byOriginal.get(value);
          next != null && left > 0;
          next = byOriginal.get(value)) {
        value += next.add;
        left--;
      }
      if (left == 0 && value == end) {
        return true;
      }
      Set<Long> known = left > 0 ? byOriginal.keySet() : Set.of(end);
      at = search(new Branch(value, at.done), known, open);
      if (at == null) {
        return false;
      }
      if (at.done == null) {
        return true; // too many ways to try them all
      }
    }
  }

  /**
   * The nearest branch with a {@code known} value; null if there is none; a branch without counts
   * if the search was abandoned.
   */
  private static Branch search(Branch from, Set<Long> known, List<List<PostedSend>> open) {
    ArrayDeque<Branch> branches = new ArrayDeque<>(List.of(from));
    Set<Long> tried = new HashSet<>();
    while (!branches.isEmpty()) {
      Branch branch = branches.poll();
      for (int i = 0; i < branch.done.length; i++) {
        if (branch.done[i] < open.get(i).size()) {
          int[] done = branch.done.clone();
          long value = branch.value + open.get(i).get(done[i]++).add;
          if (known.contains(value)) {
            return new Branch(value, done);
          }
          if (tried.add(value)) {
            branches.add(new Branch(value, done));
          }
        }
      }
      if (tried.size() > MOST_BRANCHES) {
        return new Branch(0, null);
      }
    }
    return null;
  }
}
