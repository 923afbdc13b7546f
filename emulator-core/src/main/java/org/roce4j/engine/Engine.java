package org.roce4j.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.qp.DeviceFacts;
import org.roce4j.engine.qp.QpHost;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.queue.DoorbellList;
import org.roce4j.engine.queue.DoorbellList.Doorbell;
import org.roce4j.engine.queue.HandoverRing;
import org.roce4j.engine.queue.OwnershipWord;
import org.roce4j.engine.queue.PublishedFailure;
import org.roce4j.engine.queue.ReadySignals;
import org.roce4j.engine.time.Deadline;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Bth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Operation;

/**
 * The transport engine: a state machine without I/O. There are five kinds of methods, all but
 * ownership and {@link #ring} for the engine's owner:
 *
 * <ul>
 *   <li>ownership: {@link #tryTakeOrMark}, {@link #tryTake}, {@link #release}, and {@link #fail}
 *       when an input or output has thrown;
 *   <li>inputs: {@link #handleDatagram}, {@link #handleDoorbells}, {@link #handleTimeout}, in any
 *       order, with the time of the batch;
 *   <li>outputs: {@link #pollTransmit} until it returns 0, then {@link #nextTimeout};
 *   <li>control verbs, which the {@code Emulated} handles call through {@link Progress};
 *   <li>getters.
 * </ul>
 *
 * Completions leave through rings, events through the context's queue, hooks through {@link
 * #takeHooks}.
 */
public final class Engine implements QpHost {

  private final SharedDevice device;
  private final int index;
  private final Counters counters = new Counters();
  private final EngineTrace trace;
  private final OwnershipWord ownership = new OwnershipWord();
  private final DoorbellList doorbells = new DoorbellList();
  private final DeadlineHeap deadlines = new DeadlineHeap();
  private final UserCounts<Gid, PathWindow> windows;
  private final QpTable queuePairs;
  private final MulticastTable multicast = new MulticastTable();
  private final ActiveRing active = new ActiveRing();

  /** Windows that have queue pairs waiting and perhaps room. */
  private final ArrayDeque<PathWindow> roomy = new ArrayDeque<>();

  /** Queue pairs that hold an acknowledgement back, the longest first. */
  private final ActiveRing holders = new ActiveRing();

  /** Whether an acknowledgement was held back only to leave behind a reply. */
  private boolean ackFollows;

  private long ackPatienceNs;
  private long firstAckNs;
  private final ArrayDeque<OverflowedQueue> overflowed = new ArrayDeque<>();
  private final ReadySignals signals = new ReadySignals();
  private final InboundPacket packet = new InboundPacket();
  private final PublishedFailure failure;
  private Progress drive;
  private boolean givenUp;

  /** Datagrams that came in at other engines; null: there is none. */
  private final HandoverRing handedOver;

  private final Inbound inherited = new Inbound();
  private int recipients;

  private final ReadAhead readAhead = new ReadAhead();

  /**
   * @param index what the last bits of its queue pairs' numbers say
   */
  public Engine(SharedDevice device, int index, EngineTrace trace) {
    this.device = device;
    this.index = index;
    this.trace = trace;
    failure = device.failure();
    windows = new UserCounts<>(peer -> PathWindow.upTo(device.pathWindowBytes()));
    handedOver = device.engineCount() > 1 ? new HandoverRing() : null;
    queuePairs = new QpTable(device.random(), index, device.engineCount());
  }

  /** What the last bits of its queue pairs' numbers say. */
  public int index() {
    return index;
  }

  /** What makes it run. */
  public Progress drive() {
    return drive;
  }

  public void drive(Progress progress) {
    drive = progress;
  }

  // ---- inputs

  /**
   * Tells of a train that is handled next, datagram by datagram. Changes nothing.
   *
   * @param at of the first BTH
   * @param segmentSize bytes of every datagram but the last
   * @param length bytes of all, not yet checked
   */
  public void expectTrain(ByteBuffer buffer, int at, int segmentSize, int length) {
    readAhead.arriving(queuePairs, buffer, at, segmentSize, length);
  }

  /**
   * Takes a received datagram. Whatever it holds, it is handled, or counted and dropped; or handed
   * to the engine that has its queue pair, which is one of {@link #takeRecipients} then.
   */
  public void handleDatagram(long nowNs, Inbound inbound) {
    if (handedOver != null && inbound.icrc().acceptable()) {
      int to = addressees(inbound);
      handOver(inbound, to & ~(1 << index));
      if ((to & 1 << index) == 0) {
        return;
      }
    }
    accept(nowNs, inbound);
  }

