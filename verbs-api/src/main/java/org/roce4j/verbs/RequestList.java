package org.roce4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * What lists of work requests share. {@code struct ibv_send_wr} begins with the fields of {@code
 * struct ibv_recv_wr}, so {@link RecvWrLayout} names them here for both.
 *
 * <p>A list is one native segment: all requests, then all scatter/gather elements, then all inline
 * data. Each request owns its share of the latter two, so claiming a request needs no search.
 *
 * @param <L> the list itself, which setters return
 */
abstract class RequestList<L extends RequestList<L>> implements AutoCloseable {
  /** Enough for every field, and one request of a send list spans two cache lines exactly. */
  private static final long ALIGNMENT = 64;

  final MemorySegment memory;
  final int maxSge;
  final int maxInline;
  private final Arena owned;
  private final int capacity;
  private final int requestSize;
  private final long sgeArea;
  private final long inlineArea;
  private int size;
  private long newest;
  private int elements;
  private int badIndex = -1;

  /**
   * @param arena where the list lies; null: memory of its own, which {@link #close} frees
   * @param requestSize bytes of one request
   */
  RequestList(Arena arena, int requestSize, int capacity, int maxSge, int maxInline) {
    if (capacity < 1 || maxSge < 0 || maxInline < 0) {
      throw Errno.EINVAL.refusal(
          "a list needs capacity >= 1, maxSge >= 0, maxInline >= 0, not %d, %d, %d",
          capacity, maxSge, maxInline);
    }
    this.capacity = capacity;
    // Inline data travels in an element too.
    this.maxSge = maxInline > 0 ? Math.max(maxSge, 1) : maxSge;
    this.maxInline = maxInline;
    this.requestSize = requestSize;
    sgeArea = (long) capacity * requestSize;
    inlineArea = sgeArea + (long) capacity * this.maxSge * SgeLayout.SIZE;
    owned = arena == null ? Arena.ofShared() : null;
    memory =
        (arena == null ? owned : arena)
            .allocate(inlineArea + (long) capacity * maxInline, ALIGNMENT);
  }

  @SuppressWarnings("unchecked")
  private L self() {
    return (L) this;
  }

  /** Forgets all requests. */
  public L clear() {
    size = 0;
    badIndex = -1;
    return self();
  }

  /**
   * Claims the next request, zeroed, and links the one before it to it.
   *
   * @throws VerbsException ENOMEM when the list is full, EINVAL when its memory was freed
   */
  public L add() {
    if (size == capacity) {
      throw new VerbsException(
          Errno.ENOMEM,
          "the list holds " + capacity + " requests: post and clear it, or make it larger");
    }
    long claimed = request(size);
    zero(claimed);
    if (size > 0) {
      RecvWrLayout.next(memory, newest, address(claimed));
    }
    newest = claimed;
    elements = 0;
    size++;
    return self();
  }

  /** Zeroes a request; word by word, because a slice would be an object. */
  private void zero(long request) {
    try {
      for (long word = request; word < request + requestSize; word += Long.BYTES) {
        memory.set(JAVA_LONG_UNALIGNED, word, 0L);
      }
    } catch (IllegalStateException e) {
      throw new VerbsException(
          Errno.EINVAL, "the memory of the list was freed: make another list", e);
    }
  }

  /** Sets the identifier that the completion will bear. */
  public L wrId(long wrId) {
    RecvWrLayout.wrId(memory, newest(), wrId);
    return self();
  }

  /**
   * Adds a scatter/gather element.
   *
   * @param addr as the key's region names it; with {@link SendFlags#INLINE} the address in memory
   * @param length bytes, unsigned
   * @throws VerbsException EINVAL beyond the list's {@code maxSge}
   */
  public L sge(long addr, int length, int lkey) {
    long wr = newest();
    checkElement();
    long sge = sgeAt(size - 1, elements);
    SgeLayout.addr(memory, sge, addr);
    SgeLayout.length(memory, sge, length);
    SgeLayout.lkey(memory, sge, lkey);
    elements++;
    RecvWrLayout.sgList(memory, wr, address(sgeAt(size - 1, 0)));
    RecvWrLayout.numSge(memory, wr, elements);
    return self();
  }

