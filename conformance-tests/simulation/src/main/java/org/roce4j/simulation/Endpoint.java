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
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.wire.AckTimeout;

/**
 * One end of a connection, reliable or not, for as long as the connection lives: its queue pair,
 * its memory, what it has posted and what the oracle expects to complete.
 */
final class Endpoint implements Participant, SendLedger.Owner {
  private static final int WINDOW_BYTES = 8192;
  private static final int REMOTE_RIGHTS =
      AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;

  final Run run;
  final SimulatedDevice device;
  final String name;
  final Zone localZone;
  final Zone remoteZone;
  final MemoryRegion localRegion;
  final MemoryRegion remoteRegion;
  final List<AtomicCell> cells;
  final WindowModel window;
  final SendLedger sends;

  /** Messages sent and not received, in order. */
  final Deque<PostedSend> unreceived = new ArrayDeque<>();

  private final QpType service;
  private final QueuePair qp;
  private final ModelledMemory memory;
  private final MemoryRegion receiveRegion;
  private final Deque<PostedSend> acknowledged = new ArrayDeque<>();
  private final SplittableRandom random;
  private final Life life;
  private final Receiver receiver;
  private final ReceivePool receives;

  /** Who had the queue pair before it was reset; what completed then may still be reported. */
  private final Endpoint former;

  private Endpoint peer;
  private Traffic traffic;

  /** Of a reliable connection: what the wire tells of this end as requester; else null. */
  private RequesterView view;

  /** Of an unreliable connection: what the wire tells of this end as responder; else null. */
  private UnreliableView incoming;

  private Runnable onFailure = () -> {};
  private boolean flushing;
  private long flushedAt;
  private boolean cut;
  private boolean destroyed;

  /**
   * How an end begins.
   *
   * @param former who had this place on the same device before, or null
   * @param again whether the former's queue pair is used again
   * @param firstPsn of its requests
   * @param operations it has to do
   */
  record Life(Endpoint former, boolean again, int firstPsn, int operations) {}

  Endpoint(
      Run run,
      SimulatedDevice device,
      QpType service,
      String name,
      Life life,
      SplittableRandom random) {
    this.run = run;
    this.device = device;
    this.service = service;
    this.life = life;
    this.random = random;
    former = life.again ? life.former : null;
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
    receiveRegion =
        device.pd().registerMemory(memory.segment(receiveZone), AccessFlags.LOCAL_WRITE);
    remoteRegion =
        device
            .pd()
            .registerMemory(
                memory.segment(remoteZone),
                memory.iova(remoteZone, random.nextInt()),
                AccessFlags.LOCAL_WRITE | REMOTE_RIGHTS | AccessFlags.MW_BIND);
    qp = life.again ? life.former.qp : createQp(options);
    this.name = "%s (%s, QP 0x%06x)".formatted(name, device.name(), qp.qpNum());
    sends = new SendLedger(run, this.name, this);
    device.add(this);
    window = options.on(Knob.WINDOWS) && reliable() ? makeWindow() : null;
    cells =
        IntStream.range(0, 3)
            .mapToObj(i -> new AtomicCell(remoteZone.take(8, 8, random), false, random.nextLong()))
            .toList();
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
    receiver = new Receiver(this, receives);
  }