  /** Which engines a datagram is for, as bits; this one's where that cannot be told. */
  private int addressees(Inbound inbound) {
    int own = 1 << index;
    if (inbound.length() < Bth.SIZE) {
      return own;
    }
    int destQp = Bth.destQp(inbound.buffer(), inbound.at());
    return destQp != QueuePair.MULTICAST_QPN
        ? 1 << device.engine(destQp & device.engineCount() - 1).index
        : multicastEngines(inbound.localHigh(), inbound.localLow(), own);
  }

  /** The engines with queue pairs in a group, as bits; {@code nobody} if there is none. */
  private int multicastEngines(long groupHigh, long groupLow, int nobody) {
    int bits = 0;
    for (int i = 0; i < device.engineCount(); i++) {
      if (device.engine(i).multicast.members(groupHigh, groupLow).iterator().hasNext()) {
        bits |= 1 << i;
      }
    }
    return bits == 0 ? nobody : bits;
  }

  private void handOver(Inbound inbound, int to) {
    for (int left = to; left != 0; left &= left - 1) {
      int other = Integer.numberOfTrailingZeros(left);
      if (device.engine(other).handedOver.offer(inbound)) {
        counters.increment(Counter.HANDED_OVER);
        recipients |= 1 << other;
      } else {
        counters.increment(Counter.HANDOVER_DROPPED);
      }
    }
  }

  private void acceptHandedOver(long nowNs) {
    for (int left = handedOver.size(); left > 0; left--) {
      handedOver.first(inherited);
      accept(nowNs, inherited);
      handedOver.retire();
    }
  }

  private void accept(long nowNs, Inbound inbound) {
    counters.increment(Counter.RECEIVED_PACKETS);
    counters.add(Counter.RECEIVED_BYTES, inbound.length());
    if (!inbound.icrc().acceptable()) {
      trace.dropped(-1, -1, Counter.ICRC_ERROR);
      return;
    }
    InboundPacket.Verdict verdict = packet.decode(inbound.buffer(), inbound.at(), inbound.length());
    if (verdict != InboundPacket.Verdict.OK) {
      drop(Counter.MALFORMED, -1, -1);
    } else if (packet.opcode().operation() == Operation.CNP) {
      counters.increment(Counter.CNP_RECEIVED);
    } else if (packet.destQp() == QueuePair.MULTICAST_QPN) {
      handleMulticast(nowNs, inbound);
    } else {
      QpMachine qp = queuePairs.find(packet.destQp());
      if (qp == null) {
        drop(Counter.UNKNOWN_QP, packet.destQp(), packet.psn());
      } else {
        qp.handlePacket(nowNs, packet, inbound);
        settle(qp);
      }
    }
  }

  private void handleMulticast(long nowNs, Inbound inbound) {
    boolean delivered = false;
    for (QpMachine qp : multicast.members(inbound.localHigh(), inbound.localLow())) {
      qp.handlePacket(nowNs, packet, inbound);
      delivered = true;
    }
    if (!delivered) {
      drop(Counter.UNKNOWN_QP, QueuePair.MULTICAST_QPN, packet.psn());
    }
    failOverflowed();
  }

  private void drop(Counter reason, int qpNum, int psn) {
    counters.increment(reason);
    trace.dropped(qpNum, psn, reason);
  }

  /** Takes note of published work, and of what other engines have handed over. */
  public void handleDoorbells(long nowNs) {
    if (handedOver != null && failure.get() == null) {
      acceptHandedOver(nowNs);
    }
    Doorbell doorbell = doorbells.takeAll();
    while (doorbell != null) {
      Doorbell next = doorbell.next();
      QpMachine qp = (QpMachine) doorbell;
      doorbell.answer();
      qp.doorbellRung();
      settle(qp);
      doorbell = next;
    }
  }

  /** Runs every timer that is due. */
  public void handleTimeout(long nowNs) {
    if (!holders.isEmpty()) {
      releaseAcks(nowNs);
    }
    for (Deadline due = deadlines.pollDue(nowNs); due != null; due = deadlines.pollDue(nowNs)) {
      if (due.owner() instanceof PathWindow window) {
        long againNs = window.watched();
        if (againNs > 0) {
          deadlines.set(due, nowNs + againNs);
        }
        mayAdmit(window);
      } else {
        QpMachine qp = (QpMachine) due.owner();
        qp.handleTimeout(nowNs);
        settle(qp);
      }
    }
  }

  private void releaseAcks(long nowNs) {
    ackFollows = false;
    for (int left = holders.size(); left > 0 && firstAckNs - nowNs <= 0; left--) {
      QpMachine qp = holders.poll();
      if (qp.ackPatience().heldBeyond(nowNs)) {
        holders.add(qp); // it was held anew meanwhile
      } else {
        release(qp, true);
      }
      nextHolder();
    }
  }

  private void nextHolder() {
    if (!holders.isEmpty()) {
      firstAckNs = holders.get(0).ackPatience().untilNs();
    }
  }

