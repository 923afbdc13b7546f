package org.roce4j.tools.cm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.RdmaVerbs;

/**
 * Buffers and queue pair of one connection of rping. The ends announce their buffers to each other
 * in 16 bytes: address, key and size, in network order. Used by one thread.
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

  /** The own queues with {@code -q}; null: the id's queue pair is used. */
  private final OwnQueues own;

  private final ConnectionWait wait;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment received = arena.allocate(INFO, Long.BYTES);
  private final MemorySegment sent = arena.allocate(INFO, Long.BYTES);
  private final MemorySegment data;
  private final WorkCompletions completion = new WorkCompletions(arena, 1);
  private final SendRequestList send = new SendRequestList(arena, 1, 1, 0);
  private final RecvRequestList receive = new RecvRequestList(arena, 1, 1);
  private final MemoryRegion receivedMr;
  private final MemoryRegion sentMr;
  private final MemoryRegion dataMr;

  /**
   * An end of an id that is bound to a device.
   *
   * @param ownQueues whether it creates its queue pair itself
   * @param heard whether its waits receive the end of the connection; otherwise another thread
   *     does, and calls {@link #stop}
   * @param note receives the object of a long wait, for a message
   */
  RpingEnd(CmId id, int size, boolean ownQueues, boolean heard, Consumer<String> note) {
    this.id = id;
    wait =
        new ConnectionWait(
            heard ? ConnectionEvents.of(id, this::stop) : ConnectionWait.Events.NONE, note);
    QpInitAttr attr = new QpInitAttr().cap(new QpCapabilities(SEND_QUEUE, 2, 1, 1));
    boolean complete = false;
    try {
      if (ownQueues) {
        own = new OwnQueues(id, attr);
      } else {
        own = null;
        id.createQp(null, attr);
      }
      data = arena.allocate(size, Long.BYTES);
      receivedMr = RdmaVerbs.regMsgs(id, received);
      sentMr = RdmaVerbs.regMsgs(id, sent);
      dataMr = register(data);
      postReceive();
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  CmId id() {
    return id;
  }

  /** The memory for the peer's data. */
  MemorySegment data() {
    return data;
  }

  MemoryRegion dataMr() {
    return dataMr;
  }

  /** Adds memory that lives as long as this end. */
  MemorySegment allocate(int size) {
    return arena.allocate(size, Long.BYTES);
  }

  /** Registers memory that the peer may read and write. */
  MemoryRegion register(MemorySegment memory) {
    return id.pd().registerMemory(memory, PEER_MAY_ALL);
  }

  private QueuePair qp() {
    return own == null ? id.qp() : own.qp();
  }

  /** The connection parameters of this end, which name its own queue pair if it has one. */
  ConnParam parameters() {
    ConnParam param = new ConnParam().responderResources(1).initiatorDepth(1);
    return own == null ? param : param.qpNum(own.qp().qpNum());
  }

  /** Answers the peer's request. */
  void accept() {
    if (own != null) {
      own.ready();
    }
    ConnectionEvents.accept(id, parameters());
  }

  /** The peer has accepted: with its own queues, this end confirms it. */
  void establish() {
    if (own != null) {
      own.ready();
      id.establish();
    }
  }

  boolean hasOwnQueues() {
    return own != null;
  }

  /** The connection is over, so waits for the peer end. */
  void stop() {
    if (own != null) {
      own.stop();
    }
  }

  private void postReceive() {
    qp().postRecvOrThrow(receive.clear().add().sge(receivedMr, 0, INFO));
  }

  /** Announces a buffer to the peer. */
  boolean tell(MemoryRegion buffer) {
    sent.set(NETWORK_LONG, 0, buffer.iova());
    sent.set(NETWORK_INT, 8, buffer.rkey());
    sent.set(NETWORK_INT, 12, (int) buffer.length());
    return goAhead();
  }

  /** Sends the same message again. */
  boolean goAhead() {
    qp().postSendOrThrow(request(WrOpcode.SEND).sge(sentMr, 0, INFO));
    return sendCompleted("send");
  }

  /**
   * Waits for the peer's message.
   *
   * @return false if the connection has ended
   */
  boolean hear() {
    wait.awaitReceives(
        qp().recvCq(), qp(), Integer.MAX_VALUE, completion, () -> "no message of " + id);
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
          "the peer's buffer has %d bytes, ours %d: choose -S on both sides alike",
          length, data.byteSize());
    }
    post(WrOpcode.RDMA_READ, length);
    return sendCompleted("READ");
  }

  /** WRITEs {@code length} bytes into the buffer that the peer has announced. */
  boolean write(long length) {
    post(WrOpcode.RDMA_WRITE, length);
    return sendCompleted("WRITE");
  }

  /** A request to the buffer that the peer has announced. */
  private void post(WrOpcode opcode, long length) {
    qp().postSendOrThrow(
            request(opcode)
                .remote(received.get(NETWORK_LONG, 0), received.get(NETWORK_INT, 8))
                .sge(dataMr, 0, (int) length));
  }

  private SendRequestList request(WrOpcode opcode) {
    return send.clear().add().opcode(opcode).flags(SendFlags.SIGNALED);
  }

  private boolean sendCompleted(String what) {
    wait.awaitSends(qp().sendCq(), completion, () -> "a " + what + " of " + id);
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

  /** Also closes an end whose constructor has failed. */
  @Override
  public void close() {
    if (own != null) {
      own.close();
    }
    id.destroyQp();
    for (MemoryRegion each : new MemoryRegion[] {receivedMr, sentMr, dataMr}) {
      if (each != null) {
        each.close();
      }
    }
    arena.close();
  }
}
