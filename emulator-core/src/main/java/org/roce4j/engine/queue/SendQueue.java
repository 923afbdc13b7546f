package org.roce4j.engine.queue;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.datagram.AddressVector;
import org.roce4j.engine.memory.Region;
import org.roce4j.engine.memory.ScatterGather;
import org.roce4j.engine.memory.Window;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * A ring of posted send requests. Filling copies everything out of the caller's structures: the
 * entries of the scatter/gather list, inline data, the address vector. Not power of two sizes are
 * rounded up.
 */
public final class SendQueue extends RequestRing {
  private final ScatterGather sges;
  private final int maxInline;
  private final MemorySegment inlineBytes;
  private final long[] wrId;
  private final WrOpcode[] opcode;
  private final int[] flags;
  private final int[] immediate;
  private final long[] remoteAddress;
  private final int[] rkey;
  private final long[] compareAdd;
  private final long[] swap;
  private final int[] sgeCount;
  private final long[] length;
  private final AddressVector[] addressVector;
  private final int[] remoteQpn;
  private final int[] remoteQkey;
  private final Window[] window;
  private final Region[] region;

  public SendQueue(int requests, int maxSge, int maxInline, boolean datagrams) {
    super(requests);
    int slots = slots();
    this.maxInline = maxInline;
    sges = new ScatterGather(slots, Math.max(1, maxSge));
    inlineBytes = MemorySegment.ofArray(new byte[slots * maxInline]);
    wrId = new long[slots];
    opcode = new WrOpcode[slots];
    flags = new int[slots];
    immediate = new int[slots];
    remoteAddress = new long[slots];
    rkey = new int[slots];
    compareAdd = new long[slots];
    swap = new long[slots];
    sgeCount = new int[slots];
    length = new long[slots];
    addressVector = new AddressVector[datagrams ? slots : 0];
    remoteQpn = new int[datagrams ? slots : 0];
    remoteQkey = new int[datagrams ? slots : 0];
    window = new Window[slots];
    region = new Region[slots];
  }

  /**
   * Copies the common part of a work request into a claimed slot.
   *
   * @param view memory that holds the caller's structures
   * @param at offset of the {@code struct ibv_send_wr} in it
   * @throws IndexOutOfBoundsException if an address in the structure lies outside {@code view}
   */
  public void fill(int slot, MemorySegment view, long at, WrOpcode operation) {
    wrId[slot] = SendWrLayout.wrId(view, at);
    opcode[slot] = operation;
    flags[slot] = SendWrLayout.sendFlags(view, at);
    window[slot] = null;
    region[slot] = null;
    switch (operation) {
      case SEND_WITH_INV, LOCAL_INV -> immediate[slot] = SendWrLayout.invalidateRkey(view, at);
      default -> immediate[slot] = SendWrLayout.immData(view, at);
    }
    switch (operation) {
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> {
        remoteAddress[slot] = SendWrLayout.atomicRemoteAddr(view, at);
        compareAdd[slot] = SendWrLayout.atomicCompareAdd(view, at);
        swap[slot] = SendWrLayout.atomicSwap(view, at);
        rkey[slot] = SendWrLayout.atomicRkey(view, at);
      }
      default -> {
        remoteAddress[slot] = SendWrLayout.rdmaRemoteAddr(view, at);
        rkey[slot] = SendWrLayout.rdmaRkey(view, at);
      }
    }
    int count = SendWrLayout.numSge(view, at);
    long list = count == 0 ? 0 : SendWrLayout.sgList(view, at) - view.address();
    if ((flags[slot] & SendFlags.INLINE) != 0) {
      copyInline(slot, view, list, count);
      return;
    }
    long total = 0;
    for (int i = 0; i < count; i++) {
      long sge = list + (long) i * SgeLayout.SIZE;
      int bytes = SgeLayout.length(view, sge);
      sges.set(slot, i, SgeLayout.addr(view, sge), bytes, SgeLayout.lkey(view, sge));
      total += Integer.toUnsignedLong(bytes);
    }
    sgeCount[slot] = count;
    length[slot] = total;
  }

  private void copyInline(int slot, MemorySegment view, long list, int count) {
    long to = (long) slot * maxInline;
    for (int i = 0; i < count; i++) {
      long sge = list + (long) i * SgeLayout.SIZE;
      long bytes = Integer.toUnsignedLong(SgeLayout.length(view, sge));
      MemorySegment.copy(view, SgeLayout.addr(view, sge) - view.address(), inlineBytes, to, bytes);
      to += bytes;
    }
    sgeCount[slot] = 0;
    length[slot] = to - (long) slot * maxInline;
  }

  /** Where a datagram goes. */
  public void fillDestination(int slot, AddressVector to, int qpn, int qkey) {
    addressVector[slot] = to;
    remoteQpn[slot] = qpn;
    remoteQkey[slot] = qkey;
  }

  /** What a window is bound to. */
  public void fillBind(
      int slot, Window window, Region region, int newKey, long address, long bytes, int access) {
    this.window[slot] = window;
    this.region[slot] = region;
    rkey[slot] = newKey;
    remoteAddress[slot] = address;
    compareAdd[slot] = bytes;
    swap[slot] = access;
    length[slot] = 0;
    sgeCount[slot] = 0;
  }

  /** A bind request that was not made from a native structure ({@code ibv_bind_mw}). */
  public void fillBindRequest(int slot, long id, int sendFlags, int currentKey) {
    wrId[slot] = id;
    opcode[slot] = WrOpcode.BIND_MW;
    flags[slot] = sendFlags;
    immediate[slot] = currentKey;
  }

  public ScatterGather sges() {
    return sges;
  }

  public int sgeCount(int slot) {
    return sgeCount[slot];
  }

  public boolean inline(int slot) {
    return (flags[slot] & SendFlags.INLINE) != 0;
  }

  /** Copies inline data of a request into a packet. */
  public void copyInline(int slot, long from, MemorySegment packet, long at, int bytes) {
    MemorySegment.copy(inlineBytes, (long) slot * maxInline + from, packet, at, bytes);
  }

  public long wrId(int slot) {
    return wrId[slot];
  }

  public WrOpcode opcode(int slot) {
    return opcode[slot];
  }

  public int flags(int slot) {
    return flags[slot];
  }

  public boolean flag(int slot, int flag) {
    return (flags[slot] & flag) != 0;
  }

  /** Immediate data as a number, or the key to invalidate, or a window's key before binding. */
  public int immediate(int slot) {
    return immediate[slot];
  }

  public void immediate(int slot, int value) {
    immediate[slot] = value;
  }

  public long remoteAddress(int slot) {
    return remoteAddress[slot];
  }

  public int rkey(int slot) {
    return rkey[slot];
  }

  public long compareAdd(int slot) {
    return compareAdd[slot];
  }

  public long swap(int slot) {
    return swap[slot];
  }

  /** Bytes of the message. */
  public long length(int slot) {
    return length[slot];
  }

  public AddressVector addressVector(int slot) {
    return addressVector[slot];
  }

  public int remoteQpn(int slot) {
    return remoteQpn[slot];
  }

  public int remoteQkey(int slot) {
    return remoteQkey[slot];
  }

  public Window window(int slot) {
    return window[slot];
  }

  public Region region(int slot) {
    return region[slot];
  }
}
