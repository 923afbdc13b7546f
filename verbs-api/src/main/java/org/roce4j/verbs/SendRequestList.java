package org.roce4j.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.SgeLayout;
import org.roce4j.verbs.text.Wording;

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
public final class SendRequestList extends RequestList<SendRequestList> {
  /** For each element of the newest request: its address in memory minus its address by key. */
  private final long[] toMemory = new long[maxSge];

  private int inlineBytes;
  private boolean inlined;

  /**
   * Makes a list in memory of its own, which {@link #close} frees.
   *
   * @param capacity requests it can hold, 1 or more
   * @param maxSge scatter/gather elements of each request
   * @param maxInline bytes of inline data of each request
   */
  public SendRequestList(int capacity, int maxSge, int maxInline) {
    super(null, SendWrLayout.SIZE, capacity, maxSge, maxInline);
  }

  /** Makes a list in memory of this arena, which alone decides when it is freed. */
  public SendRequestList(Arena arena, int capacity, int maxSge, int maxInline) {
    super(RequiredArgument.check(arena, "arena"), SendWrLayout.SIZE, capacity, maxSge, maxInline);
  }

  /** {@inheritDoc} */
  @Override
  public SendRequestList add() {
    super.add();
    inlineBytes = 0;
    inlined = false;
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
   * INLINE} an element that names a region holds its address in memory, whether it was added before
   * or after this call.
   */
  public SendRequestList flags(int flags) {
    setFlags(newest(), inlined ? flags | SendFlags.INLINE : flags);
    return this;
  }

  private void setFlags(long wr, int flags) {
    boolean inline = (flags & SendFlags.INLINE) != 0;
    if (inline != isInline(wr)) {
      for (int i = 0; i < elements(); i++) {
        long sge = newestSge(i);
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
   * Sets the number of the peer's shared receive queue. Every operation of an XRC request needs it:
   * the memory that it reads or writes belongs to that queue's protection domain.
   *
   * @param remoteSrqn the peer's {@link SharedReceiveQueue#srqNum}
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

  /** {@inheritDoc} */
  @Override
  public SendRequestList sge(long addr, int length, int lkey) {
    super.sge(addr, length, lkey);
    toMemory[elements() - 1] = 0;
    return this;
  }

  /**
   * Adds an element that names part of a region, by the address under which work requests know it
   * ({@link MemoryRegion#iova}), or with {@link SendFlags#INLINE} by its address in memory.
   *
   * @throws VerbsException EINVAL if the part leaves the region, or beyond {@code maxSge}
   */
  @Override
  public SendRequestList sge(MemoryRegion mr, long offset, int length) {
    long addr = addressIn(RequiredArgument.check(mr, "mr"), offset, length);
    long shift = mr.address() - mr.iova();
    sge(isInline(newest()) ? addr + shift : addr, length, mr.lkey());
    toMemory[elements() - 1] = shift;
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
    if (RequiredArgument.check(data, "data").byteSize() > maxInline - inlineBytes) {
      throw new VerbsException(
          Errno.EINVAL, "the list is made for " + maxInline + " bytes of inline data in a request");
    }
    checkElement();
    int length = (int) data.byteSize();
    long place = newestInline() + inlineBytes;
    MemorySegment.copy(data, 0, memory, place, length);
    inlineBytes += length;
    inlined = true;
    setFlags(wr, SendWrLayout.sendFlags(memory, wr) | SendFlags.INLINE);
    return sge(address(place), length, 0);
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

  /** Such as {@code 1 of 16 sends: wr_id=7 SEND}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(Wording.of("%d of %d sends", size(), capacity()));
    for (int i = 0; i < size(); i++) {
      text.append(i == 0 ? ": " : ", ")
          .append("wr_id=")
          .append(wrIdAt(i))
          .append(' ')
          .append(WrOpcode.of(opcodeValueAt(i)));
    }
    return text.toString();
  }
}
