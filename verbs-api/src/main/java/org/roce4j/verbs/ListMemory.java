package org.roce4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * The memory of a list of work requests, one native segment: all requests, then all scatter/gather
 * elements, then all inline data. Each request owns its share of the latter two, so that claiming a
 * request needs no search.
 */
final class ListMemory {
  /** Enough for every field, and one request of a send list spans two cache lines exactly. */
  private static final long ALIGNMENT = 64;

  final MemorySegment segment;
  final int capacity;
  final int maxSge;
  final int maxInline;
  private final int requestSize;
  private final long sgeArea;
  private final long inlineArea;

  ListMemory(Arena arena, int requestSize, int capacity, int maxSge, int maxInline) {
    if (capacity < 1 || maxSge < 0 || maxInline < 0) {
      throw new VerbsException(
          Errno.EINVAL,
          "a list needs capacity >= 1, maxSge >= 0, maxInline >= 0, not "
              + capacity
              + ", "
              + maxSge
              + ", "
              + maxInline);
    }
    this.capacity = capacity;
    // Inline data travels in an element too.
    this.maxSge = maxInline > 0 ? Math.max(maxSge, 1) : maxSge;
    this.maxInline = maxInline;
    this.requestSize = requestSize;
    this.sgeArea = (long) capacity * requestSize;
    this.inlineArea = sgeArea + (long) capacity * this.maxSge * SgeLayout.SIZE;
    this.segment =
        RequiredArgument.check(arena, "arena")
            .allocate(inlineArea + (long) capacity * maxInline, ALIGNMENT);
  }

  /** Offset of a request. */
  long request(int index) {
    return (long) index * requestSize;
  }

  /** Offset of an element of a request. */
  long sge(int index, int element) {
    return sgeArea + ((long) index * maxSge + element) * SgeLayout.SIZE;
  }

  /** Offset of a request's inline data. */
  long inline(int index) {
    return inlineArea + (long) index * maxInline;
  }

  /** Absolute address of an offset. */
  long address(long offset) {
    return segment.address() + offset;
  }

  /** Zeroes a request; word by word, because a slice would be an object. */
  void zero(long request) {
    try {
      for (long word = request; word < request + requestSize; word += Long.BYTES) {
        segment.set(JAVA_LONG_UNALIGNED, word, 0L);
      }
    } catch (IllegalStateException e) {
      throw new VerbsException(
          Errno.EINVAL, "the memory of the list was freed: make another list", e);
    }
  }

  /** Writes one element. */
  void sge(int index, int element, long addr, int length, int lkey) {
    long sge = sge(index, element);
    SgeLayout.addr(segment, sge, addr);
    SgeLayout.length(segment, sge, length);
    SgeLayout.lkey(segment, sge, lkey);
  }

  /** Refuses an element beyond the list's {@code maxSge}. */
  void checkElement(int element) {
    if (element >= maxSge) {
      throw new VerbsException(
          Errno.EINVAL, "make the list with maxSge above " + maxSge + " to add another element");
    }
  }

  /** Refuses to claim beyond the capacity. */
  void checkRoom(int size) {
    if (size == capacity) {
      throw new VerbsException(
          Errno.ENOMEM,
          "the list holds " + capacity + " requests: post and clear it, or make it larger");
    }
  }

  /** Refuses to set a field before the first request is claimed. */
  static void checkClaimed(int size) {
    if (size == 0) {
      throw new VerbsException(Errno.EINVAL, "the list is empty: call add() first");
    }
  }

  /** The first address of an element that names part of a region. */
  static long addressIn(MemoryRegion region, long offset, int length) {
    if (offset < 0 || length < 0 || offset > region.length() - length) {
      throw new VerbsException(
          Errno.EINVAL,
          "offset "
              + offset
              + " and length "
              + length
              + " leave the memory region of "
              + region.length()
              + " bytes");
    }
    return region.iova() + offset;
  }
}