  private QueuePair createQp(SimulationOptions options) {
    boolean known = life.former != null && life.former.device == device;
    CompletionQueue sendCq =
        known ? life.former.qp.sendCq() : device.sendCq(options.integer(Knob.SQ));
    CompletionQueue recvCq =
        known ? life.former.qp.recvCq() : device.recvCq(options.integer(Knob.RQ));
    return device.createQp(
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
  }

  @Override
  public QueuePair qp() {
    return qp;
  }

  @Override
  public ModelledMemory memory() {
    return memory;
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

  // ---- connecting

  /** Brings both queue pairs to RTS and starts the traffic. */
  static void connect(Endpoint a, Endpoint b) {
    a.peer = b;
    b.peer = a;
    a.reach();
    b.reach();
    for (Endpoint end : List.of(a, b)) {
      end.traffic = new Traffic(end.run, end, end.peer, end.life.operations, end.random.split());
      end.receives.replenish();
      end.traffic.start();
    }
  }

  /** Is told when the queue pair fails. */
  void onFailure(Runnable action) {
    onFailure = action;
  }

  private void reach() {
    if (reliable()) {
      reachReliably();
    } else {
      reachUnreliably();
    }
  }

  private void reachUnreliably() {
    incoming = new UnreliableView(receiver.arrivals(), peer.life.firstPsn);
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
            .rqPsn(peer.life.firstPsn)
            .ahAttr(AhAttr.roce(peer.device.gid(), 0)));
    qp.modify(new QpAttr().qpState(QpState.RTS).sqPsn(life.firstPsn));
  }

  private void reachReliably() {
    SimulationOptions options = run.options();
    view =
        new RequesterView(
            name,
            new Excuses(
                name,
                life.former == null ? null : life.former.view.excuses(),
                run.witness().path(device.gid(), peer.device.gid())),
            life.firstPsn,
            options.integer(Knob.MTU),
            options.integer(Knob.RETRY),
            options.integer(Knob.RNR_RETRY),
            AckTimeout.ns(options.integer(Knob.TIMEOUT)),
            options.on(Knob.UNSTEERED) && options.severalEngines());
    if (!device.portIsUp()) {
      view.port(run.nowNs(), false);
    }
    run.witness().watch(view, device.gid(), qp.qpNum(), peer.device.gid(), peer.qp.qpNum());
    qp.modify(
        new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(REMOTE_RIGHTS));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(Mtu.ofBytes(options.integer(Knob.MTU)))
            .destQpNum(peer.qp.qpNum())
            .rqPsn(peer.life.firstPsn)
            .maxDestRdAtomic(options.integer(Knob.DEST_RD_ATOMIC))
            .minRnrTimer(options.integer(Knob.RNR_TIMER))
            .ahAttr(AhAttr.roce(peer.device.gid(), 0)));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTS)
            .sqPsn(life.firstPsn)
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

  @Override
  public boolean alive() {
    return !cut && !flushing && !sends.hasFailed() && sending(Participant.stateOf(qp));
  }

  private static boolean sending(QpState state) {
    return state == QpState.RTS || state == QpState.SQD;
  }

  @Override
  public boolean finished() {
    return cut || (sends.isEmpty() && (!alive() || traffic.done()));
  }

  /** What it has not begun to do. */
  int operationsLeft() {
    return traffic.left();
  }

