package org.roce4j.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.text.Wording;

/**
 * An initiator that sends random requests to random shared receive queues, with a record of its
 * requests.
 */
final class ExtendedSender {
  private static final int DEPTH = 8;
  private static final WrOpcode[] OPERATIONS = {
    WrOpcode.SEND,
    WrOpcode.SEND,
    WrOpcode.SEND_WITH_IMM,
    WrOpcode.RDMA_WRITE,
    WrOpcode.RDMA_WRITE_WITH_IMM,
    WrOpcode.RDMA_READ,
    WrOpcode.ATOMIC_FETCH_AND_ADD
  };

  private final int index;
  private final List<ExtendedReceiver> receivers;
  private final SplittableRandom random;
  private final CompletionQueue cq;
  private final MemorySegment memory;
  private final MemoryRegion region;
  private final QueuePair qp;
  private final SendRequestList list;
  private final WorkCompletions completions;
  private final ArrayDeque<Request> outstanding = new ArrayDeque<>();

  /** The messages that must still arrive, for each queue in order. */
  private final List<ArrayDeque<Request>> due = new ArrayList<>();

  private final long[] counted;
  private int posted;
  private int completed;
  private long digest;

  /** A recorded request. */
  private record Request(int number, WrOpcode opcode, int queue, int bytes) {
    boolean arrives() {
      return switch (opcode) {
        case SEND, SEND_WITH_IMM, RDMA_WRITE_WITH_IMM -> true;
        default -> false;
      };
    }

    boolean carriesImmediate() {
      return opcode == WrOpcode.SEND_WITH_IMM || opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
    }

    byte at(int offset) {
      return (byte) (number * 31 + queue * 7 + offset);
    }
  }

  ExtendedSender(
      Context context,
      Arena arena,
      int index,
      List<ExtendedReceiver> receivers,
      SplittableRandom random) {
    this.index = index;
    this.receivers = List.copyOf(receivers);
    this.random = random;
    counted = new long[receivers.size()];
    receivers.forEach(receiver -> due.add(new ArrayDeque<>()));
    ProtectionDomain pd = context.allocPd();
    cq = context.createCq(DEPTH, null, null, index % context.queryDevice().numCompVectors());
    memory = arena.allocate((long) DEPTH * ExtendedReceiver.MOST_BYTES, 4096);
    region = pd.registerMemory(memory, AccessFlags.LOCAL_WRITE);
    list = new SendRequestList(arena, 1, 1, 0);
    completions = new WorkCompletions(arena, 1);
    qp =
        context.createQp(
            new QpInitAttr()
                .qpType(QpType.XRC_SEND)
                .pd(pd)
                .sendCq(cq)
                .sqSigAll(true)
                .cap(new QpCapabilities(DEPTH, 0, 1, 0)));
  }

  QueuePair qp() {
    return qp;
  }

  int completed() {
    return completed;
  }

  /** Posts one request if fewer than {@code most} are outstanding. */
  void post(int most) {
    if (posted == most || outstanding.size() == DEPTH) {
      return;
    }
    WrOpcode opcode = OPERATIONS[random.nextInt(OPERATIONS.length)];
    boolean atomic = opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    int bytes = atomic ? 8 : random.nextInt(1, ExtendedReceiver.MOST_BYTES + 1);
    Request request = new Request(posted, opcode, random.nextInt(receivers.size()), bytes);
    ExtendedReceiver to = receivers.get(request.queue);
    long at = buffer(request);
    for (int i = 0; i < bytes; i++) {
      memory.set(ValueLayout.JAVA_BYTE, at + i, request.at(i));
    }
    list.clear();
    list.add().wrId(posted).opcode(opcode).xrc(to.number());
    switch (opcode) {
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> list.remote(to.writtenVa(index), to.rkey());
      case RDMA_READ -> list.remote(to.patternVa(), to.rkey());
      case ATOMIC_FETCH_AND_ADD -> {
        list.atomic(to.counterVa(), to.rkey(), posted + 1, 0);
        counted[request.queue] += posted + 1;
      }
      default -> {}
    }
    if (request.carriesImmediate()) {
      list.immediate(posted);
    }
    list.flags(random.nextInt(8) == 0 ? SendFlags.FENCE : 0).sge(region, at, bytes);
    qp.postSendOrThrow(list);
    posted++;
    outstanding.add(request);
    if (request.arrives()) {
      due.get(request.queue).add(request);
    }
  }

  private static long buffer(Request request) {
    return (long) (request.number % DEPTH) * ExtendedReceiver.MOST_BYTES;
  }

  /** Takes the completions: each request once, in order, with success. */
  void poll() {
    while (cq.poll(completions) == 1) {
      demand(completions.status(0) == WcStatus.SUCCESS, "a request failed: " + completions);
      demand(!outstanding.isEmpty(), "more completed than was posted");
      Request request = outstanding.poll();
      demand(completions.wrId(0) == request.number, "completed out of order");
      switch (request.opcode) {
        case RDMA_READ -> read(request);
        case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> written(request);
        default -> {}
      }
      completed++;
      digest = 31 * digest + request.bytes;
    }
  }

  private void read(Request request) {
    ExtendedReceiver from = receivers.get(request.queue);
    for (int i = 0; i < request.bytes; i++) {
      byte found = memory.get(ValueLayout.JAVA_BYTE, buffer(request) + i);
      demand(
          found == from.pattern(i), Wording.of("byte %d of READ %d is wrong", i, request.number));
    }
  }

  /** Only the newest WRITE is checked: a later one may have overwritten an earlier one. */
  private void written(Request request) {
    boolean newest =
        outstanding.stream()
            .noneMatch(
                later ->
                    later.queue == request.queue
                        && (later.opcode == WrOpcode.RDMA_WRITE
                            || later.opcode == WrOpcode.RDMA_WRITE_WITH_IMM));
    for (int i = 0; newest && i < request.bytes; i++) {
      byte found = receivers.get(request.queue).written(index, i);
      demand(found == request.at(i), Wording.of("byte %d of WRITE %d is wrong", i, request.number));
    }
  }

  /** A message of this initiator has arrived in a queue. */
  void arrived(int queue, WorkCompletions found, MemorySegment bytes) {
    Request request = due.get(queue).poll();
    demand(request != null, Wording.of("queue %d has a message that was not sent there", queue));
    demand(found.byteLength(0) == request.bytes, "its length is wrong");
    demand(
        !request.carriesImmediate() || found.immediate(0) == request.number,
        "it is not the oldest one");
    for (int i = 0; request.opcode != WrOpcode.RDMA_WRITE_WITH_IMM && i < request.bytes; i++) {
      demand(
          bytes.get(ValueLayout.JAVA_BYTE, i) == request.at(i),
          Wording.of("byte %d of message %d is wrong", i, request.number));
    }
  }

  /** The sum of its additions to the counter of a queue. */
  long counted(int queue) {
    return counted[queue];
  }

  void leftNothing(int queue) {
    demand(due.get(queue).isEmpty(), Wording.of("messages to queue %d did not arrive", queue));
  }

  void isComplete() {
    demand(outstanding.isEmpty() && completed == posted, "requests did not complete");
    demand(cq.poll(completions) == 0, "something completed twice");
  }

  long digest() {
    return digest;
  }

  private void demand(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError("initiator " + index + ": " + otherwise);
    }
  }

  @Override
  public String toString() {
    return Wording.of("initiator %d: %d of %d completed", index, completed, posted);
  }
}