  /** Lets every acknowledgement go that is held back. */
  public void releaseAcks() {
    ackFollows = false;
    while (!holders.isEmpty()) {
      release(holders.poll(), false);
    }
  }

  private void release(QpMachine qp, boolean inVain) {
    qp.ackPatience().listed(false);
    if (qp.ackPatience().release(inVain)) {
      activate(qp);
    }
  }

  /**
   * How long an acknowledgement may wait, from now on, after a request that is sent on the same
   * connection; 0, as at first: not at all. For a caller that comes back to take the answer in.
   */
  public void ackPatience(long ns) {
    ackPatienceNs = ns;
  }

  /** After anything happened to a queue pair: those that waited for its path may go on. */
  private void settle(QpMachine qp) {
    PathWindow window = qp.window();
    if (window != null) {
      mayAdmit(window);
    }
    failOverflowed();
  }

  private void mayAdmit(PathWindow window) {
    if (window.mayAdmit()) {
      roomy.add(window);
    }
  }

  /**
   * Lets queue pairs that wait for a path take turns again, a few at a time: thousands may wait,
   * and an acknowledgement makes room for one.
   */
  private void admitWaiting() {
    while (active.size() < ReadAhead.BATCH && !roomy.isEmpty()) {
      QpMachine qp = (QpMachine) roomy.peek().admitNext();
      if (qp == null) {
        roomy.poll();
      } else {
        activate(qp);
      }
    }
  }

  private void failOverflowed() {
    OverflowedQueue cq;
    while ((cq = overflowed.poll()) != null) {
      cq.failUsers(this);
    }
  }

  // ---- outputs

  /**
   * Fills the next train.
   *
   * @return datagrams in it; 0: nothing to send until the next input
   */
  public int pollTransmit(long nowNs, Transmit out) {
    out.clear();
    admitWaiting();
    while (!active.isEmpty() && !out.full()) {
      QpMachine qp = active.get(0);
      readAhead.turns(active);
      switch (qp.transmit(nowNs, out)) {
        case IDLE -> turnOver(qp);
        case BLOCKED -> {
          turnOver(qp);
          awaitRoom(nowNs, qp);
        }
        case FULL -> {
          // Its turn is over; the others come first in the next train.
          turnOver(qp);
          activate(qp);
          return sent(out);
        }
        case SENT -> throw new AssertionError("a turn ends idle, blocked or full");
      }
      failOverflowed();
      admitWaiting();
    }
    return sent(out);
  }

  private void awaitRoom(long nowNs, QpMachine qp) {
    if (!qp.pathShare().isWaiting()) {
      PathWindow window = qp.window();
      window.await(qp.pathShare());
      if (!window.look().isSet()) {
        deadlines.set(window.look(), nowNs + window.watch());
      }
    }
  }

  /** Unless its turn has destroyed or moved it, it is the first. */
  private void turnOver(QpMachine qp) {
    if (!active.isEmpty() && active.get(0) == qp) {
      active.poll();
      qp.active(false);
      readAhead.turnTaken();
    } else {
      retire(qp);
    }
  }

  private void retire(QpMachine qp) {
    active.remove(qp);
    qp.active(false);
    readAhead.forgetTurns();
  }

  private int sent(Transmit out) {
    if (out.segments() > 0) {
      counters.add(Counter.SENT_PACKETS, out.segments());
      counters.add(Counter.SENT_BYTES, out.length());
      counters.increment(Counter.SENT_TRAINS);
    }
    return out.segments();
  }

  /** When {@link #handleTimeout} wants to be called, or {@link Deadlines#NEVER}. */
  public long nextTimeout() {
    if (failure.get() != null) {
      return Deadlines.NEVER;
    }
    long next = deadlines.nextNs();
    return holders.isEmpty() ? next : Deadlines.earlier(next, firstAckNs);
  }

  /** Whether an acknowledgement waits for nothing but the turn after a reply's. */
  public boolean ackFollows() {
    return ackFollows;
  }

  /** Whether an event was delivered since the last call, for which a thread may wait. */
  public boolean takeEventful() {
    return signals.takeEventful();
  }

  /**
   * Engines that were handed something since the last call, as bits by {@link #index}: somebody has
   * to run them. Its owner.
   */
  public int takeRecipients() {
    int bits = recipients;
    recipients = 0;
    return bits;
  }

  /** Readiness hooks that are due, to be run after release. */
  public List<Runnable> takeHooks() {
    return signals.take();
  }

  /** Whether {@link #pollTransmit} may have something. */
  public boolean hasOutput() {
    return !(active.isEmpty() && roomy.isEmpty()) && failure.get() == null;
  }

  // ---- any thread

  /** Whether something was published or handed over and not yet taken note of. */
  public boolean isRung() {
    return doorbells.isRung() || (handedOver != null && handedOver.size() > 0);
  }

