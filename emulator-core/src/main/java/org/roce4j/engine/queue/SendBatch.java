package org.roce4j.engine.queue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.memory.Region;
import org.roce4j.engine.memory.ScatterGather;
import org.roce4j.engine.memory.Window;
import org.roce4j.verbs.WrOpcode;

/**
 * Send requests that will enter a queue together, as records of that queue. They are built without
 * the queue's lock, which must not be held while the application prepares requests: a RESET would
 * wait for the lock, and the application might wait for the RESET. The batch grows to the largest
 * size used, at most the queue's capacity. For one thread.
 */
public final class SendBatch {
  /** The inline bytes of an ATOMIC_WRITE, independent of the queue's inline capacity. */
  public static final int ATOMIC_BYTES = 8;

  /** The mask of the placement in a FLUSH's second operand. */
  static final int PLACEMENT = 3;

  static final int SELECTIVITY_SHIFT = 2;

  private final SendQueue queue;
  private final int stride;
  long[] records;

  /** Objects beside the records, as in a queue. */
  Object[] companions;

  private int size;

  /** A batch for a queue. */
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

  /** The number of complete requests. */
  public int size() {
    return size;
  }

  /**
   * Begins the next request. The calls up to {@link #add} describe it.
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
    records[at(SendQueue.WR_ID)] = wrId;
    return true;
  }

  private int at(int field) {
    return size * stride + field;
  }

  /** Sets the remote memory. The lower half of the keys remains free for immediate data. */
  public void remote(long address, int rkey) {
    records[at(SendQueue.REMOTE)] = address;
    records[at(SendQueue.KEYS)] = SendQueue.pair(rkey, (int) records[at(SendQueue.KEYS)]);
  }

  /** Sets the immediate data as a number, or the key to invalidate. */
  public void immediate(int number) {
    records[at(SendQueue.KEYS)] = Integer.toUnsignedLong(number);
  }

  /** Sets the operands of an atomic. */
  public void operands(long compareAdd, long swap) {
    records[at(queue.operands)] = compareAdd;
    records[at(queue.operands + 1)] = swap;
  }

  /** Sets the length, placement and selectivity of a FLUSH. */
  public void flush(long bytes, int placement, int selectivity) {
    operands(bytes, selectivity << SELECTIVITY_SHIFT | placement);
  }

  /** Sets a scatter-gather element. The caller has checked that the queue allows as many. */
  public void sge(int index, long address, int length, int lkey) {
    int entry = at(SendQueue.ENTRIES) + index * ScatterGather.ENTRY_LONGS;
    ScatterGather.set(records, entry, address, length, lkey);
  }

  /**
   * Copies inline data. The caller has checked that there is room.
   *
   * @param to number of inline bytes already copied
   * @throws IllegalStateException if the memory is freed
   * @throws WrongThreadException if the memory belongs to another thread
   */
  public void inline(MemorySegment data, int to) {
    MemorySegment.copy(data, 0, inlineBytes(), to, data.byteSize());
  }

  /** The memory for the request's inline data. */
  public MemorySegment inlineBytes() {
    MemorySegment bytes = (MemorySegment) companions[2 * size + SendQueue.INLINE_BYTES];
    if (bytes == null) {
      bytes = queue.roomForInline();
      companions[2 * size + SendQueue.INLINE_BYTES] = bytes;
    }
    return bytes;
  }

  /** Sets the destination of a datagram. */
  public void destination(Path to, int qpn, int qkey) {
    companions[2 * size + SendQueue.REFERRED] = to;
    records[at(SendQueue.REMOTE)] = SendQueue.pair(qkey, qpn);
  }

  /** Sets the peer's shared receive queue of an XRC request. */
  public void remoteSrq(int number) {
    records[at(queue.operands + SendQueue.SRQ_NUMBER)] = number;
  }

  /** Sets the operands of a bind request. */
  public void bind(Window window, Region region, int newKey, long address, long bytes, int access) {
    companions[2 * size + SendQueue.REFERRED] = new SendQueue.Binding(window, region);
    remote(address, newKey);
    operands(bytes, access);
  }

  /**
   * Completes the request.
   *
   * @param entries number of scatter/gather elements; 0 for an inline request
   * @param bytes length of the message
   */
  public void add(WrOpcode opcode, int entries, long bytes, int flags) {
    records[at(SendQueue.LENGTH)] = bytes;
    records[at(SendQueue.OPERATION)] = SendQueue.operation(opcode, entries, flags);
    size++;
  }
}
