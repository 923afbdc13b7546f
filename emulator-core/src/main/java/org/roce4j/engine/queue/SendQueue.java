package org.roce4j.engine.queue;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.memory.LocalCursor;
import org.roce4j.engine.memory.Region;
import org.roce4j.engine.memory.ScatterGather;
import org.roce4j.engine.memory.Window;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * A ring of posted send requests. A request is copied completely out of the caller's structures:
 * the entries of the scatter/gather list, inline data and the address vector. It is one record of
 * longs that includes its entries, so that with thousands of queue pairs a request costs one or two
 * cache misses instead of one per field. The number of slots is rounded up to a power of two.
 */
public final class SendQueue extends RequestRing {
  private static final WrOpcode[] OPCODES = WrOpcode.values();

  /**
   * The length up to which a request may wait for later ones. A few longer requests fill a train,
   * and a packet of 4 KiB is a train.
   */
  private static final int MOST_PATIENT_BYTES = 4096;

  // The fields of a record.
  static final int WR_ID = 0;

  /**
   * The opcode's ordinal in bits 0-7, the number of entries in bits 8-31, the flags in bits 32-63.
   */
  static final int OPERATION = 1;

  /** Immediate data or a key in the lower half, the remote key in the upper half. */
  static final int KEYS = 2;

  /** The remote address; for a datagram the remote queue pair (lower half) and its Q_Key. */
  static final int REMOTE = 3;

  static final int LENGTH = 4;
  private static final int FIRST_PSN = 5;

  /** The number of packets in the lower half, the packets per READ request in the upper half. */
  private static final int PACKETS = 6;

  static final int ENTRIES = 7;

  // The field after the operands.
  static final int SRQ_NUMBER = 2;

  // The objects that belong to a record.
  static final int INLINE_BYTES = 0;

  /** The address vector of a datagram, or the {@link Binding} of a BIND_MW request. */
  static final int REFERRED = 1;

  /** The place in a record of the operands of atomics and binds; other requests do not use them. */
  final int operands;

  private final int maxSge;
  private final int maxInline;
  private final InlineSource program;

  /** Whether a request that may not wait was filled in since {@link #lock}. Used under the lock. */
  private boolean urgent;

  /** The window and region of a BIND_MW request. */
  record Binding(Window window, Region region) {}

  /** A queue whose inline data is in the memory of the request list. */
  public SendQueue(int requests, int maxSge, int maxInline) {
    this(requests, maxSge, maxInline, InlineSource.NONE);
  }

  /**
   * @param program source of inline data outside the memory of the request list
   */
  public SendQueue(int requests, int maxSge, int maxInline, InlineSource program) {
    this(requests, maxSge, maxInline, program, 0);
  }

  /**
   * @param extra number of longs of a record after the operands
   */
  private SendQueue(int requests, int maxSge, int maxInline, InlineSource program, int extra) {
    super(requests, stride(ENTRIES, maxSge) + 2 + extra);
    operands = stride - 2 - extra;
    this.maxSge = maxSge;
    this.maxInline = maxInline;
    this.program = program;
  }

