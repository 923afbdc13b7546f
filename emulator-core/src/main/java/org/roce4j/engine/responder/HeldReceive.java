package org.roce4j.engine.responder;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.memory.LocalCursor;
import org.roce4j.engine.memory.ScatterGather;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.engine.queue.Touchable;
import org.roce4j.wire.Opcode;

/**
 * The receive request that the current message fills, copied out of its queue. One of the queue
 * pair's own queue stays at the head until it completes; one of a shared queue is taken at once.
 */
final class HeldReceive implements Touchable {
  private final int qpNum;
  private final LocalCursor cursor;
  private final long[] entries;

  /** Fixed, but for XRC. */
  private ReceiveSource source;

  private boolean held;
  private long wrId;
  private long capacity;

  HeldReceive(ReceiveSide side, int maxSge) {
    qpNum = side.qpNum();
    source = side.source();
    cursor = new LocalCursor(side.keys(), new Accessor(source.domain()));
    entries = new long[ReceiveQueue.recordLongs(maxSge)];
  }

  /** Requests are taken from there from now on; none is held. */
  void from(XrcReceiver receiver) {
    source = receiver;
    cursor.accessor(receiver.accessor());
  }

  /** Bytes that the buffers of the oldest posted request hold; -1: there is none. */
  long offered() {
    ReceiveQueue queue = source.queue();
    if (queue.isEmpty()) {
      return -1;
    }
    int slot = queue.slot(queue.head());
    return queue.length(slot);
  }

  /** Takes the oldest posted request; false: there is none. */
  boolean take() {
    ReceiveQueue queue = source.queue();
    if (source instanceof XrcReceiver) {
      return takeAmongSeveral(queue);
    }
    if (queue.isEmpty()) {
      return false;
    }
    int slot = queue.slot(queue.head());
    int count = queue.sgeCount(slot);
    queue.copyEntries(slot, entries);
    wrId = queue.wrId(slot);
    capacity = Math.min(ScatterGather.totalLength(entries, 0, count), Opcode.MOST_MESSAGE_BYTES);
    cursor.open(entries, 0, count);
    held = true;
    if (source.shared()) {
      queue.retire();
      source.taken(qpNum);
    }
    return true;
  }

  private boolean takeAmongSeveral(ReceiveQueue queue) {
    int count = queue.takeAmongSeveral(entries);
    if (count < 0) {
      return false;
    }
    wrId = entries[ReceiveQueue.WR_ID];
    capacity =
        Math.min(
            ScatterGather.totalLength(entries, ReceiveQueue.ENTRIES, count),
            Opcode.MOST_MESSAGE_BYTES);
    cursor.open(entries, ReceiveQueue.ENTRIES, count);
    held = true;
    source.taken(qpNum);
    return true;
  }

  @Override
  public long touch(int step) {
    return switch (step) {
      case PARTS -> cursor.position() + source.queue().head();
      case REQUEST -> source.queue().touchOldest();
      default -> 0;
    };
  }

  /** Bytes that its buffers hold. */
  long capacity() {
    return capacity;
  }

  /** Why the last {@link #scatter} was refused. */
  String why() {
    return "the receive of wr_id %d: ".formatted(wrId) + cursor.why(true);
  }

  boolean isHeld() {
    return held;
  }

  long wrId() {
    return wrId;
  }

  /** Bytes written so far. */
  long filled() {
    return cursor.position();
  }

  /**
   * Whether {@code bytes} more fit the buffers, and the message stays within the largest legal one.
   */
  boolean fits(int bytes) {
    return cursor.position() + bytes <= capacity;
  }

  /** Copies payload to the next places; false: a local protection error. */
  boolean scatter(MemorySegment packet, long at, int bytes) {
    return bytes == 0 || cursor.scatter(packet, at, bytes);
  }

  /** Starts the buffers over, for a new message in place of a torn one. */
  void rewind() {
    cursor.rewind();
  }

  /** It was completed: it leaves its queue. */
  void release() {
    held = false;
    if (!source.shared()) {
      source.queue().retire();
    }
  }

  /** Forgotten without a completion; its queue is cleared by the caller. */
  void forget() {
    held = false;
  }
}
