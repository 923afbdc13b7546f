package org.roce4j.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.roce4j.engine.cm.ConnectionManager;
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
 *   <li>outputs: {@link #pollTransmit} until it returns 0, then {@link #nextTimeout}; before it
 *       {@link #pollReply} if a peer waits;
 *   <li>control verbs, which the {@code Emulated} handles call through {@link Progress};
 *   <li>getters.
 * </ul>
 *
 * Completions leave through rings, events through the context's queue, hooks through {@link
 * #takeHooks}.
 */
public final class Engine implements QpHost {

  /** The state that all engines of the device share, and the other engines. */
  private final SharedDevice device;

  /** The index of this engine, which is the value of the low bits of its queue pair numbers. */
  private final int index;

  private final Counters counters = new Counters();
  private final EngineTrace trace;

  /** The ownership word, which says whether a thread runs the engine. */
  private final OwnershipWord ownership = new OwnershipWord();

  /** The queue pairs with published work that no turn has handled yet. Any thread may add to it. */
  private final DoorbellList doorbells = new DoorbellList();

  /** The timers of queue pairs, and the checks of path windows with waiting queue pairs. */
  private final DeadlineHeap deadlines = new DeadlineHeap();

  private final PathWindows windows;

  /** The queue pairs by number. */
  private final QpTable queuePairs;

  /** The queue pairs by multicast group. */
  private final MulticastTable multicast = new MulticastTable();

  private final PacketRouter router;

  /** Queue pair 1; null in engines whose index is not 1 modulo the number of engines. */
  private final GeneralServices generalServices;

  private final ReadAhead readAhead = new ReadAhead();

  /** The queue pairs that may have something to send, in the order of their turns. */
  private final ActiveRing active = new ActiveRing(readAhead);

  private final Trains trains;
  private final AckHolding acks = new AckHolding();
  private final RequestHolding holding;

  /** Completion queues that have lost a completion; their queue pairs fail after the packet. */
  private final ArrayDeque<OverflowedQueue> overflowed = new ArrayDeque<>();

  /** The signals for waiting threads and readiness hooks, sent when the engine is released. */
  private final ReadySignals signals = new ReadySignals();

  /** The exception of an input or output of any engine of the device. */
  private final PublishedFailure failure;

  /** What makes it run. */
  private Progress drive;

  /** Whether a queue pair had a rate limit or received marked packets. */
  private boolean needsTime;

  /** Whether the queue pairs were flushed after a failure. */
  private boolean givenUp;

  /** The datagrams handed from engine to engine; null if the device has one engine. */
  private final Handover handover;

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
    trains =
        new Trains(active, readAhead, windows, generalServices, counters, this::failOverflowed);
    router = new PacketRouter(device, queuePairs, multicast, generalServices, counters, trace);
  }

  /** Whether TOS and TTL of every datagram are read; it may be for another engine. */
  public boolean readsNetworkFields() {
    return device.readsNetworkFields();
  }

  /** The index of this engine: the value of the low bits of its queue pair numbers. */
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
   * Announces a train, whose datagrams follow one by one. Changes nothing.
   *
   * @param at index of the first BTH
   * @param segmentSize bytes of every datagram except the last
   * @param length bytes of the whole train, not yet checked
   */
  public void expectTrain(ByteBuffer buffer, int at, int segmentSize, int length) {
    readAhead.arriving(queuePairs, buffer, at, segmentSize, length);
  }

  /**
   * Handles a received datagram, whatever its bytes are: it is processed, or counted and dropped. A
   * datagram for a queue pair of another engine is handed over; {@link #takeRecipients} then
   * returns that engine.
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
   * Starts the work that was published, including {@linkplain #hold held} requests, and the
   * datagrams that other engines have handed over.
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
   * Holds published requests, so that later ones can leave in the same train, until the next {@link
   * #handleDoorbells}. {@link #nextTimeout} tells when that call is due. Does nothing if another
   * thread has run the engine since they were published.
   */
  public void hold(long nowNs) {
    if (isRung()) {
      holding.begin(nowNs);
    }
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
   * Sets whether the thread that runs the engine polls again at once. While it does, an
   * acknowledgement may be delayed after a reply. Initially false.
   */
  public void callerReturns(boolean returns) {
    acks.callerReturns(returns);
  }

  /** Stops delaying acknowledgements. */
  public void releaseAcks() {
    acks.releaseAll();
  }

  // ---- outputs

  /**
   * Fills the next train.
   *
   * @return the number of datagrams in it; 0: nothing to send until the next input
   */
  public int pollTransmit(long nowNs, Transmit out) {
    int datagrams = trains.fill(nowNs, out);
    trains.left(nowNs);
    return datagrams;
  }

  /**
   * As {@link #pollTransmit}, if a peer waits for the train: timers start in the next {@link
   * #pollTransmit}, which must follow when it has left. Not if it {@link #needsTime}; the time may
   * be old.
   */
  public int pollReply(long nowNs, Transmit out) {
    return trains.fill(nowNs, out);
  }

  /**
   * Whether the time decides what is sent: a queue pair had a rate limit or received marked
   * packets, or other engines hand datagrams over.
   */
  public boolean needsTime() {
    return needsTime || handover != null;
  }

  /** The deadline of the next {@link #handleTimeout}; {@link Deadlines#NEVER} if there is none. */
  public long nextTimeout() {
    if (failure.get() != null) {
      return Deadlines.NEVER;
    }
    return Deadlines.earlier(
        Deadlines.earlier(deadlines.nextNs(), acks.deadlineNs()), holding.deadlineNs());
  }

  /** Whether an acknowledgement waits only for the turn after that of its reply. */
  public boolean ackFollows() {
    return acks.follows();
  }

  /** The deadline of held requests; {@link Deadlines#NEVER} if there is none. */
  public long heldUntilNs() {
    return holding.deadlineNs();
  }

  /** The engines to which datagrams were handed over, as bits by {@link #index}; they must run. */
  public int takeRecipients() {
    return handover == null ? 0 : handover.takeRecipients();
  }

  /** Whether an event for which a thread may wait was delivered since the last call. */
  public boolean takeEventful() {
    return signals.takeEventful();
  }

  /** The readiness hooks that are due. They are run after the engine is released. */
  public List<Runnable> takeHooks() {
    return signals.take();
  }

  /** Whether {@link #pollTransmit} may have something to send. */
  public boolean hasOutput() {
    return trains.mayFill() && failure.get() == null;
  }

  // ---- any thread

  /** Whether there is published work, or a datagram handed over, that no turn has handled yet. */
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

  /** Takes the engine if it is free; otherwise makes its holder take another turn. */
  public boolean tryTakeOrMark() {
    return ownership.tryTakeOrMark();
  }

  /** Takes the engine if it is free. Does not mark it otherwise. */
  public boolean tryTake() {
    return ownership.tryTake();
  }

  /**
   * Releases the engine. For its owner.
   *
   * @return false if work was published meanwhile: the caller still owns the engine and must take
   *     another turn
   */
  public boolean release() {
    return ownership.release();
  }

  // ---- failure

  /**
   * An input or output has thrown an exception. This is a defect: the engine's state is unreliable,
   * so the device fails. The queue pairs go to ERR and are flushed, the contexts get {@link
   * EventType#DEVICE_FATAL}, and from now on only {@link #handleDoorbells} may be called, which
   * flushes requests that are still posted. Only the first call has an effect. For the engine's
   * owner.
   */
  public void fail(Throwable cause) {
    boolean first = failure.set(cause);
    giveUp(cause);
    if (first) {
      device.failed(this);
    }
  }

  /** Flushes the queue pairs after a {@linkplain #failure failure} of any engine of the device. */
  public void giveUp(Throwable cause) {
    if (givenUp) {
      return;
    }
    givenUp = true;
    overflowed.clear();
    queuePairs.failAll(cause);
    signals.event(null); // the threads that wait would wait in vain
  }

  /** The exception of an input or output of any engine of the device; null: none. Any thread. */
  public Throwable failure() {
    return failure.get();
  }

  /**
   * Refuses to make or change objects of a failed device, which can only be closed. Any thread.
   *
   * @throws VerbsException ENODEV if the device has failed
   */
  public void requireSound() {
    device.requireSound();
  }

  // ---- for queue pairs and handles

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
    windows.leave(qp.peer().window(), qp.peer().share());
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
  public void departs(QpMachine qp) {
    trains.departs(qp);
  }

  @Override
  public void needTime() {
    needsTime = true;
  }

  @Override
  public AckHolding acks() {
    return acks;
  }

  /** The device's connection manager. Only for the engine that has queue pair 1. */
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

  /** Adds a queue pair and makes room for it, so that nothing is allocated while packets flow. */
  public void add(QpMachine qp) {
    queuePairs.add(qp);
    active.reserve(queuePairs.size());
    deadlines.reserve(queuePairs.size());
  }

  /** Removes a destroyed queue pair from every table. */
  public void remove(QpMachine qp) {
    qp.forget();
    active.retire(qp);
    queuePairs.remove(qp);
  }

  /** A completion queue has lost a completion: its queue pairs fail after the current packet. */
  public void overflowed(OverflowedQueue cq) {
    overflowed.add(cq);
  }
}