  /**
   * Copies the common part of a work request into a claimed slot.
   *
   * @param view memory of the caller's structures
   * @param at offset of the {@code struct ibv_send_wr} in it
   * @throws IndexOutOfBoundsException if the list of elements is outside {@code view}, or inline
   *     data cannot be read
   */
  public void fill(int slot, MemorySegment view, long at, WrOpcode operation) {
    int r = slot * stride;
    int flags = SendWrLayout.sendFlags(view, at);
    posted[r + WR_ID] = SendWrLayout.wrId(view, at);
    int immediate =
        switch (operation) {
          case SEND_WITH_INV, LOCAL_INV -> SendWrLayout.invalidateRkey(view, at);
          default -> SendWrLayout.immData(view, at);
        };
    int rkey;
    switch (operation) {
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> {
        posted[r + REMOTE] = SendWrLayout.atomicRemoteAddr(view, at);
        posted[r + operands] = SendWrLayout.atomicCompareAdd(view, at);
        posted[r + operands + 1] = SendWrLayout.atomicSwap(view, at);
        rkey = SendWrLayout.atomicRkey(view, at);
      }
      default -> {
        posted[r + REMOTE] = SendWrLayout.rdmaRemoteAddr(view, at);
        rkey = SendWrLayout.rdmaRkey(view, at);
      }
    }
    posted[r + KEYS] = pair(rkey, immediate);
    int count = SendWrLayout.numSge(view, at);
    long list = SendWrLayout.sgList(view, at) - view.address();
    if ((flags & SendFlags.INLINE) != 0) {
      posted[r + LENGTH] = copyInline(slot, view, list, count);
      posted[r + OPERATION] = operation(operation, 0, flags);
    } else {
      posted[r + LENGTH] = copyList(r + ENTRIES, view, list, count);
      posted[r + OPERATION] = operation(operation, count, flags);
    }
    weigh(r);
  }

  /** Takes note of whether a filled record may wait for later requests. */
  private void weigh(int r) {
    WrOpcode operation = OPCODES[(int) posted[r + OPERATION] & 0xff];
    int flags = (int) (posted[r + OPERATION] >>> 32);
    urgent |= posted[r + LENGTH] > MOST_PATIENT_BYTES || !isPatient(operation, flags);
  }

  /** Whether requests of this kind may wait for later ones. */
  private static boolean isPatient(WrOpcode operation, int flags) {
    return (flags & SendFlags.FENCE) == 0
        && switch (operation) {
          case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM -> true;
          default -> false;
        };
  }

  /** Whether all requests since the last call may wait for later ones. Under {@link #lock}. */
  public boolean takePatience() {
    boolean patient = !urgent;
    urgent = false;
    return patient;
  }

  /** Copies the elements of a list to {@code posted[to]}. Returns the sum of their lengths. */
  private long copyList(int to, MemorySegment view, long list, int count) {
    long total = 0;
    for (int i = 0; i < count; i++) {
      long sge = list + (long) i * SgeLayout.SIZE;
      int bytes = SgeLayout.length(view, sge);
      ScatterGather.set(
          posted,
          to + i * ScatterGather.ENTRY_LONGS,
          SgeLayout.addr(view, sge),
          bytes,
          SgeLayout.lkey(view, sge));
      total += Integer.toUnsignedLong(bytes);
    }
    return total;
  }

  static long operation(WrOpcode opcode, int entries, int flags) {
    return pair(flags, entries << 8 | opcode.ordinal());
  }

  static long pair(int upper, int lower) {
    return (long) upper << 32 | Integer.toUnsignedLong(lower);
  }

  private long copyInline(int slot, MemorySegment view, long list, int count) {
    MemorySegment inlineBytes = inlineBytes(slot);
    long to = 0;
    for (int i = 0; i < count; i++) {
      long sge = list + (long) i * SgeLayout.SIZE;
      long bytes = Integer.toUnsignedLong(SgeLayout.length(view, sge));
      if (bytes > 0) { // an empty element may point anywhere
        long address = SgeLayout.addr(view, sge);
        long from = address - view.address();
        if (from >= 0 && from <= view.byteSize() - bytes) {
          MemorySegment.copy(view, from, inlineBytes, to, bytes);
        } else if (!program.copy(address, bytes, SgeLayout.lkey(view, sge), inlineBytes, to)) {
          throw new IndexOutOfBoundsException(address);
        }
        to += bytes;
      }
    }
    return to;
  }

  /**
   * The memory for a slot's inline data. The first inline request in the slot creates it, because
   * most queue pairs never have one.
   */
  private MemorySegment inlineBytes(int slot) {
    MemorySegment bytes = (MemorySegment) companion(slot, INLINE_BYTES);
    if (bytes == null) {
      bytes = roomForInline();
      companion(slot, INLINE_BYTES, bytes);
    }
    return bytes;
  }

