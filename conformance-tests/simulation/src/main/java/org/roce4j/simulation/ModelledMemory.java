package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Memory of an application and what the oracle expects in it. Zones are registered, the guards
 * around them are not. Every byte that no outstanding request may write must be as expected,
 * always.
 */
final class ModelledMemory {
  static final int GUARD = 256;
  private static final int PAGE = 4096;
  private static final int ALIGNMENT = 64;

  private final String owner;
  private final MemorySegment actual;
  private final MemorySegment expected;
  private final List<Zone> zones = new ArrayList<>();

  /** Where the bytes of unfinished writes may be either old or new. */
  private final List<Torn> torn = new ArrayList<>();

  private int used = GUARD;

  private record Torn(Extent extent, MemorySegment alternative) {}

  ModelledMemory(Arena arena, String owner, int bytes, int zoneCount, SplittableRandom random) {
    this.owner = owner;
    int size = bytes + (zoneCount + 1) * (GUARD + ALIGNMENT);
    actual = arena.allocate(size, PAGE);
    Pattern.fill(actual, random);
    expected = arena.allocate(size, 8).copyFrom(actual);
  }

  /** The next part of it, 64-byte aligned, with a guard before and behind. */
  Zone zone(String name, int bytes) {
    int start = (used + ALIGNMENT - 1) & -ALIGNMENT;
    Zone zone = new Zone(this, name + " of " + owner, start, start + bytes);
    used = zone.end() + GUARD;
    zones.add(zone);
    return zone;
  }

  /** A zone within a zone; its bytes must be taken in the outer one. */
  Zone inner(String name, Extent within) {
    Zone zone = new Zone(this, name + " of " + owner, within.at, within.end());
    zones.add(zone);
    return zone;
  }

  /** What is registered for a zone. */
  MemorySegment segment(Zone zone) {
    return actual.asSlice(zone.start(), zone.end() - zone.start());
  }

  /**
   * The address by which peers name a zone: addresses travel in packets, and those of this process
   * are others in every run.
   *
   * @param page any number
   */
  long iova(Zone zone, int page) {
    return (page & 0xFFFF_FFFFL) * PAGE + zone.start() % PAGE;
  }

  /** Whether an extent begins with these bytes now. */
  MemorySegment bytes(Extent extent) {
    return actual.asSlice(extent.at, extent.length).asReadOnly();
  }

  boolean holds(Extent extent, MemorySegment bytes) {
    return MemorySegment.mismatch(
            actual, extent.at, extent.at + bytes.byteSize(), bytes, 0, bytes.byteSize())
        < 0;
  }

  /** Changed by the application itself. */
  void store(Extent extent, MemorySegment bytes) {
    MemorySegment.copy(bytes, 0, actual, extent.at, extent.length);
    MemorySegment.copy(bytes, 0, expected, extent.at, extent.length);
  }

  void storeLong(Extent extent, long value) {
    actual.set(ValueLayout.JAVA_LONG_UNALIGNED, extent.at, value);
    expected.set(ValueLayout.JAVA_LONG_UNALIGNED, extent.at, value);
  }

  long actualLong(Extent extent) {
    return actual.get(ValueLayout.JAVA_LONG_UNALIGNED, extent.at);
  }

  /** The network has written these bytes at its start, and nothing behind them. */
  void landed(Extent extent, MemorySegment bytes, String why) {
    MemorySegment.copy(bytes, 0, expected, extent.at, bytes.byteSize());
    extent.undetermined = false;
    check(extent, why);
  }

  void landedLong(Extent extent, long value, Rule rule, String why) {
    expected.set(ValueLayout.JAVA_LONG_UNALIGNED, extent.at, value);
    extent.undetermined = false;
    long found = actualLong(extent);
    require(found == value, rule, "%s: %s holds %d instead of %d", why, extent, found, value);
  }

  /**
   * The network may have written some of these bytes and may still do so, until {@link #checkTorn};
   * the rest is as it was.
   */
  void mayTear(Extent extent, MemorySegment bytes) {
    extent.undetermined = true;
    torn.add(new Torn(extent, bytes));
  }

