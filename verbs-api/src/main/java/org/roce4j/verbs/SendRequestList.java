package org.roce4j.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * A chain of {@code struct ibv_send_wr} in native memory, filled in place and posted as a whole.
 *
 * <pre>{@code
 * requests.clear().add().wrId(1).opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED).sge(mr, 0, 64);
 * int errno = qp.postSend(requests);
 * }</pre>
 *
 * <p>{@link #add} claims the next request; setters fill the newest one. Nothing is allocated after
 * construction, the list may be posted again and again, and posting copies what it needs, so that
 * the list may be changed as soon as the post returns. Not thread-safe; setters throw {@link
 * VerbsException} EINVAL while the list is empty.
 */
public final class SendRequestList implements AutoCloseable {
  private final Arena owned;
  private final ListMemory list;
  private final MemorySegment memory;
  private int size;
  private long newest;
  private int elements;
  private int inlineBytes;
  private boolean inlined;

  /** What leads from an element's address, as its key knows it, to where its bytes are. */
  private final long[] toMemory;

  private int badIndex = -1;

  /**
   * Makes a list in memory of its own, which {@link #close} frees.
   *
   * @param capacity requests it can hold, 1 or more
   * @param maxSge scatter/gather elements of each request
   * @param maxInline bytes of inline data of each request
   */
  public SendRequestList(int capacity, int maxSge, int maxInline) {
    this(Arena.ofShared(), true, capacity, maxSge, maxInline);
  }

  /** Makes a list in memory of this arena, which alone decides when it is freed. */
  public SendRequestList(Arena arena, int capacity, int maxSge, int maxInline) {
    this(arena, false, capacity, maxSge, maxInline);
  }

  private SendRequestList(Arena arena, boolean own, int capacity, int maxSge, int maxInline) {
    this.owned = own ? arena : null;
    this.list = new ListMemory(arena, SendWrLayout.SIZE, capacity, maxSge, maxInline);
    this.memory = list.segment;
    this.toMemory = new long[list.maxSge];
  }

  /** Forgets all requests. */
  public SendRequestList clear() {
    size = 0;
    badIndex = -1;
    return this;
  }

  /**
   * Claims the next request, zeroed, and links the one before it to it.
   *
   * @throws VerbsException ENOMEM when the list is full, EINVAL when its memory was freed
   */
  public SendRequestList add() {
    list.checkRoom(size);
    long claimed = list.request(size);
    list.zero(claimed);
    if (size > 0) {
      SendWrLayout.next(memory, newest, list.address(claimed));
    }
    newest = claimed;
    elements = 0;
    inlineBytes = 0;
    inlined = false;
    size++;
    return this;
  }

  /** Sets the identifier that the completion will bear. */
  public SendRequestList wrId(long wrId) {
    SendWrLayout.wrId(memory, newest(), wrId);
    return this;
  }

  /** Sets the operation. */
  public SendRequestList opcode(WrOpcode opcode) {
    return opcodeValue(RequiredArgument.check(opcode, "opcode").value());
  }

  /** Sets the operation by number, known or not. */
  public SendRequestList opcodeValue(int opcode) {
    SendWrLayout.opcode(memory, newest(), opcode);
    return this;
  }

  /**
   * Sets the {@link SendFlags}; {@code INLINE} stays set if inline data was added. With {@code
   * INLINE} elements that name a region name its memory, before and after this call.
   */
  public SendRequestList flags(int flags) {
    setFlags(newest(), inlined ? flags | SendFlags.INLINE : flags);
    return this;
  }

  private void setFlags(long wr, int flags) {
    boolean inline = (flags & SendFlags.INLINE) != 0;
    if (inline != isInline(wr)) {
      for (int i = 0; i < elements; i++) {
        long sge = list.sge(size - 1, i);
        long shift = inline ? toMemory[i] : -toMemory[i];
        SgeLayout.addr(memory, sge, SgeLayout.addr(memory, sge) + shift);
      }
    }
    SendWrLayout.sendFlags(memory, wr, flags);
  }

  private boolean isInline(long wr) {
    return (SendWrLayout.sendFlags(memory, wr) & SendFlags.INLINE) != 0;
  }

  /** Sets the immediate data, a number; it is stored in network order. */
  public SendRequestList immediate(int number) {
    SendWrLayout.immData(memory, newest(), number);
    return this;
  }

  /** Sets the key to invalidate: the peer's for SEND_WITH_INV, one of our own for LOCAL_INV. */
  public SendRequestList invalidateRkey(int rkey) {
    SendWrLayout.invalidateRkey(memory, newest(), rkey);
    return this;
  }

  /** Sets the remote memory of RDMA READ, WRITE, FLUSH or ATOMIC WRITE. */
  public SendRequestList remote(long addr, int rkey) {
    long wr = newest();
    SendWrLayout.rdmaRemoteAddr(memory, wr, addr);
    SendWrLayout.rdmaRkey(memory, wr, rkey);
    return this;
  }

  /**
   * Sets the operands of an atomic.
   *
   * @param addr remote address, a multiple of 8
   * @param compareAdd the value to compare with, or to add
   * @param swap the value to swap in; not used by fetch and add
   */
  public SendRequestList atomic(long addr, int rkey, long compareAdd, long swap) {
    long wr = newest();
    SendWrLayout.atomicRemoteAddr(memory, wr, addr);
    SendWrLayout.atomicCompareAdd(memory, wr, compareAdd);
    SendWrLayout.atomicSwap(memory, wr, swap);
    SendWrLayout.atomicRkey(memory, wr, rkey);
    return this;
  }

  /** Sets the destination of a datagram. */
  public SendRequestList ud(AddressHandle ah, int remoteQpn, int remoteQkey) {
    long wr = newest();
    SendWrLayout.udAh(memory, wr, RequiredArgument.check(ah, "ah").nativeHandle());
    SendWrLayout.udRemoteQpn(memory, wr, remoteQpn);
    SendWrLayout.udRemoteQkey(memory, wr, remoteQkey);
    return this;
  }

  /**
   * Sets the number of the peer's shared receive queue of an XRC request, of every operation:
   * memory that the request reads or writes is of that queue's protection domain.
   *
   * @param remoteSrqn as {@link SharedReceiveQueue#srqNum} told it there
   */
  public SendRequestList xrc(int remoteSrqn) {
    SendWrLayout.xrcRemoteSrqn(memory, newest(), remoteSrqn);
    return this;
  }

  /**
   * Sets what BIND_MW binds.
   *
   * @param rkey the new key of the window
   * @param mr the region to bind it to, or null to unbind (with length 0)
   * @param length bytes; 0 unbinds
   * @param accessFlags {@link AccessFlags} of the window
   */
  public SendRequestList bindMw(
      MemoryWindow mw, int rkey, MemoryRegion mr, long addr, long length, int accessFlags) {
    long wr = newest();
    SendWrLayout.bindMw(memory, wr, RequiredArgument.check(mw, "mw").nativeHandle());
    SendWrLayout.bindRkey(memory, wr, rkey);
    SendWrLayout.bindMr(memory, wr, mr == null ? 0 : mr.nativeHandle());
    SendWrLayout.bindAddr(memory, wr, addr);
    SendWrLayout.bindLength(memory, wr, length);
    SendWrLayout.bindAccessFlags(memory, wr, accessFlags);
    return this;
  }

  /**
   * Adds a scatter/gather element.
   *
   * @param addr as the key's region names it; with {@link SendFlags#INLINE} the address in memory
   * @param length bytes, unsigned
   * @throws VerbsException EINVAL beyond the list's {@code maxSge}
   */
  public SendRequestList sge(long addr, int length, int lkey) {
    long wr = newest();
    list.checkElement(elements);
    list.sge(size - 1, elements, addr, length, lkey);
    toMemory[elements] = 0;
    elements++;
    SendWrLayout.sgList(memory, wr, list.address(list.sge(size - 1, 0)));
    SendWrLayout.numSge(memory, wr, elements);
    return this;
  }

  /**
   * Adds an element that names part of a region, by the address under which work requests know it
   * ({@link MemoryRegion#iova}), or with {@link SendFlags#INLINE} by its address in memory.
   *
   * @throws VerbsException EINVAL if the part leaves the region, or beyond {@code maxSge}
   */
  public SendRequestList sge(MemoryRegion mr, long offset, int length) {
    long addr = ListMemory.addressIn(RequiredArgument.check(mr, "mr"), offset, length);
    long shift = mr.address() - mr.iova();
    sge(isInline(newest()) ? addr + shift : addr, length, mr.lkey());
    toMemory[elements - 1] = shift;
    return this;
  }

  /**
   * Copies data into the list, adds an element for it and sets {@link SendFlags#INLINE}. All
   * elements of such a request are taken inline.
   *
   * @throws VerbsException EINVAL beyond the list's {@code maxInline} or {@code maxSge}
   */
  public SendRequestList inline(MemorySegment data) {
    long wr = newest();
    if (RequiredArgument.check(data, "data").byteSize() > list.maxInline - inlineBytes) {
      throw new VerbsException(
          Errno.EINVAL,
          "the list is made for " + list.maxInline + " bytes of inline data in a request");
    }
    list.checkElement(elements);
    int length = (int) data.byteSize();
    long place = list.inline(size - 1) + inlineBytes;
    MemorySegment.copy(data, 0, memory, place, length);
    inlineBytes += length;
    inlined = true;
    setFlags(wr, SendWrLayout.sendFlags(memory, wr) | SendFlags.INLINE);
    return sge(list.address(place), length, 0);
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
    return SendWrLayout.wrId(memory, at(index));
  }

  /** The operation of a request, {@code null} when its number is unknown. */
  public WrOpcode opcodeAt(int index) {
    return WrOpcode.of(opcodeValueAt(index));
  }

  /** The number of the operation of a request. */
  public int opcodeValueAt(int index) {
    return SendWrLayout.opcode(memory, at(index));
  }

  /** The {@link SendFlags} of a request. */
  public int flagsAt(int index) {
    return SendWrLayout.sendFlags(memory, at(index));
  }

  /** The immediate data of a request, a number. */
  public int immediateAt(int index) {
    return SendWrLayout.immData(memory, at(index));
  }

  /** The key that a request invalidates. */
  public int invalidateRkeyAt(int index) {
    return SendWrLayout.invalidateRkey(memory, at(index));
  }

  /** The remote address of a request. */
  public long remoteAddressAt(int index) {
    return SendWrLayout.rdmaRemoteAddr(memory, at(index));
  }

  /** How many elements a request has. */
  public int sgeCountAt(int index) {
    return SendWrLayout.numSge(memory, at(index));
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

  /** Such as {@code 1 of 16 sends: wr_id=7 SEND}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("%d of %d sends".formatted(size, list.capacity));
    for (int i = 0; i < size; i++) {
      text.append(i == 0 ? ": " : ", ")
          .append("wr_id=")
          .append(wrIdAt(i))
          .append(' ')
          .append(WrOpcode.of(opcodeValueAt(i)));
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
