package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.roce4j.verbs.text.Wording;

/**
 * Memory of an application, with the bytes that the oracle expects in it. Zones are registered, the
 * guards around them are not. At any time, every byte that no outstanding request may write must be
 * as expected.
 */
final class ModelledMemory {
  static final int GUARD = 256;
  private static final int PAGE = 4096;
  private static final int ALIGNMENT = 64;

  private final String owner;
  private final MemorySegment actual;
  private final MemorySegment expected;
  private final List<Zone> zones = new ArrayList<>();

  /** The extents of unfinished writes, whose bytes may be old or new. */
  private final List<Torn> torn = new ArrayList<>();

  private int used = GUARD;

  private record Torn(Extent extent, MemorySegment alternative) {}

  ModelledMemory(Arena arena, String owner, int bytes, int zoneCount, SplittableRandom random) {
    this.owner = owner;
    int size = bytes + (zoneCount + 1) * (GUARD + ALIGNMENT);
    actual = arena.allocate(size, PAGE);
    RandomPayload.fill(actual, random);
    expected = arena.allocate(size, 8).copyFrom(actual);
  }

  /** Adds a zone, 64-byte aligned, with a guard before and behind it. */
  Zone zone(String name, int bytes) {
    int start = (used + ALIGNMENT - 1) & -ALIGNMENT;
    Zone zone = new Zone(this, name + " of " + owner, start, start + bytes);
    used = zone.end() + GUARD;
    zones.add(zone);
    return zone;
  }

  /** Adds a zone within a zone; the outer zone must have the extent taken. */
  Zone inner(String name, Extent within) {
    Zone zone = new Zone(this, name + " of " + owner, within.at, within.end());
    zones.add(zone);
    return zone;
  }

  /** The memory to register for a zone. */
  MemorySegment segment(Zone zone) {
    return actual.asSlice(zone.start(), zone.end() - zone.start());
  }

  /**
   * The address of a zone for peers. Addresses travel in packets, so they must not be those of this
   * process, which differ from run to run.
   *
   * @param page any number
   */
  long iova(Zone zone, int page) {
    return (page & 0xFFFF_FFFFL) * PAGE + zone.start() % PAGE;
  }

  /** The bytes of an extent now, read-only. */
  MemorySegment bytes(Extent extent) {
    return actual.asSlice(extent.at, extent.length).asReadOnly();
  }

  boolean holds(Extent extent, MemorySegment bytes) {
    return MemorySegment.mismatch(
            actual, extent.at, extent.at + bytes.byteSize(), bytes, 0, bytes.byteSize())
        < 0;
  }

  /** The application itself stores {@code bytes}. */
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

  /** The network has written {@code bytes} to the start of the extent, and nothing after them. */
  void landed(Extent extent, MemorySegment bytes, String why) {
    MemorySegment.copy(bytes, 0, expected, extent.at, bytes.byteSize());
    extent.undetermined = false;
    check(extent, why);
  }

  void landedLong(Extent extent, long value, OracleRule rule, String why) {
    expected.set(ValueLayout.JAVA_LONG_UNALIGNED, extent.at, value);
    extent.undetermined = false;
    long found = actualLong(extent);
    require(found == value, rule, "%s: %s holds %d instead of %d", why, extent, found, value);
  }

  /**
   * The network may have written some of {@code bytes}, and may write more until {@link
   * #checkTorn}. The rest must be unchanged.
   */
  void mayTear(Extent extent, MemorySegment bytes) {
    extent.undetermined = true;
    torn.add(new Torn(extent, bytes));
  }

  /** The network may have written some of {@code bytes}, and writes nothing later. */
  void settleTorn(Extent extent, MemorySegment bytes, String why) {
    checkEither(extent, bytes, why);
    forget(extent);
  }

  /**
   * Takes the present content of an extent as the expected one, in place of {@code alternative}.
   */
  void expectTail(Extent extent) {
    MemorySegment.copy(actual, extent.at, expected, extent.at, extent.length);
  }

  /** Takes the present content of an extent as the expected one. */
  void forget(Extent extent) {
    MemorySegment.copy(actual, extent.at, expected, extent.at, extent.length);
    extent.undetermined = false;
  }

  void checkTorn() {
    for (Torn each : torn) {
      checkEither(each.extent, each.alternative, "an unfinished write");
    }
  }

  /**
   * Requires that each byte is the expected one or that of the alternative. Compares ranges, not
   * single bytes.
   */
  private void checkEither(Extent extent, MemorySegment alternative, String why) {
    RuleBroken.checks(OracleRule.MEMORY_UNTOUCHED);
    MemorySegment found = actual.asSlice(extent.at, extent.length);
    MemorySegment old = expected.asSlice(extent.at, extent.length);
    long at = 0;
    while (at < extent.length) {
      long unlikeOld = firstUnlike(found, old, at);
      at = firstUnlike(found, alternative, unlikeOld);
      if (at == unlikeOld && at < extent.length) {
        throw new RuleBroken(
            OracleRule.MEMORY_UNTOUCHED,
            Wording.of("%s: byte %d of %s is neither the old nor the new one", why, at, extent));
      }
    }
  }

  /** The first index from {@code from} on at which the two differ or one of them ends. */
  private static long firstUnlike(MemorySegment one, MemorySegment other, long from) {
    long end = Math.min(one.byteSize(), other.byteSize());
    long same = from >= end ? 0 : MemorySegment.mismatch(one, from, end, other, from, end);
    return same < 0 ? end : from + same;
  }

  /** Requires that the bytes of an extent are as expected. */
  void check(Extent extent, String why) {
    compare(extent.at, extent.end(), OracleRule.BYTES_WHOLE, why);
  }

  /** Requires that every byte outside undetermined extents is as expected. */
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
      compare(at, extent.at, OracleRule.MEMORY_UNTOUCHED, "outside any request");
      at = extent.end();
    }
    compare(at, (int) actual.byteSize(), OracleRule.MEMORY_UNTOUCHED, "outside any request");
  }

  private void compare(int from, int to, OracleRule rule, String why) {
    if (from >= to) {
      return;
    }
    RuleBroken.checks(rule);
    long at = MemorySegment.mismatch(actual, from, to, expected, from, to);
    if (at >= 0) {
      throw new RuleBroken(
          rule,
          Wording.of(
              "%s: byte %d of %s (%s) is 0x%02x instead of 0x%02x; %d of %d bytes differ",
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
