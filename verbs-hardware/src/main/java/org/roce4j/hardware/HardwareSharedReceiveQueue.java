package org.roce4j.hardware;

import java.lang.foreign.MemorySegment;
import org.roce4j.hardware.bindings.DataPath;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.hardware.bindings.QueueStructures;
import org.roce4j.hardware.bindings.Structures.IbvSrqAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.XrcDomain;

/** {@code struct ibv_srq}. */
final class HardwareSharedReceiveQueue extends HardwareObject implements SharedReceiveQueue {
  private final HardwareProtectionDomain pd;
  private final Object userContext;
  private final DataPath dataPath;

  /** Null of another type. */
  private final Xrc xrc;

  /** The additional objects of a queue of type XRC. */
  record Xrc(int number, HardwareXrcDomain xrcd, HardwareCompletionQueue cq) {}

  HardwareSharedReceiveQueue(HardwareProtectionDomain pd, long address, Object userContext) {
    this(pd, address, userContext, null);
  }

  HardwareSharedReceiveQueue(
      HardwareProtectionDomain pd, long address, Object userContext, Xrc xrc) {
    super(pd.context, address, Kind.SHARED_RECEIVE_QUEUE, ObjectStructures.srqHandle(address));
    this.pd = pd;
    this.xrc = xrc;
    this.userContext = userContext;
    this.dataPath = context.dataPath();
  }

  @Override
  int destroy(Frame frame) {
    return library.destroySrq(frame, address);
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
    return inside(() -> xrc == null ? SharedReceiveQueue.super.srqNum() : xrc.number);
  }

  @Override
  public void postOps(long firstOp) {
    inside(
        () -> {
          SharedReceiveQueue.super.postOps(firstOp);
          return null;
        });
  }

  @Override
  public SrqType srqType() {
    return xrc == null ? SrqType.BASIC : SrqType.XRC;
  }

  @Override
  public XrcDomain xrcd() {
    return xrc == null ? null : xrc.xrcd;
  }

  @Override
  public CompletionQueue cq() {
    return xrc == null ? null : xrc.cq;
  }

  @Override
  public SrqAttr query() {
    return ask(
        frame -> {
          MemorySegment attr = frame.structure(IbvSrqAttr.SIZE);
          library.querySrq(frame, address, attr);
          return QueueStructures.sharedReceiveQueueAttr(attr);
        });
  }

  @Override
  public void modify(SrqAttr attr, int mask) {
    RequiredArgument.check(attr, "attr");
    call(
        frame ->
            library.modifySrq(
                frame, address, QueueStructures.sharedReceiveQueueAttr(frame, attr), mask));
  }

  @Override
  public String toString() {
    return describe();
  }

  @Override
  public long postRecv(MemorySegment view, long firstWr) {
    RequiredArgument.check(view, "view");
    if (!gate.enter()) {
      return PostResult.of(Errno.EINVAL, 0);
    }
    try {
      return dataPath.postSrqRecv(address, view, firstWr);
    } finally {
      gate.leave();
    }
  }
}
