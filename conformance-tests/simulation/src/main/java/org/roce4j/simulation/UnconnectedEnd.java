package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.wire.Psn;

/** A queue pair for unreliable datagrams. */
final class UnconnectedEnd extends QueuePairUser {
  static final int QKEY = 0x1dea_0001;
  static final int WRONG_QKEY = 0x1dea_0002;

  private final DatagramReceiver receiver;
  private final DatagramView view;
  private final DatagramWorkload workload;

  /**
   * @param groups multicast groups to send to
   * @param others ends to send to, this end included; some may be added later
   */
  UnconnectedEnd(
      World world,
      SimulatedDevice device,
      String name,
      int operations,
      SplittableRandom random,
      List<Gid> groups,
      List<UnconnectedEnd> others) {
    SimulationOptions options = world.options;
    EndMemory memory = EndMemory.of(world, device.pd(), name, sizes(options), 0, random);
    super(world, device, name, memory, device.createQp(QpType.UD, null));
    receiver =
        new DatagramReceiver(
            name,
            this::inError,
            receivePool(options.longestDatagram(), random, n -> -1),
            world,
            gid(),
            qp.qpNum());
    view =
        new DatagramView(
            name,
            gid(),
            qp.qpNum(),
            options.integer(Knob.MTU),
            receiver.arrivals(),
            random.nextInt(Psn.MASK + 1));
    workload = new DatagramWorkload(world, this, operations, random.split(), groups, others);
  }

  private static EndMemory.Sizes sizes(SimulationOptions options) {
    int longest = options.longestDatagram();
    return new EndMemory.Sizes(
        6 * (longest + 256) + 4096, ReceivePool.zoneBytes(options.integer(Knob.RQ), 8, longest), 0);
  }

  /** Brings the queue pair to RTS, joins {@code joined} and starts the work. */
  void start(Iterable<Gid> joined) {
    world.witness.watch(view);
    QpBringUp.toRts(qp, QpBringUp.attributes().portNum(port).qkey(QKEY).sqPsn(view.nextPsn()));
    for (Gid group : joined) {
      view.join(group);
      qp.attachMulticast(group);
    }
    receiver.start();
    workload.start();
  }

  DatagramView view() {
    return view;
  }

  @Override
  Receiver receiver() {
    return receiver;
  }

  @Override
  Workload workload() {
    return workload;
  }

  @Override
  void quiet(boolean silent) {
    view.quiet(silent);
  }

  @Override
  void stopListening() {
    view.close();
  }

  // ---- completions

  @Override
  void completed(WorkCompletions wcs, int index) {
    super.completed(wcs, index);
    if (sends.hasFailed() && sends.isEmpty() && !isFlushing() && !wasCut()) {
      // The send queue is flushed: sets it to work again.
      world.counts.met(Phenomenon.SEND_QUEUE_ERROR);
      sends.recovered();
      qp.modify(new QpAttr().qpState(QpState.RTS));
      workload.roomMade();
    }
  }

  @Override
  public void judge(PostedSend send, WcStatus status) {
    boolean tooLong = send.length() > world.options.get(Knob.MTU);
    require(
        status == WcStatus.LOC_LEN_ERR
            ? tooLong && state() == QpState.SQE
            : status == WcStatus.WR_FLUSH_ERR && isFlushing(),
        OracleRule.RIGHT_STATUS,
        "%s in %s: %s completed with %s",
        name,
        state(),
        send,
        status);
    if (status == WcStatus.LOC_LEN_ERR) {
      view.failed(send);
    }
  }

  @Override
  public void succeeded(PostedSend send) {
    require(
        send.length() <= world.options.get(Knob.MTU),
        OracleRule.RIGHT_STATUS,
        "%s: %s is longer than a packet and succeeded",
        name,
        send);
    send.giveOwned();
  }

  @Override
  public void failed(PostedSend send) {
    send.giveOwned();
  }
}