  /** The network may have written some of these bytes, but writes them no more. */
  void settleTorn(Extent extent, MemorySegment bytes, String why) {
    checkEither(extent, bytes, why);
    forget(extent);
  }

  /** Whatever an extent that is being written holds may stay, where nothing else is expected. */
  void expectTail(Extent extent) {
    MemorySegment.copy(actual, extent.at, expected, extent.at, extent.length);
  }

  /** Whatever it holds now, it must keep. */
  void forget(Extent extent) {
    MemorySegment.copy(actual, extent.at, expected, extent.at, extent.length);
    extent.undetermined = false;
  }

  void checkTorn() {
    for (Torn each : torn) {
      checkEither(each.extent, each.alternative, "an unfinished write");
    }
  }

  /** Each byte is the expected one or that of the alternative; ranges of either are passed over. */
  private void checkEither(Extent extent, MemorySegment alternative, String why) {
    MemorySegment found = actual.asSlice(extent.at, extent.length);
    MemorySegment old = expected.asSlice(extent.at, extent.length);
    long at = 0;
    while (at < extent.length) {
      long unlikeOld = firstUnlike(found, old, at);
      at = firstUnlike(found, alternative, unlikeOld);
      if (at == unlikeOld && at < extent.length) {
        throw new RuleBroken(
            Rule.MEMORY_UNTOUCHED,
            "%s: byte %d of %s is neither the old nor the new one".formatted(why, at, extent));
      }
    }
  }

  /** The first byte from there on that is not the same, or that the other has not. */
  private static long firstUnlike(MemorySegment one, MemorySegment other, long from) {
    long end = Math.min(one.byteSize(), other.byteSize());
    long same = from >= end ? 0 : MemorySegment.mismatch(one, from, end, other, from, end);
    return same < 0 ? end : from + same;
  }

  /** These bytes, and those right around them, are as expected. */
  void check(Extent extent, String why) {
    compare(extent.at, extent.end(), Rule.BYTES_WHOLE, why);
  }

  /** Everything that nobody may be writing is as expected. */
  void checkAll() {
    TreeMap<Integer, Extent> open = new TreeMap<>();
    for (Zone zone : zones) {
      for (Extent extent : zone.extents()) {
        if (extent.undetermined) {
          open.put(extent.at, extent);
        }
      }
    }
    int at = 0;
    for (Extent extent : open.values()) {
      compare(at, extent.at, Rule.MEMORY_UNTOUCHED, "outside any request");
      at = extent.end();
    }
    compare(at, (int) actual.byteSize(), Rule.MEMORY_UNTOUCHED, "outside any request");
  }

  private void compare(int from, int to, Rule rule, String why) {
    if (from >= to) {
      return;
    }
    long at = MemorySegment.mismatch(actual, from, to, expected, from, to);
    if (at >= 0) {
      throw new RuleBroken(
          rule,
          "%s: byte %d of %s (%s) is 0x%02x instead of 0x%02x; %d of %d bytes differ"
              .formatted(
                  why,
                  from + at,
                  owner,
                  placeOf((int) (from + at)),
                  actual.get(ValueLayout.JAVA_BYTE, from + at),
                  expected.get(ValueLayout.JAVA_BYTE, from + at),
                  differing(from, to),
                  to - from));
    }
  }

  private int differing(int from, int to) {
    int count = 0;
    for (int i = from; i < to; i++) {
      if (actual.get(ValueLayout.JAVA_BYTE, i) != expected.get(ValueLayout.JAVA_BYTE, i)) {
        count++;
      }
    }
    return count;
  }

  private String placeOf(int at) {
    for (Zone zone : zones) {
      if (at >= zone.start() && at < zone.end()) {
        for (Extent extent : zone.extents()) {
          if (at >= extent.at && at < extent.end()) {
            return extent.toString();
          }
        }
        return "in " + zone;
      }
    }
    return "in a guard";
  }
}
