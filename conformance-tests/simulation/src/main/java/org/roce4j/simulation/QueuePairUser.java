package org.roce4j.simulation;

import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.text.Wording;

/**
 * The user of one queue pair: its memory, its posted requests, and the completions that the oracle
 * expects. The device passes on completions and events.
 */
abstract class QueuePairUser implements SendLedger.Owner {
  final World world;
  final SimulatedDevice device;
  final String name;
  final EndMemory memory;
  final QueuePair qp;

  /** The device's port that the queue pair is bound to. */
  final int port;

  final SendLedger sends;

  /** The action for a drained send queue; null if no drain was requested. */
  private Runnable whenDrained;

  private boolean flushing;
  private long flushedAt;
  private boolean cut;

  QueuePairUser(World world, SimulatedDevice device, String name, EndMemory memory, QueuePair qp) {
    this.world = world;
    this.device = device;
    this.name = Wording.of("%s (%s, QP 0x%06x)", name, device.name(), qp.qpNum());
    this.memory = memory;
    this.qp = qp;
    port = device.nextPort();
    sends = new SendLedger(world.counts, this.name, this);
    device.add(this);
  }

  /** The device's shared receive requests, or a pool of its own. */
  final ReceivePool receivePool(
      int longest, SplittableRandom random, IntUnaryOperator lengthOfNext) {
    if (device.srq() != null) {
      return device.receives();
    }
    return new ReceivePool(
        world,
        false,
        world.options.integer(Knob.RQ),
        memory.receive(),
        memory.receiveRegion(),
        longest,
        random.split(),
        qp::postRecv,
        lengthOfNext);
  }

  /** The address of its port. */
  final Gid gid() {
    return device.gid(port);
  }

  abstract Receiver receiver();

  abstract Workload workload();

  /** The state of the queue pair; UNKNOWN when it was destroyed, or crashed with its device. */
  final QpState state() {
    try {
      return qp.state();
    } catch (VerbsException e) {
      return QpState.UNKNOWN;
    }
  }

  /** Whether requests may be posted and will be executed. */
  final boolean alive() {
    if (cut || flushing || sends.hasFailed()) {
      return false;
    }
    QpState state = state();
    return state == QpState.RTS || state == QpState.SQD;
  }

  /** Whether all its work is done, or can never be done. */
  final boolean finished() {
    return cut || (sends.isEmpty() && (!alive() || workload().done()));
  }

  /** Requests that it has not begun to post. */
  final int operationsLeft() {
    return workload().left();
  }

  /** Whether the queue pair was reset or destroyed, or crashed with its device. */
  final boolean wasCut() {
    return cut;
  }

  final boolean isFlushing() {
    return flushing;
  }

  /** Whether receive requests may be flushed now. */
  final boolean inError() {
    return cut || state() == QpState.ERR;
  }

  // ---- reports of the device

  void completed(WorkCompletions wcs, int index) {
    if (World.isReceive(wcs.wrId(index))) {
      receiver().completed(wcs, index);
    } else {
      sends.completed(wcs, index);
    }
  }

  @Override
  public final void roomMade() {
    workload().roomMade();
  }

  /** Its port went down, or up again. */
  void port(boolean up) {}

  /** The queue pair is in ERR: nothing is sent or answered any more. */
  void wentToErr() {}

  /** The engine goes back and retransmits. */
  void retransmits(Counter reason) {
    throw new RuleBroken(
        OracleRule.RETRY_FOR_CAUSE,
        Wording.of("%s retries (%s), but is not reliable", name, reason));
  }

  /** The send queue is drained and may send nothing, or it works again. */
  abstract void quiet(boolean silent);

  /** Packets have no effect on the expectations any more. */
  abstract void stopListening();

  // ---- draining

  /** Moves the queue pair to SQD and runs the action when its send queue is drained. */
  final void drain(Runnable drained) {
    whenDrained = drained;
    qp.modify(new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true));
  }

  /** The device reports a drained send queue; false if no drain was requested. */
  final boolean drained() {
    if (whenDrained == null) {
      return false;
    }
    quiet(true);
    whenDrained.run();
    whenDrained = null;
    return true;
  }

  /** Sets a drained send queue to work again. */
  final void resume() {
    quiet(false);
    if (alive() && state() == QpState.SQD) {
      world.counts.met(Phenomenon.DRAIN);
      qp.modify(new QpAttr().qpState(QpState.RTS));
    }
  }

  // ---- the end

  /** The run is over: the queue pair goes to ERR and nothing is posted any more. */
  final void tearDown() {
    if (!cut) {
      receiver().stopPosting();
      flush();
    }
  }

  /** Moves the queue pair to ERR, which flushes all posted requests. */
  final void flush() {
    flushing = true;
    flushedAt = device.emptyRounds();
    receiver().close();
    stopListening();
    qp.modify(new QpAttr().qpState(QpState.ERR));
  }

  /** The queue pair is destroyed with all posted requests: no more completions come. */
  final void cutOff() {
    cut = true;
    receiver().close();
    stopListening();
    wentToErr();
  }

  /** Whether all completions at the time of {@link #flush} have been seen. */
  final boolean isDrained() {
    return cut || (flushing && device.emptyRounds() >= flushedAt + 2);
  }

  /** The run is over: requests without a completion count as failed. */
  final void settle() {
    if (cut) {
      sends.abandon();
      receiver().abandon();
    } else {
      sends.finishSilently();
    }
  }

  /** Requires that every flushed request has completed. */
  final void checkFlushed() {
    sends.checkAtEnd();
    receiver().checkFlushed();
  }

  /** Judges the memory and the completions, after all of them were seen. */
  void checkAtEnd() {
    checkFlushed();
    if (!cut) {
      receiver().checkAtEnd();
    }
    memory.all().checkTorn();
    memory.all().checkAll();
  }

  /** The state of its work, for the message about a run that does not finish. */
  final String standing() {
    return Wording.of("%s in %s: %s; %s", name, state(), sends, receiver());
  }
}