  /** Refuses an element beyond the list's {@code maxSge}. */
  final void checkElement() {
    if (elements >= maxSge) {
      throw new VerbsException(
          Errno.EINVAL, "make the list with maxSge above " + maxSge + " to add another element");
    }
  }

  /**
   * Adds an element that names part of a region, by the address under which work requests know it
   * ({@link MemoryRegion#iova}).
   *
   * @throws VerbsException EINVAL if the part leaves the region, or beyond {@code maxSge}
   */
  public L sge(MemoryRegion mr, long offset, int length) {
    return sge(addressIn(RequiredArgument.check(mr, "mr"), offset, length), length, mr.lkey());
  }

  /** The first address of an element that names part of a region. */
  static long addressIn(MemoryRegion region, long offset, int length) {
    if (offset < 0 || length < 0 || offset > region.length() - length) {
      throw Errno.EINVAL.refusal(
          "offset %d and length %d leave the memory region of %d bytes",
          offset, length, region.length());
    }
    return region.iova() + offset;
  }

  /** Requests in the list. */
  public int size() {
    return size;
  }

  /** Requests it can hold. */
  public int capacity() {
    return capacity;
  }

  /** The identifier of a request. */
  public long wrIdAt(int index) {
    return RecvWrLayout.wrId(memory, at(index));
  }

  /** How many elements a request has. */
  public int sgeCountAt(int index) {
    return RecvWrLayout.numSge(memory, at(index));
  }

  /** The address of an element of a request. */
  public long sgeAddressAt(int index, int element) {
    return SgeLayout.addr(memory, elementAt(index, element));
  }

  /** The bytes of an element of a request. */
  public int sgeLengthAt(int index, int element) {
    return SgeLayout.length(memory, elementAt(index, element));
  }

  /** The local key of an element of a request. */
  public int sgeLkeyAt(int index, int element) {
    return SgeLayout.lkey(memory, elementAt(index, element));
  }

  /** The memory of the list; requests lie at its start in order. */
  public MemorySegment memory() {
    return memory;
  }

  /** Absolute address of the first request, 0 while the list is empty. */
  public long address() {
    return size == 0 ? 0 : memory.address();
  }

  /** Index of the first request that the last post refused, -1 when it took all. */
  public int badIndex() {
    return badIndex;
  }

  /** Set by the post; see {@link #badIndex()}. */
  public void badIndex(int index) {
    badIndex = index;
  }

  /** Frees memory of the list's own; memory of a given arena is left to that arena. */
  @Override
  public void close() {
    if (owned != null && owned.scope().isAlive()) {
      owned.close();
    }
  }

  /** Offset of the newest request, whose fields setters fill. */
  final long newest() {
    if (size == 0) {
      throw Errno.EINVAL.refusal("the list is empty: call add() first");
    }
    return newest;
  }

  /** Elements of the newest request. */
  final int elements() {
    return elements;
  }

  /** Offset of a request in the list. */
  final long at(int index) {
    return request(Objects.checkIndex(index, size));
  }

  private long request(int index) {
    return (long) index * requestSize;
  }

  private long elementAt(int index, int element) {
    return sgeAt(index, Objects.checkIndex(element, sgeCountAt(index)));
  }

  private long sgeAt(int index, int element) {
    return sgeArea + ((long) index * maxSge + element) * SgeLayout.SIZE;
  }

  /** Offset of an element of the newest request. */
  final long newestSge(int element) {
    return sgeAt(size - 1, element);
  }

  /** Offset of the newest request's inline data. */
  final long newestInline() {
    return inlineArea + (long) (size - 1) * maxInline;
  }

  /** Absolute address of an offset. */
  final long address(long offset) {
    return memory.address() + offset;
  }
}
