package org.roce4j.simulation;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** A part of a {@link ModelledMemory} in which extents are taken. Two extents never touch. */
final class Zone {
  private static final int GAP = 8;
  private static final int TRIES = 6;

  private final ModelledMemory memory;
  private final String name;
  private final int start;
  private final int end;
  private final TreeMap<Integer, Extent> taken = new TreeMap<>();

  Zone(ModelledMemory memory, String name, int start, int end) {
    this.memory = memory;
    this.name = name;
    this.start = start;
    this.end = end;
  }

  int start() {
    return start;
  }

  int end() {
    return end;
  }

  Iterable<Extent> extents() {
    return taken.values();
  }

  /** Takes {@code length} bytes at a random place; null if there is no room. */
  Extent take(int length, int alignment, SplittableRandom random) {
    int span = end - start - length;
    if (span < 0) {
      return null;
    }
    for (int i = 0; i < TRIES; i++) {
      int at = align(start + random.nextInt(span + 1), alignment);
      if (free(at, length)) {
        return add(at, length);
      }
    }
    int at = align(start, alignment);
    for (Extent each : taken.values()) {
      if (at + length + GAP <= each.at) {
        break;
      }
      at = align(Math.max(at, each.end() + GAP), alignment);
    }
    return free(at, length) ? add(at, length) : null;
  }

  void give(Extent extent) {
    taken.remove(extent.at, extent);
  }

  private Extent add(int at, int length) {
    Extent extent = new Extent(memory, this, at, length);
    taken.put(at, extent);
    return extent;
  }

  private static int align(int at, int alignment) {
    return (at + alignment - 1) / alignment * alignment;
  }

  private boolean free(int at, int length) {
    if (at + length > end) {
      return false;
    }
    Map.Entry<Integer, Extent> before = taken.lowerEntry(at + length + GAP);
    return before == null || before.getValue().end() + GAP <= at;
  }

  @Override
  public String toString() {
    return name;
  }
}
