package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.qp.QpParts;
import org.roce4j.engine.qp.RequestHolding;
import org.roce4j.engine.queue.EventQueue;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.CreatedQueuePair;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.WorkRequestBuilder;

/** An application's handle of a queue pair. */
final class EmulatedQueuePair extends EmulatedObject implements CreatedQueuePair, CompletionUser {
  /** The result of {@link #publish} if no request may wait. */
  private static final long URGENT = -1;

  /** Nothing was posted, because the queue is full. */
  private static final long FULL = PostResult.of(Errno.ENOMEM, 0);

  // The fields that posting needs come first, so that they share a cache line.
  private final SendQueue sendQueue;
  private final QpMachine machine;
  private final Engine engine;
  private final QpType type;
  private final EmulatedSharedReceiveQueue srq;
  private final ReceiveQueue receiveQueue;
  private final EmulatedDomain pd;
  private final EmulatedCompletionQueue sendCq;
  private final EmulatedCompletionQueue recvCq;
  private final QpInitAttr created;
  private final List<Engine> engines;
  private final QpCapabilities cap;
  private final GroupAttachments groups;
  private final EmulatedWorkRequestBuilder builder;
  private final EventQueue.Source asyncSource = EventQueue.Source.of(this);

  private EmulatedQueuePair(EmulatedDomain pd, QpInitAttr attr, QpCapabilities cap) {
    super(pd.objects, ObjectKind.QUEUE_PAIR);
    this.pd = pd;
    this.cap = cap;
    sendCq = (EmulatedCompletionQueue) attr.sendCq();
    type = attr.qpType();
    boolean initiates = type == QpType.XRC_SEND;
    recvCq = initiates ? null : (EmulatedCompletionQueue) attr.recvCq();
    srq = (EmulatedSharedReceiveQueue) attr.srq();
    created = attr.copy().pd(pd).recvCq(recvCq).cap(cap);
    engine = chosenEngine();
    engines = List.of(engine);
    sendQueue = sendQueue(device, cap, initiates);
    receiveQueue = srq == null ? new ReceiveQueue(cap.maxRecvWr(), cap.maxRecvSge()) : null;
    machine =
        new QpMachine(
            engine,
            new QpParts(
                this::raise,
                engine.queuePairs().freshNumber(),
                type,
                sendQueue,
                srq == null ? new OwnReceiveQueue(receiveQueue, pd.domain) : srq,
                srq == null ? cap.maxRecvSge() : srq.maxSge(),
                sendCq.ring(),
                initiates ? sendCq.ring() : recvCq.ring(),
                device.keys(),
                pd.domain,
                attr.sqSigAll(),
                null));
    groups = new GroupAttachments(device, engine, machine, attr.createFlags());
    builder =
        attr.sendOps() == 0
            ? null
            : new EmulatedWorkRequestBuilder(this, sendQueue, attr.sendOps());
  }

  private static SendQueue sendQueue(Device device, QpCapabilities cap, boolean extended) {
    int requests = cap.maxSendWr();
    return extended
        ? SendQueue.extended(
            requests, cap.maxSendSge(), cap.maxInlineData(), device::copyInlineData)
        : new SendQueue(requests, cap.maxSendSge(), cap.maxInlineData(), device::copyInlineData);
  }

  @Override
  void enter() {
    pd.domain.joined();
    try {
      if (srq != null) {
        srq.joined(this, engine);
      }
      engine.add(machine);
      groups.enter();
      sendCq.joined(this);
      if (recvCq != null) {
        recvCq.joined(this);
      }
    } catch (OutOfMemoryError e) {
      destroy();
      throw e;
    }
  }

  /** The engine of the queue pair: a shared receive queue has only one consuming engine. */
  private Engine chosenEngine() {
    return srq != null && srq.engine() != null ? srq.engine() : sendCq.engine();
  }

  @Override
  public List<Engine> engines() {
    return engines;
  }

  /** Checks the attributes, then creates. For the owner of all engines. */
  static EmulatedQueuePair create(EmulatedDomain pd, QpInitAttr attr) {
    RequiredArgument.check(attr.qpType(), "qp_type");
    return new EmulatedQueuePair(pd, attr, new QueuePairChecks(pd.objects).check(attr));
  }

  @Override
  public QpInitAttr created() {
    return created;
  }

  @Override
  public int qpNum() {
    return machine.qpNum();
  }

  @Override
  public QpState state() {
    requireNotDestroyed();
    return machine.state();
  }

  @Override
  public void modify(QpAttr attr, int mask) {
    RequiredArgument.check(attr, "attr");
    whileOpen(
        () -> {
          groups.move(
              portAfter(attr, mask),
              () -> ContextObjects.withMemory(() -> machine.modify(attr, mask)));
          if (machine.state() == QpState.RESET) {
            forgetCompletions();
          }
        });
  }

  /** The port to which a modify binds the queue pair, unless it is refused. */
  private int portAfter(QpAttr attr, int mask) {
    boolean given = (mask & QpAttrMask.PORT) != 0;
    boolean known = attr.portNum() >= 1 && attr.portNum() <= device.ports();
    return given && known ? attr.portNum() : groups.port();
  }

  /** Removes the completions that were not polled. For the owner of all engines. */
  private void forgetCompletions() {
    sendCq.ring().purge(machine.qpNum());
    if (recvCq != null) {
      recvCq.ring().purge(machine.qpNum());
    }
  }

