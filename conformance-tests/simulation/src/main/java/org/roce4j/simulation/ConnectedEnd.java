package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/** One end of a connection, during one life of the connection. */
abstract class ConnectedEnd extends QueuePairUser {
  private final Life life;
  private final RemoteMemory remote;
  private final SplittableRandom random;
  private ConnectedEnd peer;
  private ConnectedWorkload workload;
  private Runnable onFailure = () -> {};
  private boolean destroyed;

  /**
   * The beginning of an end.
   *
   * @param former the end that had this place before, or null
   * @param again whether to use the former end's queue pair again
   * @param firstPsn first PSN of its requests
   * @param operations number of requests to post
   * @param packets fates of the packets of all ends that had this place, because packets of a
   *     former end may still arrive
   */
  record Life(ConnectedEnd former, boolean again, int firstPsn, int operations, Mishaps packets) {
    static Life first(int firstPsn, int operations) {
      return new Life(null, false, firstPsn, operations, new Mishaps());
    }

    private QueuePair queuePair(SimulatedDevice device, QpType service) {
      if (again) {
        return former.qp;
      }
      boolean known = former != null && former.device == device;
      return device.createQp(service, known ? former.qp : null);
    }
  }

  ConnectedEnd(
      World world,
      SimulatedDevice device,
      QpType service,
      String name,
      Life life,
      SplittableRandom random) {
    EndMemory memory =
        EndMemory.of(
            world, device.pd(), name, sizes(world.options), AccessFlags.LOCAL_WRITE, random);
    RemoteMemory reached =
        new RemoteMemory(device, memory.all(), sizes(world.options).remote(), random);
    super(world, device, name, memory, life.queuePair(device, service));
    this.life = life;
    this.random = random;
    remote = reached;
    remote.furnish(service == QpType.RC && world.options.on(Knob.WINDOWS), random);
  }

  private static EndMemory.Sizes sizes(SimulationOptions options) {
    int longest = options.longestMessage();
    return new EndMemory.Sizes(
        3 * (longest + 256) + 16384,
        ReceivePool.zoneBytes(options.integer(Knob.RQ), 3, longest),
        2 * (longest + 256) + 16384 + RemoteMemory.WINDOW_BYTES);
  }

  @Override
  final Workload workload() {
    return workload;
  }

  final RemoteMemory remote() {
    return remote;
  }

  final ConnectedEnd peer() {
    return peer;
  }

  final int firstPsn() {
    return life.firstPsn;
  }

  final Life life() {
    return life;
  }

  // ---- connecting

  /** Brings both queue pairs to RTS and starts the work. */
  static void connect(ConnectedEnd a, ConnectedEnd b) {
    a.peer = b;
    b.peer = a;
    a.bringUp();
    b.bringUp();
    for (ConnectedEnd end : List.of(a, b)) {
      end.workload =
          new ConnectedWorkload(end.world, end, end.peer, end.life.operations, end.random.split());
      end.receiver().start();
      end.workload.start();
    }
  }

  private void bringUp() {
    listen();
    QpBringUp.toRts(
        qp,
        attributes(
            QpBringUp.attributes(AhAttr.roce(peer.gid(), 0).onPort(port), peer.qp.qpNum())
                .portNum(port)
                .pathMtu(Mtu.ofBytes(world.options.integer(Knob.MTU)))
                .rqPsn(peer.firstPsn())
                .sqPsn(firstPsn())));
  }

  /** Registers this end's view of the wire. */
  abstract void listen();

  /** Adds the attributes that the service needs. */
  abstract QpAttr attributes(QpAttr common);

  /** Sets the action for a failure of the queue pair. */
  final void onFailure(Runnable action) {
    onFailure = action;
  }

  // ---- actions of the peer

  /** The peer posted a message or a WRITE. */
  abstract void expect(PostedSend send);

  /** The peer does not answer any more. */
  void peerGone() {}

  /** The peer's send queue is drained and may send nothing, or it works again. */
  void peerQuiet(boolean silent) {}

  // ---- completions

  @Override
  final void completed(WorkCompletions wcs, int index) {
    if (life.again && life.former.awaits(wcs.wrId(index))) {
      // A completion of the queue pair before its reset belongs to the former end.
      life.former.completed(wcs, index);
    } else {
      super.completed(wcs, index);
    }
  }

  private boolean awaits(long wrId) {
    return (World.isReceive(wrId) ? receiver().awaits(wrId) : sends.has(wrId))
        || (life.again && life.former.awaits(wrId));
  }

  @Override
  public final void judge(PostedSend send, WcStatus status) {
    require(
        inError(),
        OracleRule.RIGHT_STATUS,
        "%s: %s completed with %s, but the queue pair is in %s",
        name,
        send,
        status,
        state());
    require(
        status == WcStatus.WR_FLUSH_ERR ? isFlushing() : isDue(status, send),
        OracleRule.RIGHT_STATUS,
        "%s: %s completed with %s without a failure",
        name,
        send,
        status);
    if (!isFlushing() && !wasCut()) {
      onFailure.run();
    }
  }

  /** Whether {@code status} is a due failure of the request. */
  boolean isDue(WcStatus status, PostedSend send) {
    return false;
  }

  // ---- the end

  /** Resets the queue pair, which forgets all posted requests. */
  final void reset() {
    cutOff();
    qp.modify(new QpAttr().qpState(QpState.RESET));
  }

  /** Destroys the queue pair with all posted requests. */
  final void destroy() {
    cutOff();
    close();
  }

  private void close() {
    destroyed = true;
    device.remove(this);
    qp.close();
  }

  /** All completions were seen: checks that every flushed request has completed. */
  final void closeBooks() {
    if (!wasCut()) {
      sends.finishSilently();
      checkFlushed();
    }
  }

  /**
   * Prepares for another end in this place: deregisters the memory, so that the keys known to peers
   * become invalid.
   *
   * @param again whether to keep the queue pair
   * @return whether the queue pair is kept
   */
  final boolean prepareNext(boolean again) {
    if (!device.isUp()) {
      return false;
    }
    boolean reuse = again && !destroyed;
    if (reuse && state() != QpState.RESET) {
      qp.modify(new QpAttr().qpState(QpState.RESET));
    } else if (!reuse && !destroyed) {
      close();
    }
    memory.deregister();
    remote.deregister();
    return reuse;
  }

  /** The beginning of the next end in this place. */
  final Life nextLife(boolean again, int firstPsn) {
    return new Life(this, again, firstPsn, operationsLeft(), life.packets);
  }

  @Override
  void checkAtEnd() {
    super.checkAtEnd();
    remote.checkAtEnd();
  }
}
