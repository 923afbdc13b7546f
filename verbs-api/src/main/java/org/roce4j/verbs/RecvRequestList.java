package org.roce4j.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * A chain of {@code struct ibv_recv_wr} in native memory, filled in place and posted as a whole.
 *
 * <p>{@link #add} claims the next request; setters fill the newest one. Nothing is allocated after
 * construction, the list may be posted again and again, and it may be changed as soon as the post
 * returns. Not thread-safe; setters throw {@link VerbsException} EINVAL while the list is empty.
 */
public final class RecvRequestList implements AutoCloseable {
  private final Arena owned;
  private final ListMemory list;
  private final MemorySegment memory;
  private int size;
  private long newest;
  private int elements;
  private int badIndex = -1;

  /**
   * Makes a list in memory of its own, which {@link #close} frees.
   *
   * @param capacity requests it can hold, 1 or more
   * @param maxSge scatter/gather elements of each request
   */
  public RecvRequestList(int capacity, int maxSge) {
    this(Arena.ofShared(), true, capacity, maxSge);
  }

  /** Makes a list in memory of this arena, which alone decides when it is freed. */
  public RecvRequestList(Arena arena, int capacity, int maxSge) {
    this(arena, false, capacity, maxSge);
  }

  private RecvRequestList(Arena arena, boolean own, int capacity, int maxSge) {
    this.owned = own ? arena : null;
    this.list = new ListMemory(arena, RecvWrLayout.SIZE, capacity, maxSge, 0);
    this.memory = list.segment;
  }

  /** Forgets all requests. */
  public RecvRequestList clear() {
    size = 0;
    badIndex = -1;
    return this;
  }

  /**
   * Claims the next request, zeroed, and links the one before it to it.
   *
   * @throws VerbsException ENOMEM when the list is full, EINVAL when its memory was freed
   */
  public RecvRequestList add() {
    list.checkRoom(size);
    long claimed = list.request(size);
    list.zero(claimed);
    if (size > 0) {
      RecvWrLayout.next(memory, newest, list.address(claimed));
    }
    newest = claimed;
    elements = 0;
    size++;
    return this;
  }

  /** Sets the identifier that the completion will bear. */
  public RecvRequestList wrId(long wrId) {
    RecvWrLayout.wrId(memory, newest(), wrId);
    return this;
  }

  /**
   * Adds a scatter/gather element.
   *
   * @param length bytes, unsigned
   * @throws VerbsException EINVAL beyond the list's {@code maxSge}
   */
  public RecvRequestList sge(long addr, int length, int lkey) {
    long wr = newest();
    list.checkElement(elements);
    list.sge(size - 1, elements, addr, length, lkey);
    elements++;
    RecvWrLayout.sgList(memory, wr, list.address(list.sge(size - 1, 0)));
    RecvWrLayout.numSge(memory, wr, elements);
    return this;
  }

  /**
   * Adds an element that names part of a region, by the address under which work requests know it
   * ({@link MemoryRegion#iova}).
   *
   * @throws VerbsException EINVAL if the part leaves the region, or beyond {@code maxSge}
   */
  public RecvRequestList sge(MemoryRegion mr, long offset, int length) {
    return sge(
        ListMemory.addressIn(RequiredArgument.check(mr, "mr"), offset, length), length, mr.lkey());
  }

  /** Requests in the list. */
  public int size() {
    return size;
  }

  /** Requests it can hold. */
  public int capacity() {
    return list.capacity;
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

  /** Such as {@code 1 of 16 receives: wr_id=7}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("%d of %d receives".formatted(size, list.capacity));
    for (int i = 0; i < size; i++) {
      text.append(i == 0 ? ": " : ", ").append("wr_id=").append(wrIdAt(i));
    }
    return text.toString();
  }

  /** Frees memory of the list's own; memory of a given arena is left to that arena. */
  @Override
  public void close() {
    if (owned != null && owned.scope().isAlive()) {
      owned.close();
    }
  }

  private long newest() {
    ListMemory.checkClaimed(size);
    return newest;
  }

  private long at(int index) {
    return list.request(Objects.checkIndex(index, size));
  }

  private long elementAt(int index, int element) {
    return list.sge(index, Objects.checkIndex(element, sgeCountAt(index)));
  }
}
