package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Psn;

/**
 * One end of a connection, reliable or not: its queue pair, its memory, what it has posted and what
 * the oracle expects to complete.
 */
final class Endpoint {
  private static final int WINDOW_BYTES = 8192;
  private static final int REMOTE_RIGHTS =
      AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;

  final Run run;
  final QpType service;
  final SimulatedDevice device;
  final QueuePair qp;
  final String name;
  final ModelledMemory memory;
  final Zone localZone;
  final Zone remoteZone;
  final MemoryRegion localRegion;
  final MemoryRegion remoteRegion;
  final List<AtomicCell> cells;
  final WindowModel window;
  final ReceivePool receives;

  /** Posted and not known to be done. */
  final Deque<PostedSend> outstanding = new ArrayDeque<>();

  /** Messages sent and not received, in order. */
  final Deque<PostedSend> unreceived = new ArrayDeque<>();

  private final Deque<PostedSend> acknowledged = new ArrayDeque<>();
  private final SplittableRandom random;
  private final int firstPsn;
  private Endpoint peer;
  private Traffic traffic;

  /** Of a reliable connection: what the wire tells of this end as requester; else null. */
  private RequesterView view;

  /** Of an unreliable connection: what the wire tells of this end as responder; else null. */
  private UnreliableView incoming;

  private Arrivals arrivals;
  private boolean sendFailed;
  private boolean receiveFlushed;
  private boolean tornDown;

  Endpoint(Run run, SimulatedDevice device, QpType service, String name, SplittableRandom random) {
    this.service = service;
    this.run = run;
    this.device = device;
    this.random = random;
    SimulationOptions options = run.options();
    int longest = options.integer(Knob.PACKETS) * options.integer(Knob.MTU);
    int local = 3 * (longest + 256) + 16384;
    int receive = ReceivePool.zoneBytes(options.integer(Knob.RQ), 3, longest);
    int remote = 2 * (longest + 256) + 16384 + WINDOW_BYTES;
    memory = new ModelledMemory(run.arena(), name, local + receive + remote, 3, random.split());
    localZone = memory.zone("source memory", local);
    Zone receiveZone = memory.zone("receive memory", receive);
    remoteZone = memory.zone("remote memory", remote);
    localRegion = device.pd().registerMemory(memory.segment(localZone), AccessFlags.LOCAL_WRITE);
    MemoryRegion receiveRegion =
        device.pd().registerMemory(memory.segment(receiveZone), AccessFlags.LOCAL_WRITE);
    remoteRegion =
        device
            .pd()
            .registerMemory(
                memory.segment(remoteZone),
                memory.iova(remoteZone, random.nextInt()),
                AccessFlags.LOCAL_WRITE | REMOTE_RIGHTS | AccessFlags.MW_BIND);
    CompletionQueue sendCq = device.sendCq(options, options.integer(Knob.SQ));
    CompletionQueue recvCq = device.recvCq(options, options.integer(Knob.RQ), sendCq);
    qp =
        device
            .pd()
            .createQp(
                new QpInitAttr()
                    .qpType(service)
                    .sendCq(sendCq)
                    .recvCq(recvCq)
                    .srq(device.srq())
                    .sqSigAll(options.integer(Knob.SIGNAL) == 100)
                    .cap(
                        new QpCapabilities(
                            options.integer(Knob.SQ),
                            options.integer(Knob.RQ),
                            options.integer(Knob.SGES),
                            options.integer(Knob.SGES),
                            options.integer(Knob.INLINE))));
    this.name = "%s (%s, QP 0x%06x)".formatted(name, device.name(), qp.qpNum());
    device.add(this);
    window = options.on(Knob.WINDOWS) && reliable() ? makeWindow() : null;
    cells =
        IntStream.range(0, 3)
            .mapToObj(i -> new AtomicCell(remoteZone.take(8, 8, random), false, random.nextLong()))
            .toList();
    firstPsn =
        options.on(Knob.WRAP)
            ? Psn.MASK - random.nextInt(options.integer(Knob.WRAP))
            : random.nextInt(Psn.MASK + 1);
    receives =
        device.srq() != null
            ? device.receives()
            : new ReceivePool(
                run,
                false,
                options.integer(Knob.RQ),
                receiveZone,
                receiveRegion,
                longest,
                random.split(),
                qp::postRecv,
                this::lengthOf);
  }