  int firstPsn() {
    return life.firstPsn;
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

  // ---- completions

  @Override
  public void completed(WorkCompletions wcs, int index) {
    long wrId = wcs.wrId(index);
    if (former != null && former.awaits(wrId)) {
      former.completed(wcs, index);
    } else if (Run.isReceive(wrId)) {
      receiver.completed(wcs, index);
    } else {
      sends.completed(wcs, index);
    }
  }

  private boolean awaits(long wrId) {
    return (Run.isReceive(wrId) ? !receives.shared() && receives.has(wrId) : sends.has(wrId))
        || (former != null && former.awaits(wrId));
  }

  @Override
  public void judge(PostedSend send, WcStatus status) {
    require(
        cut || Participant.stateOf(qp) == QpState.ERR,
        Rule.RIGHT_STATUS,
        "%s: %s completed with %s, but the queue pair is in %s",
        name,
        send,
        status,
        Participant.stateOf(qp));
    switch (status) {
      case RETRY_EXC_ERR -> view.requireRetriesSpent(send.toString());
      case RNR_RETRY_EXC_ERR -> view.requireRnrRetriesSpent(send.toString());
      case WR_FLUSH_ERR ->
          require(flushing, Rule.RIGHT_STATUS, "%s: %s was flushed without a failure", name, send);
      default ->
          throw new RuleBroken(
              Rule.RIGHT_STATUS, "%s: %s completed with %s".formatted(name, send, status));
    }
    if (!flushing && !cut) {
      onFailure.run();
    }
  }

  @Override
  public void succeeded(PostedSend send) {
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
    if (reliable() && send.isMessage() && !send.received) {
      acknowledged.add(send);
    }
    if (send.window != null) {
      send.window.users--;
    }
    release(send);
  }

  @Override
  public void roomMade() {
    traffic.roomMade();
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
        cut || window.window.rkey() == send.immediate,
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

  @Override
  public void failed(PostedSend send) {
    String why = name + ": failed " + send;
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

  // ---- the end

  @Override
  public void tearDown() {
    if (!cut) {
      receives.close();
      flush();
    }
  }

  /** Moves the queue pair to ERR: whatever is posted is flushed. */
  void flush() {
    flushing = true;
    flushedAt = device.emptyRounds();
    receiver.close();
    forgetPackets();
    qp.modify(new QpAttr().qpState(QpState.ERR));
  }

  /** Resets the queue pair: what is posted is forgotten. */
  void reset() {
    cutOff();
    qp.modify(new QpAttr().qpState(QpState.RESET));
  }

  /** Destroys the queue pair with all that is posted. */
  void destroy() {
    cutOff();
    close();
  }

  private void close() {
    destroyed = true;
    device.remove(this);
    qp.close();
  }

  @Override
  public void vanish() {
    cutOff();
  }

  private void cutOff() {
    cut = true;
    receiver.close();
    forgetPackets();
    if (view != null) {
      view.failed(run.nowNs());
      peer.view.excuses().peerGone();
    }
  }

  private void forgetPackets() {
    if (incoming != null) {
      run.witness().unwatch(incoming, device.gid(), qp.qpNum());
    }
  }

  @Override
  public void quiet(boolean silent) {
    if (view != null) {
      view.quiet(silent);
    } else {
      peer.incoming.quiet(silent);
    }
  }

  /** Whether the queue pair was reset or destroyed, or crashed with its device. */
  boolean wasCut() {
    return cut;
  }

  boolean isFlushing() {
    return flushing;
  }

  /** Whether all completions that were there when it was given up have been seen. */
  boolean isDrained() {
    return cut || (flushing && device.emptyRounds() >= flushedAt + 2);
  }

  /** All its completions were seen: nothing that was flushed may be missing. */
  void closeBooks() {
    if (!cut) {
      sends.finishSilently();
      checkFlushed();
    }
  }

  /**
   * It was given up, and another end takes its place: its memory can be reached no more, the keys
   * that peers have are worth nothing.
   *
   * @param again whether its queue pair should be used again
   * @return whether it can
   */
  boolean prepareNext(boolean again) {
    if (!device.isUp()) {
      return false;
    }
    boolean reuse = again && !destroyed;
    if (reuse && Participant.stateOf(qp) != QpState.RESET) {
      qp.modify(new QpAttr().qpState(QpState.RESET));
    } else if (!reuse && !destroyed) {
      close();
    }
    deregister();
    return reuse;
  }

  private void checkFlushed() {
    sends.checkAtEnd();
    receiver.checkFlushed();
  }

  private void deregister() {
    if (window != null) {
      window.window.close();
    }
    localRegion.close();
    receiveRegion.close();
    remoteRegion.close();
  }

  @Override
  public void settle() {
    if (cut) {
      sends.abandon();
      receiver.abandon();
    } else {
      sends.finishSilently();
    }
  }

  @Override
  public void checkAtEnd() {
    checkFlushed();
    for (PostedSend message : acknowledged) {
      require(
          message.received || peer.cut,
          Rule.RECEIVED_BEFORE_SENT,
          "%s: %s completed, but the peer never received it",
          name,
          message);
    }
    if (!cut) {
      receiver.checkAtEnd();
    }
    cells.forEach(AtomicCell::checkAtEnd);
    memory.checkTorn();
    memory.checkAll();
  }

  @Override
  public String standing() {
    return "%s in %s: %s; %s".formatted(name, Participant.stateOf(qp), sends, receiver);
  }
}
