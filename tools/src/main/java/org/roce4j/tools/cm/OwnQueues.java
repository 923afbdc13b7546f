package org.roce4j.tools.cm;

import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmId;

/**
 * A queue pair that the program makes and modifies itself, with the attributes that the id knows.
 */
final class OwnQueues implements AutoCloseable {
  private final CmId id;
  private final CompletionChannel channel;
  private final CompletionQueue sends;
  private final CompletionQueue receives;
  private final QueuePair qp;

  /** Makes a queue pair in INIT; its receives can be posted. */
  OwnQueues(CmId id, QpInitAttr attr) {
    this.id = id;
    boolean complete = false;
    try {
      channel = id.verbs().createCompletionChannel();
      sends = id.verbs().createCq(attr.cap().maxSendWr(), null, channel, 0);
      receives = id.verbs().createCq(attr.cap().maxRecvWr(), null, channel, 0);
      qp = id.pd().createQp(attr.sendCq(sends).recvCq(receives).qpType(id.qpType()));
      qp.modify(id.initQpAttr(QpState.INIT));
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  QueuePair qp() {
    return qp;
  }

  /** The peer's queue pair is known. */
  void ready() {
    qp.modify(id.initQpAttr(QpState.INIT)); // the rights, now that the resources are known
    qp.modify(id.initQpAttr(QpState.RTR));
    qp.modify(id.initQpAttr(QpState.RTS));
  }

  /** The connection is over: requests that wait are flushed. */
  void stop() {
    try {
      qp.modify(new QpAttr().qpState(QpState.ERR));
    } catch (VerbsException e) {
      // The queue pair is closed already.
    }
  }

  /** Also closes queues whose constructor has failed. */
  @Override
  public void close() {
    if (qp != null) {
      qp.close();
    }
    for (CompletionQueue each : new CompletionQueue[] {sends, receives}) {
      if (each != null) {
        each.close();
      }
    }
    if (channel != null) {
      channel.close();
    }
  }
}