  boolean reliable() {
    return service == QpType.RC;
  }

  private WindowModel makeWindow() {
    Extent range = remoteZone.take(WINDOW_BYTES, 8, random);
    return new WindowModel(
        device.pd().allocMemoryWindow(MwType.TYPE_2),
        remoteRegion,
        range,
        memory.inner("window", range));
  }

  /** The length of the n-th message that the peer has sent and this end has not received, or -1. */
  private int lengthOf(int n) {
    if (!reliable() || peer.unreceived.size() <= n) {
      return -1;
    }
    return peer.unreceived.stream().skip(n).findFirst().orElseThrow().length();
  }

  /** Brings both queue pairs to RTS and starts the traffic. */
  static void connect(Endpoint a, Endpoint b) {
    a.peer = b;
    b.peer = a;
    a.reach();
    b.reach();
    for (Endpoint end : List.of(a, b)) {
      end.traffic = new Traffic(end.run, end, end.peer, end.random.split());
      end.receives.replenish();
      end.traffic.start();
    }
  }

  private void reach() {
    if (reliable()) {
      reachReliably();
    } else {
      reachUnreliably();
    }
  }

  private void reachUnreliably() {
    arrivals = new Arrivals(receives);
    incoming = new UnreliableView(arrivals, peer.firstPsn);
    run.witness().watch(incoming, device.gid(), qp.qpNum());
    qp.modify(
        new QpAttr()
            .qpState(QpState.INIT)
            .pkeyIndex(0)
            .portNum(1)
            .qpAccessFlags(AccessFlags.REMOTE_WRITE));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(Mtu.ofBytes(run.options().integer(Knob.MTU)))
            .destQpNum(peer.qp.qpNum())
            .rqPsn(peer.firstPsn)
            .ahAttr(AhAttr.roce(peer.device.gid(), 0)));
    qp.modify(new QpAttr().qpState(QpState.RTS).sqPsn(firstPsn));
  }

  /** A message was posted that its receiver must recognise. */
  void sending(PostedSend message) {
    if (reliable()) {
      if (message.isMessage()) {
        unreceived.add(message);
      }
    } else {
      int mtu = run.options().integer(Knob.MTU);
      peer.incoming.posted(message, Math.max(1, (message.length() + mtu - 1) / mtu));
    }
  }

  private void reachReliably() {
    SimulationOptions options = run.options();
    view =
        new RequesterView(
            name,
            firstPsn,
            options.integer(Knob.MTU),
            options.integer(Knob.RETRY),
            options.integer(Knob.RNR_RETRY),
            AckTimeout.ns(options.integer(Knob.TIMEOUT)));
    run.witness().watch(view, device.gid(), qp.qpNum(), peer.device.gid(), peer.qp.qpNum());
    qp.modify(
        new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(REMOTE_RIGHTS));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(Mtu.ofBytes(options.integer(Knob.MTU)))
            .destQpNum(peer.qp.qpNum())
            .rqPsn(peer.firstPsn)
            .maxDestRdAtomic(options.integer(Knob.DEST_RD_ATOMIC))
            .minRnrTimer(options.integer(Knob.RNR_TIMER))
            .ahAttr(AhAttr.roce(peer.device.gid(), 0)));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTS)
            .sqPsn(firstPsn)
            .timeout(options.integer(Knob.TIMEOUT))
            .retryCnt(options.integer(Knob.RETRY))
            .rnrRetry(options.integer(Knob.RNR_RETRY))
            .maxRdAtomic(options.integer(Knob.RD_ATOMIC)));
  }

  RequesterView view() {
    return view;
  }

  Endpoint peer() {
    return peer;
  }

  /** Whether it can still send. */
  boolean alive() {
    return !sendFailed && !tornDown && qp.state() == QpState.RTS;
  }

  /** Whether all it had to do is done, or can never be done. */
  boolean finished() {
    return outstanding.isEmpty() && (!alive() || traffic.done());
  }

  // ---- completions

  void completed(WorkCompletions wcs, int index) {
    if (Run.isReceive(wcs.wrId(index))) {
      receiveCompleted(wcs, index);
    } else {
      sendCompleted(wcs, index);
    }
  }

  private void sendCompleted(WorkCompletions wcs, int index) {
    long wrId = wcs.wrId(index);
    WcStatus status = wcs.status(index);
    require(
        !outstanding.isEmpty(),
        Rule.COMPLETED_ONCE_IN_ORDER,
        "%s: a completion came with nothing outstanding: %s",
        name,
        wcs.toString(index));
    while (!sendFailed
        && outstanding.size() > 1
        && outstanding.peek().wrId != wrId
        && !outstanding.peek().signaled) {
      succeeded(outstanding.poll());
    }
    PostedSend oldest = outstanding.poll();
    require(
        oldest.wrId == wrId,
        Rule.COMPLETED_ONCE_IN_ORDER,
        "%s: %s came, but the next to complete is %s",
        name,
        wcs.toString(index),
        oldest);
    if (sendFailed) {
      require(
          status == WcStatus.WR_FLUSH_ERR,
          Rule.FLUSHED_IN_ORDER,
          "%s: after the failure came %s",
          name,
          wcs.toString(index));
      failed(oldest);
    } else if (status == WcStatus.SUCCESS) {
      checkSendCompletion(oldest, wcs, index);
      succeeded(oldest);
      traffic.roomMade();
    } else {
      judge(oldest, status);
      sendFailed = true;
      run.countFailure(status);
      failed(oldest);
    }
  }

  private void checkSendCompletion(PostedSend send, WorkCompletions wcs, int index) {
    boolean sized = send.isAtomic() || send.opcode == WrOpcode.RDMA_READ;
    require(
        send.signaled
            && wcs.opcode(index) == send.opcode.completion()
            && (!sized || wcs.byteLength(index) == send.length()),
        Rule.RIGHT_COMPLETION,
        "%s: %s completed as %s",
        name,
        send,
        wcs.toString(index));
  }

  private void judge(PostedSend send, WcStatus status) {
    require(
        qp.state() == QpState.ERR,
        Rule.RIGHT_STATUS,
        "%s: %s completed with %s, but the queue pair is in %s",
        name,
        send,
        status,
        qp.state());
    switch (status) {
      case RETRY_EXC_ERR -> view.requireRetriesSpent(send.toString());
      case RNR_RETRY_EXC_ERR -> view.requireRnrRetriesSpent(send.toString());
      case WR_FLUSH_ERR ->
          require(tornDown, Rule.RIGHT_STATUS, "%s: %s was flushed without a failure", name, send);
      default ->
          throw new RuleBroken(
              Rule.RIGHT_STATUS, "%s: %s completed with %s".formatted(name, send, status));
    }
  }

  private void succeeded(PostedSend send) {
    String why = name + ": " + send;
    switch (send.opcode) {
      case RDMA_READ ->
          Pieces.forEach(send.local, send.payload, (e, b) -> e.memory.landed(e, b, why));
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> {
        if (send.remote != null) {
          wrote(send, why);
        }
      }
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> {
        Extent result = send.local.getFirst();
        long returned = memory.actualLong(result);
        send.cell.completed(send, returned);
        memory.landedLong(result, returned, Rule.BYTES_WHOLE, why);
      }
      case BIND_MW -> bound(send);
      case LOCAL_INV -> window.state = WindowModel.State.FREE;
      default -> {}
    }
    run.countRequest();
    if (reliable() && send.isMessage() && !send.received) {
      acknowledged.add(send);
    }
    if (send.window != null) {
      send.window.users--;
    }
    release(send);
  }

  private void wrote(PostedSend send, String why) {
    if (reliable()) {
      send.remote.memory.landed(send.remote, send.payload, why);
    } else {
      send.remote.memory.mayTear(send.remote, send.payload); // it arrives later, or not
    }
  }

  private void bound(PostedSend send) {
    require(
        window.window.rkey() == send.immediate,
        Rule.RIGHT_COMPLETION,
        "%s: a window was bound with key 0x%x and has key 0x%x",
        name,
        send.immediate,
        window.window.rkey());
    window.key = send.immediate;
    window.state = WindowModel.State.BOUND;
  }

  private void release(PostedSend send) {
    if (send.remote != null && reliable()) {
      send.remote.zone.give(send.remote);
    }
    send.owned.forEach(extent -> extent.zone.give(extent));
  }

  /** Failed or flushed: it may have been executed, in part or not at all. */
  private void failed(PostedSend send) {
    String why = name + ": failed " + send;
    run.countRequest();
    switch (send.opcode) {
      case RDMA_READ ->
          Pieces.forEach(send.local, send.payload, (e, b) -> e.memory.settleTorn(e, b, why));
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> {
        if (send.remote != null) {
          send.remote.memory.mayTear(send.remote, send.payload);
        }
      }
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> {
        send.cell.failed(send, this);
        memory.forget(send.local.getFirst());
      }
      default -> {}
    }
  }

  private void receiveCompleted(WorkCompletions wcs, int index) {
    PostedReceive receive = receives.completed(name, wcs.wrId(index));
    if (receives.shared() && !reliable() && wcs.status(index) == WcStatus.REM_INV_REQ_ERR) {
      tornInSharedRequest(receive);
      return;
    }
    if (wcs.status(index) != WcStatus.SUCCESS) {
      require(
          wcs.status(index) == WcStatus.WR_FLUSH_ERR && qp.state() == QpState.ERR,
          Rule.RIGHT_STATUS,
          "%s in %s: %s completed with %s",
          name,
          qp.state(),
          receive,
          wcs.toString(index));
      flushed(receive);
      return;
    }
    require(
        !receiveFlushed,
        Rule.FLUSHED_IN_ORDER,
        "%s: a message was received after the flush: %s",
        name,
        wcs.toString(index));
    PostedSend message = reliable() ? nextMessage(wcs, index) : arrivedMessage(receive, wcs, index);
    boolean write = message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
    String why = name + " received " + message + " into " + receive;
    Pieces.forEach(
        receive.pieces,
        write ? message.payload.asSlice(0, 0) : message.payload,
        (e, b) -> e.memory.landed(e, b, why));
    message.received = true;
    if (message.opcode == WrOpcode.SEND_WITH_INV) {
      window.state = WindowModel.State.FREE;
    }
    receives.free(receive);
    receives.replenish();
  }

  /** A message was torn: what it took of a shared queue is given back, in error. */
  private void tornInSharedRequest(PostedReceive receive) {
    receive.pieces.forEach(piece -> piece.memory.forget(piece));
    receives.free(receive);
    receives.replenish();
  }

  private PostedSend nextMessage(WorkCompletions wcs, int index) {
    PostedSend message = peer.unreceived.poll();
    require(
        message != null,
        Rule.RECEIVED_IN_ORDER,
        "%s received what nobody sent: %s",
        name,
        wcs.toString(index));
    checkReceived(message, wcs, index);
    return message;
  }

  private PostedSend arrivedMessage(PostedReceive receive, WorkCompletions wcs, int index) {
    String completion = wcs.toString(index);
    PostedSend message =
        arrivals.received(
            name,
            completion,
            candidate -> looksLike(candidate, wcs, index) && holds(receive, candidate));
    // Behind the message there may be bytes of torn ones that the request held before.
    receive.pieces.forEach(piece -> piece.memory.expectTail(piece));
    if (message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM && message.remote != null) {
      message.remote.memory.landed(message.remote, message.payload, name + " received " + message);
    }
    return message;
  }

  private static boolean holds(PostedReceive receive, PostedSend message) {
    if (message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM) {
      return true; // its immediate data tells it
    }
    boolean[] all = {true};
    Pieces.forEach(
        receive.pieces,
        message.payload,
        (piece, bytes) -> all[0] &= piece.memory.holds(piece, bytes));
    return all[0];
  }

  private void checkReceived(PostedSend message, WorkCompletions wcs, int index) {
    require(
        looksLike(message, wcs, index),
        Rule.RECEIVED_IN_ORDER,
        "%s: %s with immediate or key 0x%x was received as %s",
        name,
        message,
        message.immediate,
        wcs.toString(index));
  }

  private static boolean looksLike(PostedSend message, WorkCompletions wcs, int index) {
    boolean write = message.opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
    boolean immediate = write || message.opcode == WrOpcode.SEND_WITH_IMM;
    boolean invalidate = message.opcode == WrOpcode.SEND_WITH_INV;
    int flags = immediate ? WcFlags.WITH_IMM : invalidate ? WcFlags.WITH_INV : 0;
    return wcs.opcode(index) == (write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV)
        && wcs.byteLength(index) == message.length()
        && (wcs.flags(index) & ~WcFlags.GRH) == flags
        && (!immediate || wcs.immediate(index) == message.immediate)
        && (!invalidate || wcs.invalidatedRkey(index) == message.immediate);
  }

  /** The first one may hold part of a message; the others were never touched. */
  private void flushed(PostedReceive receive) {
    String why = name + ": flushed " + receive;
    require(
        !receives.shared() || !receiveFlushed,
        Rule.FLUSHED_IN_ORDER,
        "%s, of a shared queue that it held only one request of",
        why);
    PostedSend torn = receiveFlushed ? null : peer.unreceived.peek();
    boolean first = !receiveFlushed;
    receiveFlushed = true;
    if (!receives.shared()) {
      receives.close();
    }
    if (first && !reliable()) {
      receive.pieces.forEach(piece -> piece.memory.forget(piece)); // torn messages were in it
      return;
    }
    boolean mayHold = torn != null && torn.opcode != WrOpcode.RDMA_WRITE_WITH_IMM;
    Pieces.forEach(
        receive.pieces,
        mayHold ? torn.payload : Pattern.NOTHING,
        (e, b) -> e.memory.settleTorn(e, b, why));
  }

  // ---- the end

  /** Moves the queue pair to ERR: whatever is posted is flushed. */
  void tearDown() {
    tornDown = true;
    receives.close();
    qp.modify(new QpAttr().qpState(QpState.ERR));
  }

  void checkAtEnd() {
    require(
        outstanding.isEmpty(),
        Rule.FLUSHED_IN_ORDER,
        "%s in %s: %d send requests never completed, the oldest is %s",
        name,
        qp.state(),
        outstanding.size(),
        outstanding.peek());
    require(
        receives.shared() || receives.posted() == 0,
        Rule.FLUSHED_IN_ORDER,
        "%s in %s: %d receive requests never completed",
        name,
        qp.state(),
        receives.posted());
    for (PostedSend message : acknowledged) {
      require(
          message.received,
          Rule.RECEIVED_BEFORE_SENT,
          "%s: %s completed, but the peer never received it",
          name,
          message);
    }
    if (arrivals != null) {
      arrivals.checkAtEnd(name);
    }
    cells.forEach(AtomicCell::checkAtEnd);
    memory.checkTorn();
    memory.checkAll();
  }

  /** For a person who wants to know why nothing moves. */
  String standing() {
    return "%s in %s: %d outstanding, the oldest is %s; %d receive requests posted"
        .formatted(name, qp.state(), outstanding.size(), outstanding.peek(), receives.posted());
  }
}
