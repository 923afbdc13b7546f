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
 * A long that atomics work on. A private one belongs to one connection, whose order says what each
 * atomic must return. A shared one is only added to: the returned values must form one chain that
 * every completed addition appears in exactly once.
 */
final class AtomicCell {
  private static final int MOST_BRANCHES = 100_000;

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
    require(
        additionsLeadTo(found),
        Rule.ATOMIC_ONCE,
        "no order of the %d completed additions (and some of those that failed) leads from %d to"
            + " %d in %s",
        byOriginal.size(),
        initial,
        found,
        extent);
  }

  /** Where the doubtful additions lead: a value, and how many of each poster's are done. */
  private record Branch(long value, int[] done) {}

  /**
   * Whether all completed additions, and some of the doubtful ones, lead to the end. Amounts are
   * random, so a value that a completed addition found is never met by accident: from there on
   * nothing before is looked at again.
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
        return true; // too many ways to look at them all
      }
    }
  }

  /**
   * The nearest branch with one of these values; null: there is none; one without counts: unknown.
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