  /** Creates memory for the inline data of a request, also of a batch to be appended. */
  MemorySegment roomForInline() {
    return MemorySegment.ofArray(new byte[Math.max(maxInline, SendBatch.ATOMIC_BYTES)]);
  }

  /**
   * Appends all requests of a batch or none. The memory for inline data moves from the batch to the
   * queue and back. Called under {@link #lock}.
   *
   * @return false if there is no room
   */
  public boolean append(SendBatch batch) {
    int count = batch.size();
    if (!hasRoom(count)) {
      return false;
    }
    int done = 0;
    try {
      while (done < count) {
        append(batch, done);
        filled();
        done++;
      }
    } finally {
      if (done < count) { // there is no memory
        unfill(done);
      }
    }
    return true;
  }

  private void append(SendBatch batch, int index) {
    int slot = claim();
    int from = index * stride;
    int to = slot * stride;
    int entries = (int) batch.records[from + OPERATION] >>> 8;
    int used = ENTRIES + entries * ScatterGather.ENTRY_LONGS;
    System.arraycopy(batch.records, from, posted, to, used);
    System.arraycopy(batch.records, from + operands, posted, to + operands, stride - operands);
    weigh(to);
    Object referred = batch.companions[2 * index + REFERRED];
    if (referred != null) {
      companion(slot, REFERRED, referred);
      batch.companions[2 * index + REFERRED] = null;
    }
    if ((batch.records[from + OPERATION] >>> 32 & SendFlags.INLINE) != 0) {
      Object room = companion(slot, INLINE_BYTES);
      companion(slot, INLINE_BYTES, batch.companions[2 * index + INLINE_BYTES]);
      batch.companions[2 * index + INLINE_BYTES] = room;
    }
  }

  /** The destination of a datagram. */
  public void fillDestination(int slot, Path to, int qpn, int qkey) {
    companion(slot, REFERRED, to);
    posted[slot * stride + REMOTE] = pair(qkey, qpn);
  }

  /** The queue of an extended reliable connection, whose requests name a shared receive queue. */
  public static SendQueue extended(int requests, int maxSge, int maxInline, InlineSource program) {
    return new SendQueue(requests, maxSge, maxInline, program, 1);
  }

  /** The peer's shared receive queue that a request of an {@link #extended} queue names. */
  public void fillRemoteSrq(int slot, int number) {
    posted[slot * stride + operands + SRQ_NUMBER] = number;
  }

  /** The peer's shared receive queue that a request of an {@link #extended} queue names. */
  public int remoteSrq(int slot) {
    return (int) records[slot * stride + operands + SRQ_NUMBER];
  }

  /** Sets the window and region of a bind request; a null region unbinds the window. */
  public void fillBind(
      int slot, Window window, Region region, int newKey, long address, long bytes, int access) {
    companion(slot, REFERRED, new Binding(window, region));
    int r = slot * stride;
    posted[r + KEYS] = pair(newKey, 0);
    posted[r + REMOTE] = address;
    posted[r + operands] = bytes;
    posted[r + operands + 1] = access;
    posted[r + LENGTH] = 0;
  }

  /** Fills a slot with a bind request that is not in a native structure ({@code ibv_bind_mw}). */
  public void fillBindRequest(int slot, long id, int sendFlags) {
    urgent = true;
    int r = slot * stride;
    posted[r + WR_ID] = id;
    posted[r + OPERATION] = operation(WrOpcode.BIND_MW, 0, sendFlags);
  }

  /** The greatest number of scatter/gather entries of a request. */
  public int maxSge() {
    return maxSge;
  }

  /** The greatest number of bytes of an inline request. */
  public int maxInline() {
    return maxInline;
  }

