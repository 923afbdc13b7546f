package org.roce4j.device;

import java.util.List;
import org.roce4j.engine.Engine;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.responder.XrcReceiver;
import org.roce4j.engine.responder.XrcScope;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.XrcDomain;

/**
 * A shared receive queue of an XRC domain. Target queue pairs of every engine take requests from
 * it, and the requests complete in its own completion queue.
 */
final class EmulatedXrcReceiveQueue extends EmulatedSharedReceiveQueue
    implements XrcReceiver, CompletionUser {
  private final EmulatedXrcDomain xrcd;
  private final EmulatedCompletionQueue cq;
  private final int number;

  /** The caller has checked the objects in {@code attr}. */
  EmulatedXrcReceiveQueue(SrqInitAttrEx attr) {
    super((EmulatedDomain) attr.pd(), attr.basic());
    xrcd = (EmulatedXrcDomain) attr.xrcd();
    cq = (EmulatedCompletionQueue) attr.cq();
    number = device.xrcDomains().receivers().freshNumber(device.random());
  }

  @Override
  void enter() {
    super.enter();
    boolean entered = false;
    try {
      cq.joined(this);
      device.xrcDomains().receivers().add(this);
      entered = true;
    } finally {
      if (!entered) {
        cq.left(this);
        super.destroy();
      }
    }
    xrcd.joined();
  }

  @Override
  public SrqType srqType() {
    return SrqType.XRC;
  }

  @Override
  public int srqNum() {
    requireNotDestroyed();
    return number;
  }

  @Override
  public XrcDomain xrcd() {
    return xrcd;
  }

  @Override
  public CompletionQueue cq() {
    return cq;
  }

  // ---- for the owner of an engine

  @Override
  public int srqNumber() {
    return number;
  }

  @Override
  public XrcScope scope() {
    return xrcd.shared().scope();
  }

  @Override
  public Accessor accessor() {
    return domain().extended();
  }

  @Override
  public CompletionRing completions() {
    return cq.ring();
  }

  @Override
  public boolean failed() {
    return super.failed() || cq.ring().overflowed();
  }

  @Override
  public boolean shared() {
    return true;
  }

  @Override
  public List<Engine> engines() {
    return device.engines();
  }

  @Override
  public void queueFailed(Engine by) {
    raise(by, EventType.SRQ_ERR);
  }

  @Override
  void destroy() {
    super.destroy();
    device.xrcDomains().receivers().remove(this);
    xrcd.shared().receiverGone(this);
    cq.left(this);
    xrcd.left();
  }
}
