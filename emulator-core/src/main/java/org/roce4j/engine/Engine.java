package org.roce4j.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.roce4j.engine.cm.ConnectionManager;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.qp.AckHolding;
import org.roce4j.engine.qp.DeviceFacts;
import org.roce4j.engine.qp.QpHost;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.qp.RequestHolding;
import org.roce4j.engine.queue.DoorbellList;
import org.roce4j.engine.queue.DoorbellList.Doorbell;
import org.roce4j.engine.queue.OwnershipWord;
import org.roce4j.engine.queue.PublishedFailure;
import org.roce4j.engine.queue.ReadySignals;
import org.roce4j.engine.time.Deadline;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.mad.Mad;

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

  /** What all engines of the device share, and the engines beside this one. */
  private final SharedDevice device;

  /** What the low bits of this engine's queue pair numbers say. */
  private final int index;

  private final Counters counters = new Counters();
  private final EngineTrace trace;

  /** Which thread runs the engine, if any. */
  private final OwnershipWord ownership = new OwnershipWord();

  /** Queue pairs with published work that no turn has taken note of; any thread adds. */
  private final DoorbellList doorbells = new DoorbellList();

  /** One deadline per queue pair with a timer, and one per path window with waiting queue pairs. */
  private final DeadlineHeap deadlines = new DeadlineHeap();

  private final PathWindows windows;

  /** Queue pairs by number. */
  private final QpTable queuePairs;

  /** Queue pairs by multicast group. */
  private final MulticastTable multicast = new MulticastTable();

  private final PacketRouter router;

  /** Queue pair 1; null in engines whose queue pairs' numbers end otherwise. */
  private final GeneralServices generalServices;

  private final ReadAhead readAhead = new ReadAhead();

  /** Queue pairs that may have something to send, in the order of their turns. */
  private final ActiveRing active = new ActiveRing(readAhead);

  private final AckHolding acks = new AckHolding();
  private final RequestHolding holding;

  /** Completion queues that have lost a completion; their queue pairs fail after the packet. */
  private final ArrayDeque<OverflowedQueue> overflowed = new ArrayDeque<>();

  /** What waiting threads and readiness hooks are to be told when the engine is released. */
  private final ReadySignals signals = new ReadySignals();

  /** What an input or output has thrown, here or in another engine of the device. */
  private final PublishedFailure failure;

  /** What makes it run. */
  private Progress drive;

  /** Whether the queue pairs were flushed after a failure. */
  private boolean givenUp;

  /** What is handed from engine to engine; null: there is no other. */
  private final Handover handover;

  /**
   * @param index what the last bits of its queue pairs' numbers say
   */
  public Engine(SharedDevice device, int index, EngineTrace trace) {
    this.device = device;
    this.index = index;
    this.trace = trace;
    failure = device.failure();
    windows = new PathWindows(deadlines, device.paths(), device.pathWindowBytes());
    holding = new RequestHolding(device.maxHeldRequests(), counters);
    handover =
        device.engineCount() == 1
            ? null
            : new Handover(
                index, device.engineCount(), i -> device.engine(i).handover, multicast, counters);
    queuePairs = new QpTable(device.random(), index, device.engineCount());
    generalServices =
        device.engineIndexOf(Mad.QPN) == index
            ? new GeneralServices(device, device.random(), counters, deadlines)
            : null;
    router = new PacketRouter(device, queuePairs, multicast, generalServices, counters, trace);
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
    if (handover == null || !inbound.icrc().acceptable() || handover.keeps(inbound)) {
      accept(nowNs, inbound);
    }
  }

  private void accept(long nowNs, Inbound inbound) {
    router.route(nowNs, inbound);
    failOverflowed();
  }

  /**
   * Takes up published work, {@linkplain #hold held} requests included, and what other engines have
   * handed over.
   */
  public void handleDoorbells(long nowNs) {
    holding.end();
    if (handover != null && failure.get() == null) {
      for (int left = handover.size(); left > 0; left--) {
        accept(nowNs, handover.first());
        handover.retire();
      }
    }
    Doorbell doorbell = doorbells.takeAll();
    while (doorbell != null) {
      Doorbell next = doorbell.next();
      doorbell.answer();
      doorbell.rung();
      failOverflowed();
      doorbell = next;
    }
  }

  /**
   * Published work may wait for more of its kind, until the next {@link #handleDoorbells}; {@link
   * #nextTimeout} and {@link #heldTooLong} say when that is due.
   */
  public void hold(long nowNs) {
    holding.begin(nowNs);
  }

  /** Runs every timer that is due. */
  public void handleTimeout(long nowNs) {
    acks.releaseDue(nowNs);
    for (Deadline due = deadlines.pollDue(nowNs); due != null; due = deadlines.pollDue(nowNs)) {
      due.owner().handleTimeout(nowNs);
      failOverflowed();
    }
  }

  private void failOverflowed() {
    OverflowedQueue cq;
    while ((cq = overflowed.poll()) != null) {
      cq.failUsers(this);
    }
  }

  /**
   * Says whether the thread that runs the engine polls again at once. While it does, an
   * acknowledgement may wait for a moment after a reply. Initially it does not.
   */
  public void callerReturns(boolean returns) {
    acks.callerReturns(returns);
  }

  /** No acknowledgement is held back any longer. */
  public void releaseAcks() {
    acks.releaseAll();
  }

  // ---- outputs

  /**
   * Fills the next train.
   *
   * @return datagrams in it; 0: nothing to send until the next input
   */
  public int pollTransmit(long nowNs, Transmit out) {
    out.clear();
    if (generalServices != null && generalServices.hasOutput()) {
      generalServices.transmit(out);
      return sent(out);
    }
    windows.admitWaiting(active);
    while (!active.isEmpty() && !out.full()) {
      QpMachine qp = active.get(0);
      readAhead.turns(active);
      switch (qp.transmit(nowNs, out)) {
        case IDLE -> active.turnOver(qp);
        case BLOCKED -> {
          active.turnOver(qp);
          windows.await(qp.window(), qp.pathShare(), nowNs);
        }
        case FULL -> {
          // Its turn is over; the others come first in the next train.
          active.turnOver(qp);
          active.activate(qp);
          return sent(out);
        }
        case SENT -> throw new AssertionError("a turn ends idle, blocked or full");
      }
      failOverflowed();
      windows.admitWaiting(active);
    }
    return sent(out);
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
    return Deadlines.earlier(
        Deadlines.earlier(deadlines.nextNs(), acks.deadlineNs()), holding.deadlineNs());
  }

  /**
   * Whether an acknowledgement is due in the turn after its reply's, and waits for nothing else.
   */
  public boolean ackFollows() {
    return acks.follows();
  }

  /** Whether held work must leave now, because of what came in. */
  public boolean heldTooLong() {
    return holding.overdue();
  }

  /** When held work must leave at the latest, or {@link Deadlines#NEVER}. */
  public long heldUntilNs() {
    return holding.deadlineNs();
  }

  /**
   * The engines that were handed a datagram since the last call, as bits by {@link #index}; the
   * caller must have them run. For the engine's owner.
   */
  public int takeRecipients() {
    return handover == null ? 0 : handover.takeRecipients();
  }

  /** Whether an event was delivered since the last call, for which a thread may wait. */
  public boolean takeEventful() {
    return signals.takeEventful();
  }

  /** Readiness hooks that are due, to be run after release. */
  public List<Runnable> takeHooks() {
    return signals.take();
  }

  /** Whether {@link #pollTransmit} may have something. */
  public boolean hasOutput() {
    return (!active.isEmpty()
            || windows.mayAdmit()
            || generalServices != null && generalServices.hasOutput())
        && failure.get() == null;
  }

  // ---- any thread

  /** Whether something was published or handed over and not yet taken note of. */
  public boolean isRung() {
    return doorbells.isRung() || (handover != null && handover.size() > 0);
  }

  /**
   * Announces published work.
   *
   * @return whether it was not announced before
   */
  public boolean ring(Doorbell doorbell) {
    return doorbells.ring(doorbell);
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
    queuePairs.failAll(cause);
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
  public HeldPath hold(Path path) {
    deadlines.reserve(queuePairs.size() + windows.size() + 1);
    return windows.hold(path);
  }

  @Override
  public void release(Path path, PathWindow window) {
    windows.release(path, window, givenUp);
  }

  @Override
  public void leavePath(QpMachine qp) {
    windows.leave(qp.window(), qp.pathShare());
  }

  @Override
  public void roomMade(PathWindow window) {
    windows.roomMade(window);
  }

  @Override
  public void activate(QpMachine qp) {
    active.activate(qp);
  }

  @Override
  public AckHolding acks() {
    return acks;
  }

  /** The device's connection manager; of the engine that has queue pair 1. */
  public ConnectionManager connectionManager() {
    return generalServices.manager();
  }

  @Override
  public RequestHolding holding() {
    return holding;
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
    deadlines.reserve(queuePairs.size());
  }

  /** The queue pair is gone: nothing of it stays in the engine. */
  public void remove(QpMachine qp) {
    qp.forget();
    active.retire(qp);
    queuePairs.remove(qp);
  }

  /** A completion found no room; dealt with when the current packet is done. */
  public void overflowed(OverflowedQueue cq) {
    overflowed.add(cq);
  }
}
