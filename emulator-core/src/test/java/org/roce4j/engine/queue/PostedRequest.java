package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.memory.Region;
import org.roce4j.engine.memory.ScatterGather;
import org.roce4j.engine.memory.Window;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * A send request with a different value in each field, and the field's {@link SendQueue} accessor.
 */
final class PostedRequest {
  static final int MOST_ENTRIES = 3;
  static final int MOST_INLINE = 48;

  /** The key of inline data that does not lie beside its request. */
  static final int FAR_KEY = 0x7654;

  private static final int LIST_AT = 256;

  private final Kind kind;
  private final WrOpcode opcode;
  private final long wrId;
  private final int flags;
  private final int immediate;
  private final int rkey;
  private final long remote;
  private final long first;
  private final long second;
  private final int srq;
  private final Path path;
  private final SendQueue.Binding binding;
  private final long[] entries;
  private final byte[] inline;
  private final long length;

  /** Which fields a request has. */
  enum Kind {
    LIST,
    INLINE,
    FAR_INLINE,
    ATOMIC,
    DATAGRAM,
    BIND,
    FLUSH
  }

  PostedRequest(Kind kind, SplittableRandom random, Window window, Region region) {
    this.kind = kind;
    opcode = opcode(kind, random);
    wrId = random.nextLong();
    boolean isInline = kind == Kind.INLINE || kind == Kind.FAR_INLINE;
    flags = random.nextInt(8) | (isInline ? SendFlags.INLINE : 0);
    immediate = kind == Kind.BIND ? 0 : random.nextInt();
    rkey = random.nextInt();
    remote = random.nextLong();
    first = kind == Kind.FLUSH ? random.nextInt(1 << 30) : random.nextLong();
    second = kind == Kind.FLUSH ? random.nextInt(8) : random.nextInt(1 << 20);
    srq = random.nextInt(1 << 24);
    path = new Path(0, 1, 2, 3, random.nextLong(), 5, 6);
    binding = new SendQueue.Binding(window, region);
    boolean hasList = !isInline && kind != Kind.BIND && kind != Kind.FLUSH;
    entries = new long[hasList ? ScatterGather.ENTRY_LONGS * random.nextInt(4) : 0];
    Arrays.setAll(entries, i -> random.nextLong() & (random.nextBoolean() ? -1 : 0x3f_ffff_ffffL));
    inline = new byte[isInline ? random.nextInt(MOST_INLINE + 1) : 0];
    random.nextBytes(inline);
    length = isInline ? inline.length : ScatterGather.totalLength(entries, 0, entries.length / 2);
  }

  private static WrOpcode opcode(Kind kind, SplittableRandom random) {
    return switch (kind) {
      case ATOMIC ->
          random.nextBoolean() ? WrOpcode.ATOMIC_CMP_AND_SWP : WrOpcode.ATOMIC_FETCH_AND_ADD;
      case BIND -> WrOpcode.BIND_MW;
      case FLUSH -> WrOpcode.FLUSH;
      default -> WrOpcode.of(random.nextInt(5));
    };
  }

  /** Whether it may wait for the next request. */
  boolean isPatient() {
    boolean small = length <= 4096;
    boolean sends = opcode.value() <= WrOpcode.SEND_WITH_IMM.value();
    return small && sends && (flags & SendFlags.FENCE) == 0;
  }

  /** Fills a claimed slot from a structure in {@code view}. A FLUSH has none. */
  void post(SendQueue queue, int slot, MemorySegment view, MemorySegment far) {
    if (kind == Kind.BIND) {
      queue.fillBindRequest(slot, wrId, flags);
      queue.fillBind(slot, binding.window(), binding.region(), rkey, remote, first, (int) second);
    } else {
      write(view, far);
      queue.fill(slot, view, 0, opcode);
    }
    if (kind == Kind.DATAGRAM) {
      queue.fillDestination(slot, path, (int) remote, (int) (remote >>> 32));
    }
    queue.fillRemoteSrq(slot, srq);
  }

  private void write(MemorySegment view, MemorySegment far) {
    view.fill((byte) 0x5a);
    SendWrLayout.wrId(view, 0, wrId);
    SendWrLayout.sgList(view, 0, view.address() + LIST_AT);
    SendWrLayout.sendFlags(view, 0, flags);
    SendWrLayout.immData(view, 0, immediate);
    if (kind == Kind.ATOMIC) {
      SendWrLayout.atomicRemoteAddr(view, 0, remote);
      SendWrLayout.atomicRkey(view, 0, rkey);
      SendWrLayout.atomicCompareAdd(view, 0, first);
      SendWrLayout.atomicSwap(view, 0, second);
    } else {
      SendWrLayout.rdmaRemoteAddr(view, 0, remote);
      SendWrLayout.rdmaRkey(view, 0, rkey);
    }
    SendWrLayout.numSge(view, 0, kind == Kind.INLINE || kind == Kind.FAR_INLINE ? 3 : count());
    if (kind == Kind.INLINE || kind == Kind.FAR_INLINE) {
      writeInline(view, kind == Kind.INLINE ? view : far);
    }
    for (int i = 0; i < count(); i++) {
      long entry = entries[2 * i + 1];
      element(view, i, entries[2 * i], (int) (entry >>> 32), (int) entry);
    }
  }

