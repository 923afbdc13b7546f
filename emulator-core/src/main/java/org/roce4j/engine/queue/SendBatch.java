package org.roce4j.engine.queue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.memory.Region;
import org.roce4j.engine.memory.ScatterGather;
import org.roce4j.engine.memory.Window;
import org.roce4j.verbs.WrOpcode;

/**
 * Send requests that will enter a queue together, as records of that queue. They are built outside
 * of its lock, which nobody may hold while the application decides what comes next: a RESET would
 * wait for the lock, and the application perhaps for the RESET. It grows to the largest batch that
 * was built, at most the queue's capacity. One thread.
 */
public final class SendBatch {
  /** Bytes that the request of an ATOMIC_WRITE carries inline, whatever the queue grants. */
  public static final int ATOMIC_BYTES = 8;

  /** Of a FLUSH's second operand. */
  static final int PLACEMENT = 3;

  static final int SELECTIVITY_SHIFT = 2;

  private final SendQueue queue;
  private final int stride;
  long[] records;

  /** As beside the records of a queue. */
  Object[] companions;

  private int size;

  /** A batch for that queue. */
  public SendBatch(SendQueue queue) {
    this.queue = queue;
    stride = queue.stride;
    records = new long[stride];
    companions = new Object[2];
  }

  /** Forgets all requests. */
  public void clear() {
    size = 0;
  }

  /** Requests that are whole. */
  public int size() {
    return size;
  }

  /**
   * Begins the next request; what follows up to {@link #add} is about it.
   *
   * @return false if the batch has as many requests as the queue has slots
   */
  public boolean begin(long wrId) {
    if (size == queue.capacity()) {
      return false;
    }
    if (size * stride == records.length) {
      companions = Arrays.copyOf(companions, 4 * size);
      records = Arrays.copyOf(records, 2 * size * stride);
    }
    companions[2 * size + SendQueue.REFERRED] = null;
    records[at(SendQueue.WR_ID)] = wrId;
    records[at(SendQueue.KEYS)] = 0;
    return true;
  }

  private int at(int field) {
    return size * stride + field;
  }

  /** The remote memory; the lower half of the keys is free for immediate data. */
  public void remote(long address, int rkey) {
    records[at(SendQueue.REMOTE)] = address;
    records[at(SendQueue.KEYS)] = SendQueue.pair(rkey, (int) records[at(SendQueue.KEYS)]);
  }

  /** Immediate data as a number, or the key to invalidate. */
  public void immediate(int number) {
    records[at(SendQueue.KEYS)] = Integer.toUnsignedLong(number);
  }

  /** The operands of an atomic. */
  public void operands(long compareAdd, long swap) {
    records[at(queue.operands)] = compareAdd;
    records[at(queue.operands + 1)] = swap;
  }

  /** How much of the remote memory a FLUSH is about, and what is asked of it. */
  public void flush(long bytes, int placement, int selectivity) {
    operands(bytes, selectivity << SELECTIVITY_SHIFT | placement);
  }

  /** An element; the caller knows that there are not more than the queue takes. */
  public void sge(int index, long address, int length, int lkey) {
    int entry = at(SendQueue.ENTRIES) + index * ScatterGather.ENTRY_LONGS;
    ScatterGather.set(records, entry, address, length, lkey);
  }

  /**
   * Copies inline data; the caller knows that there is room.
   *
   * @param to bytes of the request that are there already
   * @throws IllegalStateException if the memory was freed
   * @throws WrongThreadException if it is another thread's
   */
  public void inline(MemorySegment data, int to) {
    MemorySegment.copy(data, 0, inlineBytes(), to, data.byteSize());
  }

  /** Room for the request's inline data. */
  public MemorySegment inlineBytes() {
    MemorySegment bytes = (MemorySegment) companions[2 * size + SendQueue.INLINE_BYTES];
    if (bytes == null) {
      bytes = queue.roomForInline();
      companions[2 * size + SendQueue.INLINE_BYTES] = bytes;
    }
    return bytes;
  }

  /** Where a datagram goes. */
  public void destination(Path to, int qpn, int qkey) {
    companions[2 * size + SendQueue.REFERRED] = to;
    records[at(SendQueue.REMOTE)] = SendQueue.pair(qkey, qpn);
  }

  /** The peer's shared receive queue that a request of an extended queue names. */
  public void remoteSrq(int number) {
    records[at(queue.operands + SendQueue.SRQ_NUMBER)] = number;
  }

  /** What a window is bound to. */
  public void bind(Window window, Region region, int newKey, long address, long bytes, int access) {
    companions[2 * size + SendQueue.REFERRED] = new SendQueue.Binding(window, region);
    remote(address, newKey);
    operands(bytes, access);
  }

  /**
   * The request is whole.
   *
   * @param entries scatter/gather elements, 0 of an inline request
   * @param bytes of the message
   */
  public void add(WrOpcode opcode, int entries, long bytes, int flags) {
    records[at(SendQueue.LENGTH)] = bytes;
    records[at(SendQueue.OPERATION)] = SendQueue.operation(opcode, entries, flags);
    size++;
  }
}
