package org.roce4j.property;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.SgeLayout;

/** A sender and a receiver of a walk, with their model. */
final class WalkLeg {
  static final int SLOT = 3072;
  static final int MOST_BYTES = 3000;
  private static final int MOST_DATAGRAM = 1024;
  private static final int MAX_SGE = 4;
  private static final int MAX_INLINE = 220;

  /** Slots in which requests of a reliable leg overlap. */
  private static final int SHARED_SLOTS = 4;

  private static final int REMOTE_ACCESS =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
  private static final int RIGHTS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.MW_BIND
          | AccessFlags.FLUSH_GLOBAL
          | AccessFlags.FLUSH_PERSISTENT
          | REMOTE_ACCESS;
  private static final int QKEY = 0x1234;
  private static final int FIRST_PSN = 0xfffffc;

  final QueuePair sender;
  final QueuePair receiver;
  final LegModel model;
  final List<LegModel.Sent> sent = new ArrayList<>();
  private final WalkNode to;
  private final Walk.Leg leg;

  /** The service in the model, where an extended connection is a reliable one. */
  private final QpType service;

  private final MemorySegment localMemory;
  private final MemoryRegion local;
  private final MemorySegment remoteMemory;
  private final MemoryRegion remote;
  private final int rkey;
  private final AddressHandle handle;
  private int posted;

