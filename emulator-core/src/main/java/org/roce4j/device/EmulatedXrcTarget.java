package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.queue.EventQueue;
import org.roce4j.verbs.CreatedQueuePair;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkRequestBuilder;

/**
 * An application's handle of an XRC target queue pair, which has no queues, protection domain or
 * completion queue.
 */
final class EmulatedXrcTarget extends EmulatedObject implements CreatedQueuePair, XrcTarget.Handle {
  private static final QpCapabilities NO_QUEUES = new QpCapabilities(0, 0, 0, 0, 0);

  private final EmulatedXrcDomain xrcd;
  private final XrcTarget target;
  private final QpInitAttr created;
  private final EventQueue.Source asyncSource = EventQueue.Source.of(this);

  private EmulatedXrcTarget(EmulatedXrcDomain xrcd, XrcTarget target, Object userContext) {
    super(xrcd.objects, ObjectKind.QUEUE_PAIR);
    this.xrcd = xrcd;
    this.target = target;
    created =
        new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd).userContext(userContext).cap(NO_QUEUES);
  }

  /** A handle of a new queue pair. For the owner of all engines. */
  static EmulatedXrcTarget create(ContextObjects objects, QpInitAttr attr) {
    EmulatedXrcDomain xrcd = EmulatedXrcDomain.check(objects, attr.xrcd());
    QueuePairChecks.checkSendOps(attr.sendOps(), attr.qpType());
    QueuePairChecks.checkCreateFlags(attr.createFlags(), attr.qpType());
    if (attr.srq() != null) {
      throw Errno.EINVAL.refusal(
          "an XRC_RECV queue pair has no srq: each message names one of its domain");
    }
    Device device = objects.device();
    if (device.queuePairs() >= device.limit(Limit.MAX_QP)) {
      throw ObjectCounts.reached(Limit.MAX_QP, device.limit(Limit.MAX_QP));
    }
    int maxSge = device.limit(Limit.MAX_SRQ_SGE);
    XrcTarget target = new XrcTarget(leastBusy(device), device.keys(), maxSge, xrcd.shared());
    return new EmulatedXrcTarget(xrcd, target, attr.userContext());
  }

  private static Engine leastBusy(Device device) {
    Engine least = device.engine(0);
    for (Engine engine : device.engines()) {
      if (engine.queuePairs().size() < least.queuePairs().size()) {
        least = engine;
      }
    }
    return least;
  }

  /** Another handle of an existing queue pair. For the owner of all engines. */
  static EmulatedXrcTarget open(ContextObjects objects, QpOpenAttr attr) {
    EmulatedXrcDomain xrcd = EmulatedXrcDomain.check(objects, attr.xrcd());
    if (attr.qpType() != QpType.XRC_RECV) {
      throw new VerbsException(
          Errno.EINVAL, "only an XRC_RECV queue pair can be opened, not " + attr.qpType());
    }
    XrcTarget found = xrcd.shared().target(attr.qpNum());
    if (found == null) {
      throw Errno.EINVAL.refusal(
          "the XRC domain has no target queue pair 0x%x: it is of another domain or was"
              + " destroyed",
          attr.qpNum());
    }
    return new EmulatedXrcTarget(xrcd, found, attr.userContext());
  }

  @Override
  void enter() {
    target.joined(this);
    xrcd.joined();
  }

  @Override
  public QpInitAttr created() {
    return created;
  }

  @Override
  public int qpNum() {
    return target.machine().qpNum();
  }

  @Override
  public QpState state() {
    requireNotDestroyed();
    return target.machine().state();
  }

  @Override
  public void modify(QpAttr attr, int mask) {
    RequiredArgument.check(attr, "attr");
    whileOpen(() -> ContextObjects.withMemory(() -> target.machine().modify(attr, mask)));
  }

  @Override
  public QpAttr query() {
    return whileOpen(target.machine()::query).cap(NO_QUEUES);
  }

  @Override
  public long postSend(MemorySegment view, long firstWr) {
    RequiredArgument.check(view, "view");
    return PostResult.of(Errno.EINVAL, 0);
  }

  @Override
  public long postRecv(MemorySegment view, long firstWr) {
    RequiredArgument.check(view, "view");
    return PostResult.of(Errno.EINVAL, 0);
  }

  @Override
  public WorkRequestBuilder builder() {
    requireNotDestroyed();
    return CreatedQueuePair.super.builder();
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
    throw Errno.EINVAL.refusal(
        "an XRC_RECV queue pair sends nothing: bind on an XRC_SEND queue pair");
  }

  @Override
  public void attachMulticast(Gid group) {
    noMulticast(group);
  }

  @Override
  public void detachMulticast(Gid group) {
    noMulticast(group);
  }

  private void noMulticast(Gid group) {
    requireOpen();
    RequiredArgument.check(group, "group");
    throw Errno.EINVAL.refusal("only UD queue pairs can join a multicast group");
  }

  @Override
  public String toString() {
    return describe();
  }

  // ---- events and destruction

  @Override
  public void raise(Engine by, EventType type) {
    by.signals().event(objects.events().raise(asyncSource, type));
  }

  @Override
  BooleanSupplier settled() {
    return () -> objects.events().settled(asyncSource);
  }

  @Override
  void destroy() {
    target.left(this);
    objects.events().discard(asyncSource);
    xrcd.left();
  }
}
