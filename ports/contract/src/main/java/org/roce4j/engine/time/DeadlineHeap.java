package org.roce4j.engine.time;

import java.util.Arrays;

/**
 * A heap of {@link Deadline}s that know their index, so that moving or removing one costs O(log n).
 * Nodes have four children, and the times are in an array beside the deadlines, so that removing
 * one of thousands reads few cache lines. A deadline that is postponed or cancelled by {@link
 * #want} stays in its place until it reaches the top, so nothing moves while packets flow. Times
 * are compared by difference and survive the wrap of the clock. Confined to the engine's owner.
 */
public final class DeadlineHeap {
  private static final int CHILDREN_BITS = 2;
  private static final int CHILDREN = 1 << CHILDREN_BITS;

  private Deadline[] heap = new Deadline[16];
  private long[] times = new long[16];
  private int size;

  /** Makes room for {@code deadlines}, so that nothing is allocated while packets flow. */
  public void reserve(int deadlines) {
    if (deadlines > heap.length) {
      int larger = Math.max(deadlines, 2 * heap.length);
      long[] moreTimes = Arrays.copyOf(times, larger);
      heap = Arrays.copyOf(heap, larger);
      times = moreTimes;
    }
  }

  /** Sets or moves a deadline. */
  public void set(Deadline deadline, long atNs) {
    deadline.wanted = true;
    deadline.wantedNs = atNs;
    if (deadline.isSet()) {
      long before = deadline.atNs;
      deadline.atNs = atNs;
      if (atNs - before < 0) {
        up(deadline.index);
      } else {
        down(deadline.index);
      }
      return;
    }
    reserve(size + 1);
    deadline.atNs = atNs;
    put(size, deadline);
    up(size++);
  }

  /**
   * Sets the time at which a deadline's owner wants to be called. Cheap if it is later than before.
   *
   * @param atNs the time, or {@link Deadlines#NEVER} for none
   */
  public void want(Deadline deadline, long atNs) {
    if (Deadlines.isSet(atNs) && (!deadline.isSet() || atNs - deadline.atNs < 0)) {
      set(deadline, atNs);
    } else {
      deadline.wanted = Deadlines.isSet(atNs);
      deadline.wantedNs = atNs;
    }
  }

  /** Removes a deadline; does nothing if it is not set. */
  public void cancel(Deadline deadline) {
    deadline.wanted = false;
    int at = deadline.index;
    if (at == Deadline.ABSENT) {
      return;
    }
    deadline.index = Deadline.ABSENT;
    Deadline last = heap[--size];
    heap[size] = null;
    if (last != deadline) {
      put(at, last);
      up(at);
      down(last.index);
    }
  }

  /** Removes and returns a deadline that is due, or null. */
  public Deadline pollDue(long nowNs) {
    while (size > 0 && times[0] - nowNs <= 0) {
      Deadline first = heap[0];
      boolean wanted = first.wanted;
      if (wanted && first.wantedNs - nowNs > 0) {
        set(first, first.wantedNs);
        continue;
      }
      cancel(first);
      if (wanted) {
        return first;
      }
    }
    return null;
  }

  /** A time before which no deadline is due; {@link Deadlines#NEVER} if none is set. */
  public long nextNs() {
    return size == 0 ? Deadlines.NEVER : times[0];
  }

  /** The number of deadlines in the heap. */
  public int size() {
    return size;
  }

  private void up(int at) {
    Deadline moved = heap[at];
    while (at > 0) {
      int parent = (at - 1) >>> CHILDREN_BITS;
      if (times[parent] - moved.atNs <= 0) {
        break;
      }
      put(at, heap[parent]);
      at = parent;
    }
    put(at, moved);
  }

  private void down(int at) {
    Deadline moved = heap[at];
    while (true) {
      int first = (at << CHILDREN_BITS) + 1;
      if (first >= size) {
        break;
      }
      int least = first;
      int end = Math.min(first + CHILDREN, size);
      for (int child = first + 1; child < end; child++) {
        if (times[child] - times[least] < 0) {
          least = child;
        }
      }
      if (moved.atNs - times[least] <= 0) {
        break;
      }
      put(at, heap[least]);
      at = least;
    }
    put(at, moved);
  }

  private void put(int at, Deadline deadline) {
    heap[at] = deadline;
    times[at] = deadline.atNs;
    deadline.index = at;
  }
}
