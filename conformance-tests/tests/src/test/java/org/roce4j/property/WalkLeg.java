package org.roce4j.property;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/** Two queue pairs of a walk, of which one sends and one receives, beside their model. */
final class WalkLeg {
  static final int SLOT = 3072;
  static final int MOST_BYTES = 3000;
  private static final int MOST_DATAGRAM = 1024;
  private static final int MAX_SGE = 4;
  private static final int MAX_INLINE = 220;

  /** Requests of a reliable leg meet in these. */
  private static final int SHARED_SLOTS = 4;

  private static final int REMOTE_ACCESS =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
  private static final int QKEY = 0x1234;
  private static final int FIRST_PSN = 0xfffffc;

  final QueuePair sender;
  final QueuePair receiver;
  final LegModel model;
  final List<LegModel.Sent> sent = new ArrayList<>();
  private final QpType service;
  private final MemorySegment localMemory;
  private final MemoryRegion local;
  private final MemorySegment remoteMemory;
  private final MemoryRegion remote;
  private final AddressHandle handle;
  private int posted;

  WalkLeg(QpType service, WalkNode from, WalkNode to, int requests, LegModel.Promise promise) {
    this.service = service;
    SplittableRandom random = new SplittableRandom(requests);
    localMemory = from.memory((long) requests * SLOT, random);
    local = from.pd.registerMemory(localMemory, AccessFlags.LOCAL_WRITE);
    remoteMemory = to.memory((long) requests * SLOT, random);
    remote = to.pd.registerMemory(remoteMemory, AccessFlags.LOCAL_WRITE | REMOTE_ACCESS);
    sender = queuePair(from, requests);
    receiver = queuePair(to, requests);
    if (service == QpType.UD) {
      ready(sender);
      ready(receiver);
      handle = from.pd.createAh(AhAttr.roce(to.gid(), 0));
    } else {
      connect(sender, to, receiver);
      connect(receiver, from, sender);
      handle = null;
    }
    model =
        new LegModel(
            service,
            promise,
            localMemory.toArray(ValueLayout.JAVA_BYTE),
            remoteMemory.toArray(ValueLayout.JAVA_BYTE));
  }

  private QueuePair queuePair(WalkNode node, int requests) {
    return node.pd.createQp(
        new QpInitAttr()
            .qpType(service)
            .sendCq(node.sendCq)
            .recvCq(node.recvCq)
            .srq(node.srq)
            .cap(
                new QpCapabilities(requests, WalkNode.receives(requests), MAX_SGE, 2, MAX_INLINE)));
  }

  private static void ready(QueuePair qp) {
    QpBringUp.toRts(qp, QpBringUp.attributes().qkey(QKEY).sqPsn(FIRST_PSN));
  }

  private void connect(QueuePair qp, WalkNode peerNode, QueuePair peer) {
    QpBringUp.toRts(
        qp,
        QpBringUp.attributes(AhAttr.roce(peerNode.gid(), 0), peer.qpNum())
            .qpAccessFlags(service == QpType.RC ? REMOTE_ACCESS : AccessFlags.REMOTE_WRITE)
            .pathMtu(Mtu.MTU_256)
            .rqPsn(FIRST_PSN)
            .sqPsn(FIRST_PSN)
            .minRnrTimer(10)
            .maxDestRdAtomic(3)
            .maxRdAtomic(3));
  }

  /** Posts a request, and lets the model do the same. */
  void post(Walk.Step step) {
    WrOpcode opcode = step.opcode(service);
    boolean atomic =
        opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    int most = service == QpType.UD ? MOST_DATAGRAM : MOST_BYTES;
    int bytes = atomic ? Long.BYTES : Math.min(step.bytes(), most);
    boolean inline =
        step.inline() && !atomic && opcode != WrOpcode.RDMA_READ && bytes <= MAX_INLINE;
    boolean fenced = service == QpType.RC && (step.fenced() || model.needsFence(opcode));
    int number = posted++;
    int localAt = number * SLOT;
    int remoteAt = (service == QpType.RC ? number % SHARED_SLOTS : number) * SLOT;
    try (SendRequestList list = new SendRequestList(1, MAX_SGE, MAX_INLINE)) {
      list.add().wrId(number).opcode(opcode);
      list.flags(
          (step.signaled() ? SendFlags.SIGNALED : 0)
              | (fenced ? SendFlags.FENCE : 0)
              | (step.solicited() ? SendFlags.SOLICITED : 0));
      operands(list, opcode, number, remote.address() + remoteAt);
      if (handle != null) {
        list.ud(handle, receiver.qpNum(), QKEY);
      }
      int done = 0;
      for (int percent : step.cuts()) {
        int length = (int) ((long) (bytes - done) * percent / 100);
        element(list, localAt + done, length, inline);
        done += length;
      }
      element(list, localAt + done, bytes - done, inline);
      assertEquals(0, sender.postSend(list), () -> "posting request " + number);
    }
    model.happens(number, opcode, step, bytes, localAt, remoteAt, fenced);
  }

  private void operands(SendRequestList list, WrOpcode opcode, int number, long address) {
    switch (opcode) {
      case SEND -> {}
      case SEND_WITH_IMM -> list.immediate(number);
      case RDMA_WRITE_WITH_IMM -> list.immediate(number).remote(address, remote.rkey());
      case ATOMIC_FETCH_AND_ADD ->
          list.atomic(address, remote.rkey(), DataPathModel.addend(number), 0);
      case ATOMIC_CMP_AND_SWP ->
          list.atomic(
              address, remote.rkey(), DataPathModel.compare(number), DataPathModel.addend(number));
      default -> list.remote(address, remote.rkey());
    }
  }

  private void element(SendRequestList list, int at, int length, boolean inline) {
    if (inline) {
      list.inline(localMemory.asSlice(at, length));
    } else {
      list.sge(local, at, length);
    }
  }

  boolean complete() {
    return sent.size() == model.sent.size() && model.complete();
  }

  /** Everything is as the model says. */
  void check() {
    assertEquals(model.sent, sent, () -> "send completions of a leg of " + service);
    assertTrue(model.complete(), () -> "messages are missing on a leg of " + service);
    assertEquals(
        -1,
        localMemory.mismatch(MemorySegment.ofArray(model.near)),
        () -> "first other byte of the sender's memory, on a leg of " + service);
    model.checkFar(remoteMemory.toArray(ValueLayout.JAVA_BYTE));
  }
}
