package org.roce4j.engine.responder;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.memory.LocalCursor;
import org.roce4j.engine.memory.ScatterGather;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.engine.queue.Touchable;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Opcode;

/**
 * The receive request that the current message fills, copied out of its queue. A request of the
 * queue pair's own queue stays at the head until it completes; a request of a shared queue leaves
 * it at once.
 */
final class HeldReceive implements Touchable {
  /** The number of the queue pair, for completions. */
  private final int qpNum;

  private final LocalCursor cursor;

  /** The scatter entries of the request, in the layout of {@link ReceiveQueue}. */
  private final long[] entries;

  /** Fixed, except for XRC. */
  private ReceiveSource source;

  /** Whether a message fills a request. */
  private boolean held;

  /** The wr_id of the request. */
  private long wrId;

  /** The sum of the lengths of its scatter entries, bytes. */
  private long capacity;

  HeldReceive(ReceiveSide side, int maxSge) {
    qpNum = side.qpNum();
    source = side.source();
    cursor = new LocalCursor(side.keys(), new Accessor(source.domain()));
    entries = new long[ReceiveQueue.recordLongs(maxSge)];
  }

  /** Takes requests from {@code receiver} from now on. No request may be held. */
  void from(XrcReceiver receiver) {
    source = receiver;
    cursor.accessor(receiver.accessor());
  }

  /** Bytes that the oldest posted request can hold; -1 if none is posted. */
  long offered() {
    ReceiveQueue queue = source.queue();
    if (queue.isEmpty()) {
      return -1;
    }
    int slot = queue.slot(queue.head());
    return queue.length(slot);
  }

  /** Takes the oldest posted request; false if none is posted. */
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

  /** Bytes that the held request's buffers can hold, at most {@link Opcode#MOST_MESSAGE_BYTES}. */
  long capacity() {
    return capacity;
  }

  /** Why the last {@link #scatter} was refused. */
  String why() {
    return Wording.of("the receive of wr_id %d: ", wrId) + cursor.why(true);
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

  /** Whether the buffers hold {@code bytes} more, within the longest legal message. */
  boolean fits(int bytes) {
    return cursor.position() + bytes <= capacity;
  }

  /** Copies payload to the next place in the buffers; false on a local protection error. */
  boolean scatter(MemorySegment packet, long at, int bytes) {
    return bytes == 0 || cursor.scatter(packet, at, bytes);
  }

  /** The request completes: it leaves its queue. */
  void release() {
    held = false;
    if (!source.shared()) {
      source.queue().retire();
    }
  }

  /** Forgets the request without a completion; the caller clears its queue. */
  void forget() {
    held = false;
  }
}
