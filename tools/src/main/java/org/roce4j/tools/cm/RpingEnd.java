package org.roce4j.tools.cm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.RdmaVerbs;

/**
 * Buffers and queue pair of one connection of rping. The ends tell each other of buffers by 16
 * bytes: address, key and size, in network order. Used by one thread.
 */
final class RpingEnd implements AutoCloseable {
  private static final int INFO = 16;
  private static final int SEND_QUEUE = 16;
  private static final ValueLayout.OfLong NETWORK_LONG =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt NETWORK_INT =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static final int PEER_MAY_ALL =
      AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE;

  private final CmId id;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment received = arena.allocate(INFO, Long.BYTES);
  private final MemorySegment sent = arena.allocate(INFO, Long.BYTES);
  private final MemorySegment data;
  private final WorkCompletions completion = new WorkCompletions(arena, 1);
  private final MemoryRegion receivedMr;
  private final MemoryRegion sentMr;
  private final MemoryRegion dataMr;

  RpingEnd(CmId id, int size) {
    this.id = id;
    id.createQp(null, new QpInitAttr().cap(new QpCapabilities(SEND_QUEUE, 2, 1, 1)));
    data = arena.allocate(size, Long.BYTES);
    receivedMr = RdmaVerbs.regMsgs(id, received);
    sentMr = RdmaVerbs.regMsgs(id, sent);
    dataMr = register(data);
    postReceive();
  }

  CmId id() {
    return id;
  }

  /** Where the peer's data arrives. */
  MemorySegment data() {
    return data;
  }

  MemoryRegion dataMr() {
    return dataMr;
  }

  /** Memory that lives as long as this end. */
  MemorySegment allocate(int size) {
    return arena.allocate(size, Long.BYTES);
  }

  /** Registers memory that the peer may read and write. */
  MemoryRegion register(MemorySegment memory) {
    return id.pd().registerMemory(memory, PEER_MAY_ALL);
  }

  private void postReceive() {
    RdmaVerbs.postRecv(id, 0, received, receivedMr);
  }

  /** Tells the peer of a buffer. */
  boolean tell(MemoryRegion buffer) {
    sent.set(NETWORK_LONG, 0, buffer.iova());
    sent.set(NETWORK_INT, 8, buffer.rkey());
    sent.set(NETWORK_INT, 12, (int) buffer.length());
    return goAhead();
  }

  /** Sends the same message again. */
  boolean goAhead() {
    RdmaVerbs.postSend(id, 0, sent, sentMr, SendFlags.SIGNALED);
    return sendCompleted("send");
  }

  /**
   * Waits for the peer's message.
   *
   * @return false if the connection has ended
   */
  boolean hear() {
    RdmaVerbs.getRecvComp(id, completion);
    if (!succeeded("receive")) {
      return false;
    }
    if (completion.byteLength(0) != INFO) {
      throw ToolFailure.atRunTime("Received bogus data, size " + completion.byteLength(0));
    }
    postReceive();
    return true;
  }

  /** READs the buffer that the peer has announced. */
  boolean read() {
    int length = received.get(NETWORK_INT, 12);
    if (length < 1 || length > data.byteSize()) {
      throw ToolFailure.atRunTime(
          "the peer's buffer has %d bytes, ours %d: choose -S on both sides alike"
              .formatted(length, data.byteSize()));
    }
    RdmaVerbs.postRead(
        id, 0, data.asSlice(0, length), dataMr, SendFlags.SIGNALED, peerAddress(), peerKey());
    return sendCompleted("READ");
  }

  /** WRITEs {@code length} bytes into the buffer that the peer has announced. */
  boolean write(long length) {
    RdmaVerbs.postWrite(
        id, 0, data.asSlice(0, length), dataMr, SendFlags.SIGNALED, peerAddress(), peerKey());
    return sendCompleted("WRITE");
  }

  private long peerAddress() {
    return received.get(NETWORK_LONG, 0);
  }

  private int peerKey() {
    return received.get(NETWORK_INT, 8);
  }

  private boolean sendCompleted(String what) {
    RdmaVerbs.getSendComp(id, completion);
    return succeeded(what);
  }

  private boolean succeeded(String what) {
    WcStatus status = completion.status(0);
    if (status != WcStatus.SUCCESS && status != WcStatus.WR_FLUSH_ERR) {
      throw ToolFailure.atRunTime(what + " failed: " + completion.toString(0));
    }
    return status == WcStatus.SUCCESS;
  }

  /** Bytes of the text in front of the zero that ends it. */
  static long textLength(MemorySegment of) {
    long length = 0;
    while (length < of.byteSize() && of.get(JAVA_BYTE, length) != 0) {
      length++;
    }
    return length;
  }

  @Override
  public void close() {
    id.destroyQp();
    receivedMr.close();
    sentMr.close();
    dataMr.close();
    arena.close();
  }
}
