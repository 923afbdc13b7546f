package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WcStatus;

/** One end of a reliable connection: everything arrives once, in order, or the end fails. */
final class ReliableEnd extends ConnectedEnd {
  private final ReliableReceiver receiver;

  /** Messages that completed at this end before their receipt by the peer was seen. */
  private final Deque<PostedSend> acknowledged = new ArrayDeque<>();

  /** The view of this end as requester; null until it is connected. */
  private RequesterView view;

  ReliableEnd(
      World world, SimulatedDevice device, String name, Life life, SplittableRandom random) {
    super(world, device, QpType.RC, name, life, random);
    receiver =
        new ReliableReceiver(
            name,
            this::inError,
            receivePool(world.options.longestMessage(), random, this::lengthOf),
            remote().window());
  }

  private int lengthOf(int n) {
    return receiver.lengthOf(n);
  }

  @Override
  Receiver receiver() {
    return receiver;
  }

  // ---- the wire

  @Override
  void listen() {
    WireWitness witness = world.witness;
    Excuses excuses = new Excuses(name, life().packets(), witness.path(gid(), peer().gid()));
    view = new RequesterView(name, excuses, firstPsn(), world.options);
    if (!device.portIsUp(port)) {
      port(false);
    }
    witness.watch(view, gid(), qp.qpNum(), peer().gid(), peer().qp.qpNum());
  }

  @Override
  QpAttr attributes(QpAttr common) {
    SimulationOptions options = world.options;
    return common
        .qpAccessFlags(RemoteMemory.RIGHTS | AccessFlags.FLUSH_GLOBAL)
        .maxDestRdAtomic(options.integer(Knob.DEST_RD_ATOMIC))
        .minRnrTimer(options.integer(Knob.RNR_TIMER))
        .timeout(options.integer(Knob.TIMEOUT))
        .retryCnt(options.integer(Knob.RETRY))
        .rnrRetry(options.integer(Knob.RNR_RETRY))
        .maxRdAtomic(options.integer(Knob.RD_ATOMIC));
  }

  @Override
  void port(boolean up) {
    view.port(world.agenda.nowNs(), up);
  }

  @Override
  void wentToErr() {
    view.failed(world.agenda.nowNs());
    peer().peerGone();
  }

  @Override
  void peerGone() {
    view.excuses().peerGone();
  }

  @Override
  void retransmits(Counter reason) {
    view.retransmits(world.agenda.nowNs(), reason);
  }

  @Override
  void quiet(boolean silent) {
    view.quiet(silent);
  }

  @Override
  void stopListening() {}

  @Override
  void expect(PostedSend send) {
    if (send.isMessage()) {
      receiver.expect(send);
    }
  }

  // ---- completions

  @Override
  boolean isDue(WcStatus status, PostedSend send) {
    switch (status) {
      case RETRY_EXC_ERR -> view.requireRetriesSpent(send.toString());
      case RNR_RETRY_EXC_ERR -> view.requireRnrRetriesSpent(send.toString());
      default -> {
        return false;
      }
    }
    return true;
  }

  @Override
  public void succeeded(PostedSend send) {
    String why = name + ": " + send;
    WindowModel window = remote().window();
    switch (send.opcode) {
      case RDMA_READ ->
          Pieces.forEach(send.local, send.payload, (e, b) -> e.memory.landed(e, b, why));
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> {
        if (send.remote != null) {
          send.remote.memory.landed(send.remote, send.payload, why);
        }
      }
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> {
        Extent result = send.local.getFirst();
        long returned = memory.all().actualLong(result);
        send.cell.completed(send, returned);
        memory.all().landedLong(result, returned, OracleRule.BYTES_WHOLE, why);
      }
      case BIND_MW -> bound(send, window);
      case LOCAL_INV -> window.state = WindowModel.State.FREE;
      default -> {}
    }
    if (send.isMessage() && !send.received) {
      acknowledged.add(send);
    }
    if (send.window != null) {
      send.window.users--;
    }
    if (send.remote != null) {
      send.remote.zone.give(send.remote);
    }
    send.giveOwned();
  }

  private void bound(PostedSend send, WindowModel window) {
    require(
        wasCut() || window.window.rkey() == send.immediate,
        OracleRule.RIGHT_COMPLETION,
        "%s: a window was bound with key 0x%x and has key 0x%x",
        name,
        send.immediate,
        window.window.rkey());
    window.key = send.immediate;
    window.state = WindowModel.State.BOUND;
  }

  @Override
  public void failed(PostedSend send) {
    String why = name + ": failed " + send;
    switch (send.opcode) {
      case RDMA_READ ->
          Pieces.forEach(send.local, send.payload, (e, b) -> e.memory.settleTorn(e, b, why));
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> send.mayTearRemote();
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> {
        send.cell.failed(send, this);
        memory.all().forget(send.local.getFirst());
      }
      default -> {}
    }
  }

  @Override
  void checkAtEnd() {
    super.checkAtEnd();
    for (PostedSend message : acknowledged) {
      require(
          message.received || peer().wasCut(),
          OracleRule.RECEIVED_BEFORE_SENT,
          "%s: %s completed, but the peer never received it",
          name,
          message);
    }
  }
}
