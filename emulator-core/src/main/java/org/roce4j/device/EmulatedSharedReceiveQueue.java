package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.queue.EventQueue;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.engine.responder.ReceiveSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;

sealed class EmulatedSharedReceiveQueue extends EmulatedObject
    implements SharedReceiveQueue, ReceiveSource permits EmulatedXrcReceiveQueue {
  private final EmulatedDomain pd;
  private final Object userContext;

  /** The queue of receive requests; an empty one after a failure. */
  private volatile ReceiveQueue queue;

  private final int maxSge;
  private final EventQueue.Source asyncSource = EventQueue.Source.of(this);

  private volatile boolean failed;
  private final Set<CompletionUser> users = new LinkedHashSet<>();

  /** The engine of the queue pairs that use it, because its queue has one consumer. */
  private Engine engine;

  EmulatedSharedReceiveQueue(EmulatedDomain pd, SrqInitAttr attr) {
    super(pd.objects, ObjectKind.SHARED_RECEIVE_QUEUE);
    this.pd = pd;
    userContext = attr.userContext();
    maxSge = Math.max(1, attr.maxSge());
    queue = new ReceiveQueue(attr.maxWr(), maxSge);
  }

  @Override
  void enter() {
    device.counts().add(Limit.MAX_SRQ);
    pd.domain.joined();
  }

  int maxSge() {
    return maxSge;
  }

  /** The engine to which a queue pair must belong to use it; null: any. */
  Engine engine() {
    return users.isEmpty() ? null : engine;
  }

  /** Adds a queue pair that receives from it; {@link #left} follows also if memory runs out. */
  void joined(CompletionUser user, Engine by) {
    users.add(user);
    engine = by;
  }

  void left(CompletionUser user) {
    users.remove(user);
  }

  @Override
  public ProtectionDomain pd() {
    return pd;
  }

  @Override
  public Object userContext() {
    return userContext;
  }

  @Override
  public int srqNum() {
    requireNotDestroyed();
    return SharedReceiveQueue.super.srqNum();
  }

  @Override
  public void postOps(long firstOp) {
    requireNotDestroyed();
    SharedReceiveQueue.super.postOps(firstOp);
  }

  @Override
  public SrqAttr query() {
    return whileOpen(() -> new SrqAttr(queue.capacity(), maxSge, queue.watched()));
  }

  @Override
  public void modify(SrqAttr attr, int mask) {
    RequiredArgument.check(attr, "attr");
    if ((mask & ~(SrqAttrMask.MAX_WR | SrqAttrMask.LIMIT)) != 0) {
      throw Errno.EINVAL.refusal("attr_mask must be of MAX_WR (1) and LIMIT (2), not 0x%x", mask);
    }
    whileOpen(
        () -> {
          requireWorking();
          boolean resize = (mask & SrqAttrMask.MAX_WR) != 0;
          int capacity = resize ? attr.maxWr() : queue.capacity();
          int armed = (mask & SrqAttrMask.LIMIT) != 0 ? attr.limit() : queue.watched();
          RequiredArgument.checkRange(capacity, 1, device.limit(Limit.MAX_SRQ_WR), "max_wr");
          RequiredArgument.checkRange(armed, 0, capacity, "limit");
          if (resize && !queue.limit(capacity)) {
            throw Errno.EINVAL.refusal(
                "max_wr %d is less than the %d that are posted", capacity, queue.size());
          }
          queue.watch(armed);
          // If fewer requests than the new limit are posted already, the event is due now.
          tellIfFew(engine == null ? device.engine(0) : engine);
        });
  }

  @Override
  public long postRecv(MemorySegment view, long firstWr) {
    RequiredArgument.check(view, "view");
    if (isClosed() || failed) {
      return PostResult.of(failed ? Errno.EIO : Errno.EINVAL, 0);
    }
    return ReceivePosting.post(queue, view, firstWr);
  }

  @Override
  public String toString() {
    return describe();
  }

  // ---- for the engine's owner

  @Override
  public Domain domain() {
    return pd.domain;
  }

  @Override
  public ReceiveQueue queue() {
    return queue;
  }

  @Override
  public boolean shared() {
    return true;
  }

  @Override
  public void taken(int byQp) {
    tellIfFew(device.engineOf(byQp));
  }

  /**
   * Fails the queue (SRQ_ERR): no request is taken from it or posted to it any more. For the owner
   * of all engines.
   */
  final void fail() {
    if (!failed) {
      failed = true;
      queue = new ReceiveQueue(queue.capacity(), maxSge);
      raise(engine == null ? device.engine(0) : engine, EventType.SRQ_ERR);
      users.forEach(user -> user.queueFailed(engine));
    }
  }

  /** Refuses a call that needs a queue without failure. */
  final void requireWorking() {
    requireOpen();
    if (failed) {
      throw Errno.EIO.refusal("the shared receive queue has failed: destroy it, and make another");
    }
  }

  /** Whether it has failed and gives out no receive requests. */
  public boolean failed() {
    return failed;
  }

  private void tellIfFew(Engine by) {
    if (queue.fellBelowWatched()) {
      raise(by, EventType.SRQ_LIMIT_REACHED);
    }
  }

  final void raise(Engine by, EventType type) {
    by.signals().event(objects.events().raise(asyncSource, type));
  }

  @Override
  BooleanSupplier settled() {
    return () -> objects.events().settled(asyncSource);
  }

  @Override
  boolean isUsed() {
    return !users.isEmpty();
  }

  @Override
  void destroy() {
    checkDestroyable();
    objects.events().discard(asyncSource);
    device.counts().remove(Limit.MAX_SRQ);
    pd.domain.left();
  }
}
