package org.roce4j.engine.time;

import java.util.Arrays;

/**
 * A binary heap of {@link Deadline}s that know their place, so that moving or removing one costs
 * O(log n). Times are compared by difference and survive the wrap of the clock. Confined to the
 * engine's owner.
 */
public final class DeadlineHeap {
  /** What {@link #nextNs} says when nothing is due ever. */
  public static final long NEVER = Long.MAX_VALUE;

  private Deadline[] heap = new Deadline[16];
  private int size;

  /** Sets or moves a deadline. */
  public void set(Deadline deadline, long atNs) {
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
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size * 2);
    }
    deadline.atNs = atNs;
    deadline.index = size;
    heap[size] = deadline;
    up(size++);
  }

  public void cancel(Deadline deadline) {
    int at = deadline.index;
    if (at == Deadline.ABSENT) {
      return;
    }
    deadline.index = Deadline.ABSENT;
    Deadline last = heap[--size];
    heap[size] = null;
    if (last != deadline) {
      heap[at] = last;
      last.index = at;
      up(at);
      down(last.index);
    }
  }

  /** Removes and returns a deadline that is due, or null. */
  public Deadline pollDue(long nowNs) {
    if (size == 0 || heap[0].atNs - nowNs > 0) {
      return null;
    }
    Deadline due = heap[0];
    cancel(due);
    return due;
  }

  /** When the earliest one is due, or {@link #NEVER}. */
  public long nextNs() {
    return size == 0 ? NEVER : heap[0].atNs;
  }

  public int size() {
    return size;
  }

  private void up(int at) {
    Deadline moved = heap[at];
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (heap[parent].atNs - moved.atNs <= 0) {
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
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && heap[child + 1].atNs - heap[child].atNs < 0) {
        child++;
      }
      if (moved.atNs - heap[child].atNs <= 0) {
        break;
      }
      put(at, heap[child]);
      at = child;
    }
    put(at, moved);
  }

  private void put(int at, Deadline deadline) {
    heap[at] = deadline;
    deadline.index = at;
  }
}