  /** Announces published work. */
  public void ring(Doorbell doorbell) {
    doorbells.ring(doorbell);
  }

  /** Takes the engine if it is free; otherwise its holder runs once more. */
  public boolean tryTakeOrMark() {
    return ownership.tryTakeOrMark();
  }

  /** Takes the engine if it is free, and leaves no mark otherwise. */
  public boolean tryTake() {
    return ownership.tryTake();
  }

  /**
   * Gives the engine back; its owner.
   *
   * @return false if work was published meanwhile: the caller still owns it and must run again
   */
  public boolean release() {
    return ownership.release();
  }

  // ---- failure

  /**
   * Something was thrown by an input or output, which is a defect: the state can be trusted no more
   * and the device is given up. Its queue pairs go to ERR and are flushed, its contexts are told by
   * {@link EventType#DEVICE_FATAL}, and from now on {@link #handleDoorbells} alone may be called,
   * which flushes what is posted. Its owner; the first time counts.
   */
  public void fail(Throwable cause) {
    boolean first = failure.set(cause);
    giveUp(cause);
    if (first) {
      device.failed(this);
    }
  }

  /** After a {@linkplain #failure failure} of this engine or of another one; its owner. */
  public void giveUp(Throwable cause) {
    if (givenUp) {
      return;
    }
    givenUp = true;
    overflowed.clear();
    for (QpMachine qp : queuePairs.slots().clone()) {
      if (qp != null && qp.state() != QpState.RESET) {
        try {
          qp.enterError(null);
        } catch (RuntimeException | Error e) {
          cause.addSuppressed(e); // its own state may be what is broken; the others come next
        }
      }
    }
    signals.event(null); // those that wait need not wait any more
  }

  /** What was thrown, here or in another engine of the device, or null; any thread. */
  public Throwable failure() {
    return failure.get();
  }

  /**
   * @throws VerbsException ENODEV if the device has failed: nothing is made or changed any more,
   *     only closed; any thread
   */
  public void requireSound() {
    device.requireSound();
  }

  // ---- what queue pairs and handles need

  @Override
  public DeadlineHeap deadlines() {
    return deadlines;
  }

  @Override
  public Counters counters() {
    return counters;
  }

  @Override
  public EngineTrace trace() {
    return trace;
  }

  @Override
  public DeviceFacts device() {
    return device;
  }

  @Override
  public Path hold(Path path) {
    windows.hold(remote(path));
    deadlines.reserve(queuePairs.size() + windows.size());
    return device.paths().hold(path);
  }

  @Override
  public PathWindow window(Path path) {
    return windows.get(remote(path));
  }

  @Override
  public void release(Path path) {
    device.paths().release(path);
    PathWindow window = window(path);
    if (windows.release(remote(path))) {
      assert givenUp || window.isEmpty() : "in flight of nobody";
      deadlines.cancel(window.look());
    }
  }

  private static Gid remote(Path path) {
    return new Gid(path.remoteHigh(), path.remoteLow());
  }

  @Override
  public void leavePath(QpMachine qp) {
    PathWindow window = qp.window();
    if (window != null) {
      window.forget(qp.pathShare());
      mayAdmit(window);
    }
  }

  @Override
  public void activate(QpMachine qp) {
    if (!qp.isActive()) {
      qp.active(true);
      active.add(qp);
    }
  }

  @Override
  public long ackPatienceNs() {
    return ackPatienceNs;
  }

  @Override
  public void ackHeld(QpMachine qp) {
    ackFollows |= !qp.ackPatience().hopes();
    if (!qp.ackPatience().listed()) {
      qp.ackPatience().listed(true);
      holders.add(qp);
    } else if (holders.get(0) == qp) {
      holders.add(holders.poll());
    }
    nextHolder();
  }

  public ReadySignals signals() {
    return signals;
  }

  public QpTable queuePairs() {
    return queuePairs;
  }

  public MulticastTable multicast() {
    return multicast;
  }

  /** A new queue pair, for which there is room everywhere before packets flow. */
  public void add(QpMachine qp) {
    queuePairs.add(qp);
    active.reserve(queuePairs.size());
    holders.reserve(queuePairs.size());
    deadlines.reserve(queuePairs.size());
  }

  /** The queue pair is gone: nothing of it stays in the engine. */
  public void remove(QpMachine qp) {
    qp.forget();
    if (qp.isActive()) {
      retire(qp);
    }
    if (qp.ackPatience().listed()) {
      holders.remove(qp);
      qp.ackPatience().listed(false);
    }
    queuePairs.remove(qp);
  }

  /** A completion found no room; dealt with when the current packet is done. */
  public void overflowed(OverflowedQueue cq) {
    overflowed.add(cq);
  }
}