  @Override
  public void modifyRateLimit(QpRateLimitAttr attr) {
    ExtendedAttributes.check(RequiredArgument.check(attr, "attr"));
    whileOpen(() -> machine.rateLimit(attr));
  }

  @Override
  public QpAttr query() {
    return whileOpen(machine::query).cap(cap);
  }

  // ---- posting

  @Override
  public long postSend(MemorySegment view, long firstWr) {
    RequiredArgument.check(view, "view");
    RequestTrace observed = RequestTrace.of(engine);
    long result = append(view, firstWr);
    if (observed != null) {
      observed.sends(qpNum(), view, firstWr, result);
    }
    return result;
  }

  private long append(MemorySegment view, long firstWr) {
    // Read here too, so that the cache misses of state and queue overlap.
    if (!maySend(machine.state())) {
      return PostResult.of(Errno.EINVAL, 0);
    }
    long result;
    long end;
    sendQueue.lock();
    try {
      if (!maySend(machine.state())) {
        return PostResult.of(Errno.EINVAL, 0);
      }
      result = SendPosting.post(this, sendQueue, view, firstWr);
    } finally {
      end = publish();
      sendQueue.unlock();
    }
    if (result == FULL) {
      awaitRoom();
    } else {
      ring(end);
    }
    return result;
  }

  /**
   * Publishes the filled slots. Called under the lock. Returns the end of the requests that may
   * wait, or {@link #URGENT}.
   */
  long publish() {
    boolean patient = sendQueue.takePatience();
    sendQueue.publish();
    return patient ? sendQueue.filledEnd() : URGENT;
  }

  /**
   * A post found the queue full. The program may repeat the post until another thread has polled;
   * therefore, like a poll that finds nothing, it gives the engine a chance to run.
   */
  void awaitRoom() {
    engine.drive().advance();
  }

  /** Informs the engine of the published requests. Called without the lock. */
  void ring(long end) {
    boolean first = engine.ring(machine);
    if (end == URGENT || !machine.mayWait(end)) {
      engine.drive().doorbell();
    } else if (first || RequestHolding.looksAtClock(end)) {
      engine.drive().hold();
    }
  }

  @Override
  public WorkRequestBuilder builder() {
    requireNotDestroyed();
    return builder == null ? CreatedQueuePair.super.builder() : builder;
  }

  /** A trace for the next batch of requests; null if requests are not traced. */
  RequestTrace observed() {
    return RequestTrace.of(engine);
  }

  /** Whether its state accepts send requests; checked again under the send queue's lock. */
  boolean maySend() {
    return maySend(machine.state());
  }

  private static boolean maySend(QpState state) {
    return state == QpState.RTS
        || state == QpState.SQD
        || state == QpState.SQE
        || state == QpState.ERR;
  }

  private void ring() {
    engine.ring(machine);
    engine.drive().doorbell();
  }

  @Override
  public long postRecv(MemorySegment view, long firstWr) {
    RequiredArgument.check(view, "view");
    if (srq != null || type == QpType.XRC_SEND || machine.state() == QpState.RESET) {
      return PostResult.of(Errno.EINVAL, 0);
    }
    RequestTrace observed = RequestTrace.of(engine);
    long result = ReceivePosting.post(receiveQueue, view, firstWr);
    if (result == FULL) {
      awaitRoom();
    }
    if (observed != null) {
      observed.receives(qpNum(), view, firstWr, result);
    }
    if (machine.stateAfterPublishing() == QpState.ERR) {
      ring(); // to be flushed
    }
    return result;
  }

  @Override
  public void bindMemoryWindow(
      MemoryWindow window,
      long wrId,
      int sendFlags,
      MemoryRegion region,
      long address,
      long length,
      int accessFlags) {
    requireOpen();
    new BindPosting(this, device, sendQueue, this::maySend)
        .post(window, wrId, sendFlags, region, address, length, accessFlags);
    ring();
  }

  @Override
  public String toString() {
    return describe();
  }

  /** The limit of outstanding READ and atomic requests; 0: none can be posted. */
  int maxRdAtomic() {
    return machine.maxRdAtomic();
  }

  /** The port to which it is bound; 0: none yet. */
  int port() {
    return machine.peer().port();
  }

  // ---- multicast

  @Override
  public void attachMulticast(Gid group) {
    groups.check(group);
    whileOpen(() -> groups.attach(group));
  }

  @Override
  public void detachMulticast(Gid group) {
    RequiredArgument.check(group, "group");
    whileOpen(() -> groups.detach(group));
  }

  // ---- events and destruction

  @Override
  public void queueFailed(Engine by) {
    if (engine != by) {
      machine.requestFailure();
      engine.ring(machine);
      by.signals().event(engine.drive()::doorbell);
    } else if (machine.state() != QpState.RESET) {
      machine.enterError(EventType.QP_FATAL);
    }
  }

  void raise(EventType type) {
    engine.signals().event(objects.events().raise(asyncSource, type));
  }

  @Override
  BooleanSupplier settled() {
    return () -> objects.events().settled(asyncSource);
  }

  @Override
  void refuseEarly() {
    device.progress().exclusively(() -> groups.requireNone(this));
  }

  @Override
  void destroy() {
    groups.detachAll();
    engine.remove(machine);
    machine.retired();
    forgetCompletions();
    objects.events().discard(asyncSource);
    sendCq.left(this);
    if (recvCq != null) {
      recvCq.left(this);
    }
    if (srq != null) {
      srq.left(this);
    }
    pd.domain.left();
  }
}