  WalkLeg(Walk.Leg leg, WalkNode from, WalkNode to, int requests, LegModel.Promise promise) {
    boolean extended = leg.service() == QpType.XRC_SEND;
    this.service = extended ? QpType.RC : leg.service();
    this.to = to;
    this.leg = leg;
    SplittableRandom random = new SplittableRandom(requests);
    localMemory = from.memory((long) requests * SLOT, random);
    local = from.pd.registerMemory(localMemory, AccessFlags.LOCAL_WRITE);
    remoteMemory = to.memory((long) requests * SLOT, random);
    remote = to.pd.registerMemory(remoteMemory, RIGHTS);
    sender = queuePair(leg.service(), from, requests);
    receiver =
        extended
            ? to.context().createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(to.domain))
            : queuePair(service, to, requests);
    if (service == QpType.UD) {
      ready(sender, leg.fromPort());
      ready(receiver, leg.toPort());
      handle = from.pd.createAh(AhAttr.roce(to.gid(leg.toPort()), 0).onPort(leg.fromPort()));
    } else {
      connect(sender, leg.fromPort(), to.gid(leg.toPort()), receiver);
      connect(receiver, leg.toPort(), from.gid(leg.fromPort()), sender);
      handle = null;
    }
    boolean windows = service != QpType.UD && !extended && leg.window() != 0;
    rkey = windows ? bind(leg.window()) : remote.rkey();
    model =
        new LegModel(
            service,
            promise,
            localMemory.toArray(ValueLayout.JAVA_BYTE),
            remoteMemory.toArray(ValueLayout.JAVA_BYTE));
  }

  private static QueuePair queuePair(QpType type, WalkNode node, int requests) {
    boolean extended = type == QpType.XRC_SEND;
    int receives = extended ? 0 : WalkNode.receives(requests);
    return node.pd.createQp(
        new QpInitAttr()
            .qpType(type)
            .sendCq(node.sendCq)
            .recvCq(extended ? null : node.recvCq)
            .srq(extended ? null : node.srq)
            .sendOps(operations(type))
            .cap(new QpCapabilities(requests, receives, MAX_SGE, extended ? 0 : 2, MAX_INLINE)));
  }

  private static long operations(QpType type) {
    long sends = SendOpsFlags.WITH_SEND | SendOpsFlags.WITH_SEND_WITH_IMM;
    long writes = SendOpsFlags.WITH_RDMA_WRITE | SendOpsFlags.WITH_RDMA_WRITE_WITH_IMM;
    long atomics = SendOpsFlags.WITH_ATOMIC_CMP_AND_SWP | SendOpsFlags.WITH_ATOMIC_FETCH_AND_ADD;
    long newer = SendOpsFlags.WITH_ATOMIC_WRITE | SendOpsFlags.WITH_FLUSH;
    return switch (type) {
      case UD -> sends;
      case UC -> sends | writes;
      case RC -> sends | writes | atomics | SendOpsFlags.WITH_RDMA_READ | newer;
      default -> sends | writes | atomics | SendOpsFlags.WITH_RDMA_READ;
    };
  }

  /** Lets the sender use the memory through a window; returns the window's key. */
  private int bind(int type) {
    int rights = service == QpType.RC ? REMOTE_ACCESS : AccessFlags.REMOTE_WRITE;
    MemoryWindow window = to.pd.allocMemoryWindow(type == 1 ? MwType.TYPE_1 : MwType.TYPE_2);
    long bytes = remoteMemory.byteSize();
    if (type == 1) {
      receiver.bindMemoryWindow(
          window, 0, SendFlags.SIGNALED, remote, remote.address(), bytes, rights);
      to.done();
      return window.rkey();
    }
    int key = MemoryWindow.incrementRkey(window.rkey());
    try (SendRequestList list = new SendRequestList(1, 1, 0)) {
      list.add().opcode(WrOpcode.BIND_MW).flags(SendFlags.SIGNALED);
      receiver.postSendOrThrow(list.bindMw(window, key, remote, remote.address(), bytes, rights));
    }
    to.done();
    return key;
  }

  private static void ready(QueuePair qp, int port) {
    QpBringUp.toRts(qp, QpBringUp.attributes().portNum(port).qkey(QKEY).sqPsn(FIRST_PSN));
  }

  private void connect(QueuePair qp, int port, Gid to, QueuePair peer) {
    int rights = RIGHTS & ~(AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);
    QpBringUp.toRts(
        qp,
        QpBringUp.attributes(AhAttr.roce(to, 0).onPort(port), peer.qpNum())
            .portNum(port)
            .qpAccessFlags(service == QpType.RC ? rights : AccessFlags.REMOTE_WRITE)
            .pathMtu(Mtu.MTU_256)
            .rqPsn(FIRST_PSN)
            .sqPsn(FIRST_PSN)
            .minRnrTimer(10)
            .maxDestRdAtomic(3)
            .maxRdAtomic(3));
  }

  /** Posts a request, and executes it in the model. */
  void post(Walk.Step step) {
    WrOpcode opcode = step.opcode(leg.service());
    boolean atomic =
        opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    boolean alone = opcode == WrOpcode.ATOMIC_WRITE || opcode == WrOpcode.FLUSH;
    int most = service == QpType.UD ? MOST_DATAGRAM : MOST_BYTES;
    int bytes = atomic ? Long.BYTES : Math.min(step.bytes(), most);
    boolean inline =
        step.inline() && !atomic && opcode != WrOpcode.RDMA_READ && bytes <= MAX_INLINE;
    boolean fenced = service == QpType.RC && (step.fenced() || model.needsFence(opcode));
    int number = posted++;
    if (step.resize() != 0) {
      to.resize(this, step.resize());
    }
    int localAt = number * SLOT;
    int remoteAt = (service == QpType.RC ? number % SHARED_SLOTS : number) * SLOT;
    int flags =
        (step.signaled() ? SendFlags.SIGNALED : 0)
            | (fenced ? SendFlags.FENCE : 0)
            | (step.solicited() ? SendFlags.SOLICITED : 0);
    List<MemorySegment> pieces = cut(localMemory.asSlice(localAt, bytes), step.cuts());
    long address = remote.address() + remoteAt;
    int errno =
        step.built() || alone
            ? build(number, opcode, flags, address, pieces, inline)
            : list(number, opcode, flags, address, pieces, inline);
    assertEquals(0, errno, () -> "posting request " + number);
    model.happens(number, opcode, step, bytes, localAt, remoteAt, fenced);
  }

  private static List<MemorySegment> cut(MemorySegment memory, List<Integer> cuts) {
    List<MemorySegment> pieces = new ArrayList<>();
    MemorySegment rest = memory;
    for (int percent : cuts) {
      long length = rest.byteSize() * percent / 100;
      pieces.add(rest.asSlice(0, length));
      rest = rest.asSlice(length);
    }
    pieces.add(rest);
    return pieces;
  }

  private int list(
      int number,
      WrOpcode opcode,
      int flags,
      long address,
      List<MemorySegment> pieces,
      boolean inline) {
    try (SendRequestList list = new SendRequestList(1, MAX_SGE, MAX_INLINE)) {
      list.add().wrId(number).opcode(opcode).flags(flags);
      operands(list, opcode, number, address);
      if (handle != null) {
        list.ud(handle, receiver.qpNum(), QKEY);
      } else if (receiver.qpType() == QpType.XRC_RECV) {
        list.xrc(to.named.srqNum());
      }
      for (MemorySegment piece : pieces) {
        if (inline) {
          list.inline(piece);
        } else {
          list.sge(local, piece.address() - localMemory.address(), (int) piece.byteSize());
        }
      }
      return sender.postSend(list);
    }
  }

  private int build(
      int number,
      WrOpcode opcode,
      int flags,
      long address,
      List<MemorySegment> pieces,
      boolean inline) {
    WorkRequestBuilder wr = sender.builder();
    wr.start();
    operands(wr.wrId(number).flags(flags), opcode, number, address);
    if (handle != null) {
      wr.setUdAddress(handle, receiver.qpNum(), QKEY);
    } else if (receiver.qpType() == QpType.XRC_RECV) {
      wr.setXrcSrqNumber(to.named.srqNum());
    }
    if (opcode == WrOpcode.ATOMIC_WRITE || opcode == WrOpcode.FLUSH) {
      return wr.complete(); // these carry no data
    }
    if (inline) {
      wr.setInlineDataList(pieces);
      return wr.complete();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment elements = arena.allocate((long) pieces.size() * SgeLayout.SIZE, 8);
      for (int i = 0; i < pieces.size(); i++) {
        long at = (long) i * SgeLayout.SIZE;
        SgeLayout.addr(elements, at, pieces.get(i).address());
        SgeLayout.length(elements, at, (int) pieces.get(i).byteSize());
        SgeLayout.lkey(elements, at, local.lkey());
      }
      wr.setSgeList(elements, pieces.size());
      return wr.complete();
    }
  }

  private void operands(WorkRequestBuilder wr, WrOpcode opcode, int number, long address) {
    switch (opcode) {
      case SEND -> wr.send();
      case SEND_WITH_IMM -> wr.sendImmediate(number);
      case RDMA_WRITE_WITH_IMM -> wr.rdmaWriteImmediate(rkey, address, number);
      case RDMA_WRITE -> wr.rdmaWrite(rkey, address);
      case RDMA_READ -> wr.rdmaRead(rkey, address);
      case ATOMIC_FETCH_AND_ADD -> wr.fetchAndAdd(rkey, address, DataPathModel.addend(number));
      case ATOMIC_WRITE -> wr.atomicWrite(rkey, address, DataPathModel.addend(number));
      case FLUSH -> // of the region, because windows lack the right; both placements in turn
          wr.flush(remote.rkey(), address, SLOT, 1 + number % 2, number / 2 % 2);
      default ->
          wr.compareAndSwap(
              rkey, address, DataPathModel.compare(number), DataPathModel.addend(number));
    }
  }

  private void operands(SendRequestList list, WrOpcode opcode, int number, long address) {
    switch (opcode) {
      case SEND -> {}
      case SEND_WITH_IMM -> list.immediate(number);
      case RDMA_WRITE_WITH_IMM -> list.immediate(number).remote(address, rkey);
      case ATOMIC_FETCH_AND_ADD -> list.atomic(address, rkey, DataPathModel.addend(number), 0);
      case ATOMIC_CMP_AND_SWP ->
          list.atomic(address, rkey, DataPathModel.compare(number), DataPathModel.addend(number));
      default -> list.remote(address, rkey);
    }
  }

  boolean complete() {
    return sent.size() == model.sent.size() && model.complete();
  }

  /** Requires that completions and memory agree with the model. */
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