  private int count() {
    return entries.length / ScatterGather.ENTRY_LONGS;
  }

  /** Three elements; the second is empty and points nowhere. The data ends the memory. */
  private void writeInline(MemorySegment view, MemorySegment data) {
    long at = data == view ? view.byteSize() - inline.length : 0;
    MemorySegment.copy(MemorySegment.ofArray(inline), 0, data, at, inline.length);
    int half = inline.length / 2;
    long from = data.address() + at;
    element(view, 0, from, half, FAR_KEY);
    element(view, 1, -1, 0, 0);
    element(view, 2, from + half, inline.length - half, FAR_KEY);
  }

  private static void element(MemorySegment view, int index, long address, int length, int lkey) {
    long at = LIST_AT + (long) index * SgeLayout.SIZE;
    SgeLayout.addr(view, at, address);
    SgeLayout.length(view, at, length);
    SgeLayout.lkey(view, at, lkey);
  }

  /** Adds it to a batch. */
  void build(SendBatch batch) {
    batch.begin(wrId);
    batch.immediate(immediate);
    if (kind != Kind.BIND) {
      batch.remote(remote, rkey);
    }
    switch (kind) {
      case ATOMIC -> batch.operands(first, second);
      case FLUSH -> batch.flush(first, (int) second & 3, (int) second >>> 2);
      case BIND ->
          batch.bind(binding.window(), binding.region(), rkey, remote, first, (int) second);
      case DATAGRAM -> batch.destination(path, (int) remote, (int) (remote >>> 32));
      default -> batch.inline(MemorySegment.ofArray(inline), 0);
    }
    batch.remoteSrq(srq);
    for (int i = 0; i < count(); i++) {
      long entry = entries[2 * i + 1];
      batch.sge(i, entries[2 * i], (int) (entry >>> 32), (int) entry);
    }
    batch.add(opcode, count(), length, flags);
  }

  /** Requires that a slot of a queue has it, field by field. */
  void assertIn(SendQueue queue, int slot) {
    assertEquals(wrId, queue.wrId(slot));
    assertEquals(opcode, queue.opcode(slot));
    assertEquals(flags, queue.flags(slot));
    for (int flag = 1; flag <= SendFlags.INLINE; flag <<= 1) {
      assertEquals((flags & flag) != 0, queue.flag(slot, flag));
    }
    assertEquals((flags & SendFlags.INLINE) != 0, queue.inline(slot));
    assertEquals(immediate, queue.immediate(slot));
    assertEquals(rkey, queue.rkey(slot));
    assertEquals(remote, queue.remoteAddress(slot));
    assertEquals((int) remote, queue.remoteQpn(slot));
    assertEquals((int) (remote >>> 32), queue.remoteQkey(slot));
    assertEquals(srq, queue.remoteSrq(slot));
    assertEquals(length, queue.length(slot));
    assertEquals(count(), queue.sgeCount(slot));
    int at = slot * queue.stride + SendQueue.ENTRIES;
    assertArrayEquals(entries, Arrays.copyOfRange(queue.records, at, at + entries.length));
    assertOperandsIn(queue, slot);
    if (inline.length > 0) {
      byte[] packet = new byte[inline.length + 1];
      MemorySegment to = MemorySegment.ofArray(packet);
      queue.copyInline(slot, 1, to, 2, inline.length - 1);
      assertArrayEquals(
          Arrays.copyOfRange(inline, 1, inline.length),
          Arrays.copyOfRange(packet, 2, packet.length));
    }
  }

  private void assertOperandsIn(SendQueue queue, int slot) {
    switch (kind) {
      case ATOMIC, BIND -> {
        assertEquals(first, queue.compareAdd(slot));
        assertEquals(second, queue.swap(slot));
      }
      case FLUSH -> {
        assertEquals(first, queue.flushLength(slot));
        assertEquals(second & 3, queue.flushPlacement(slot));
        assertEquals(second >>> 2, queue.flushSelectivity(slot));
      }
      case DATAGRAM -> assertSame(path, queue.path(slot));
      default -> {}
    }
    if (kind == Kind.BIND) {
      assertSame(binding.window(), queue.window(slot));
      assertSame(binding.region(), queue.region(slot));
    }
  }
}