  /** Opens a cursor at the first byte of a request's scatter/gather list. */
  public void open(int slot, LocalCursor cursor) {
    cursor.open(records, slot * stride + ENTRIES, sgeCount(slot));
  }

  public int sgeCount(int slot) {
    return (int) records[slot * stride + OPERATION] >>> 8;
  }

  public boolean inline(int slot) {
    return flag(slot, SendFlags.INLINE);
  }

  /** Copies inline data of a request into a packet. */
  public void copyInline(int slot, long from, MemorySegment packet, long at, int bytes) {
    MemorySegment.copy((MemorySegment) beside(slot, INLINE_BYTES), from, packet, at, bytes);
  }

  public long wrId(int slot) {
    return records[slot * stride + WR_ID];
  }

  public WrOpcode opcode(int slot) {
    return OPCODES[(int) records[slot * stride + OPERATION] & 0xff];
  }

  public int flags(int slot) {
    return (int) (records[slot * stride + OPERATION] >>> 32);
  }

  public boolean flag(int slot, int flag) {
    return (flags(slot) & flag) != 0;
  }

  /** Immediate data as a number, or the key to invalidate. */
  public int immediate(int slot) {
    return (int) records[slot * stride + KEYS];
  }

  public long remoteAddress(int slot) {
    return records[slot * stride + REMOTE];
  }

  public int rkey(int slot) {
    return (int) (records[slot * stride + KEYS] >>> 32);
  }

  public long compareAdd(int slot) {
    return records[slot * stride + operands];
  }

  public long swap(int slot) {
    return records[slot * stride + operands + 1];
  }

  /** The number of bytes of remote memory for a FLUSH. */
  public long flushLength(int slot) {
    return compareAdd(slot);
  }

  /** The placement of a FLUSH: 1 global visibility, 2 persistence. */
  public int flushPlacement(int slot) {
    return (int) swap(slot) & SendBatch.PLACEMENT;
  }

  /** The selectivity of a FLUSH: 0 its range, 1 the whole region. */
  public int flushSelectivity(int slot) {
    return (int) swap(slot) >>> SendBatch.SELECTIVITY_SHIFT;
  }

  /** The length of the message in bytes. */
  public long length(int slot) {
    return records[slot * stride + LENGTH];
  }

  public Path path(int slot) {
    return (Path) beside(slot, REFERRED);
  }

  public int remoteQpn(int slot) {
    return (int) records[slot * stride + REMOTE];
  }

  public int remoteQkey(int slot) {
    return (int) (records[slot * stride + REMOTE] >>> 32);
  }

  /** The window of a BIND_MW request. */
  public Window window(int slot) {
    return ((Binding) beside(slot, REFERRED)).window();
  }

  /** The region of a BIND_MW request; null: it unbinds the window. */
  public Region region(int slot) {
    return ((Binding) beside(slot, REFERRED)).region();
  }

  // ---- for the requester: its notes about a request that it has started

  /**
   * Stores the PSNs of a request. For the engine's owner.
   *
   * @param firstPsn as a number that never wraps
   * @param packetsPerRead packets per READ request, if the READ is split into several
   */
  public void started(int slot, long firstPsn, int packets, int packetsPerRead) {
    records[slot * stride + FIRST_PSN] = firstPsn;
    records[slot * stride + PACKETS] = pair(packetsPerRead, packets);
  }

  public long firstPsn(int slot) {
    return records[slot * stride + FIRST_PSN];
  }

  public int packets(int slot) {
    return (int) records[slot * stride + PACKETS];
  }

  public int packetsPerRead(int slot) {
    return (int) (records[slot * stride + PACKETS] >>> 32);
  }

  @Override
  void moveNotes(long[] from, int fromRecord, long[] to, int toRecord) {
    to[toRecord + FIRST_PSN] = from[fromRecord + FIRST_PSN];
    to[toRecord + PACKETS] = from[fromRecord + PACKETS];
  }
}
