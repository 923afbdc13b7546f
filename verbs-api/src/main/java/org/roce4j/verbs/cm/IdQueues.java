package org.roce4j.verbs.cm;

import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;

/**
 * The queue pair and shared receive queue of an id, and the completion queues with channels that
 * the library makes where the program gives none. Its id guards it.
 */
final class IdQueues {
  private final CmId id;
  private QueuePair qp;
  private SharedReceiveQueue srq;
  private ProtectionDomain pd;
  private Completions send = Completions.NONE;
  private Completions receive = Completions.NONE;

  /** A completion queue that the library made, with its channel. */
  record Completions(CompletionChannel channel, CompletionQueue cq) {
    private static final Completions NONE = new Completions(null, null);

    static Completions create(Context context, int entries, CmId id) {
      CompletionChannel channel = context.createCompletionChannel();
      try {
        return new Completions(channel, context.createCq(Math.max(1, entries), id, channel, 0));
      } catch (VerbsException e) {
        channel.close();
        throw e;
      }
    }

    void close() {
      if (cq != null) {
        cq.close();
        channel.close();
      }
    }
  }

  IdQueues(CmId id) {
    this.id = id;
  }

  QueuePair qp() {
    return qp;
  }

  SharedReceiveQueue srq() {
    return srq;
  }

  ProtectionDomain pd() {
    return pd;
  }

  Completions send() {
    return send;
  }

  Completions receive() {
    return receive;
  }

  /** Makes a queue pair and has it brought up as far as it goes before a connection. */
  void createQp(ProtectionDomain given, QpInitAttr attr) {
    if (qp != null) {
      throw new VerbsException(Errno.EINVAL, id + " has a queue pair: destroy it first");
    }
    if (attr.qpType() != id.qpType()) {
      throw new VerbsException(
          Errno.EINVAL,
          "qpType is %s, but ids of port space %s are for %s"
              .formatted(attr.qpType(), id.ps(), id.qpType()));
    }
    checkOwn(send.cq, attr.sendCq(), "sendCq");
    checkOwn(receive.cq, attr.recvCq(), "recvCq");
    checkOwn(srq, attr.srq(), "srq");
    ProtectionDomain domain = domain(given);
    QueuePair made = null;
    try {
      made = createWith(domain, attr);
      new QueuePairStates(id.provided(), made).init();
      qp = made;
      pd = domain;
    } finally {
      if (qp == null) {
        closeAll(made, null);
      }
    }
  }

  private static void checkOwn(Object own, Object given, String name) {
    if (own != null && given != null && own != given) {
      throw new VerbsException(
          Errno.EINVAL,
          name + " is not the one that the id has made: leave it out, or destroy that");
    }
  }

  /** What the library adds is in {@code attr} no longer than the call. */
  private QueuePair createWith(ProtectionDomain domain, QpInitAttr attr) {
    CompletionQueue sendGiven = attr.sendCq();
    CompletionQueue receiveGiven = attr.recvCq();
    SharedReceiveQueue srqGiven = attr.srq();
    try {
      if (sendGiven == null) {
        send = orCreated(send, attr.cap().maxSendWr());
        attr.sendCq(send.cq);
      }
      if (receiveGiven == null) {
        receive = orCreated(receive, attr.cap().maxRecvWr());
        attr.recvCq(receive.cq);
      }
      return domain.createQp(srqGiven == null ? attr.srq(srq) : attr);
    } finally {
      attr.sendCq(sendGiven).recvCq(receiveGiven).srq(srqGiven);
    }
  }

  private Completions orCreated(Completions made, int entries) {
    return made.cq != null ? made : Completions.create(id.verbsOrRefuse(), entries, id);
  }

  void createSrq(ProtectionDomain given, SrqInitAttr attr) {
    if (srq != null) {
      throw new VerbsException(Errno.EINVAL, id + " has a shared receive queue: destroy it first");
    }
    ProtectionDomain domain = domain(given);
    srq = domain.createSrq(attr);
    pd = domain;
  }

  private ProtectionDomain domain(ProtectionDomain given) {
    Context context = id.verbsOrRefuse();
    if (given == null) {
      return pd != null ? pd : id.cm().defaultPd(context);
    }
    if (given.context() != context) {
      throw new VerbsException(
          Errno.EINVAL, "pd is of another context than the one that the id is bound to, " + id);
    }
    return given;
  }

  void destroyQp() {
    QueuePair last = qp;
    qp = null;
    closeAll(last, null);
  }

  void destroySrq() {
    if (srq != null) {
      srq.close();
      srq = null;
    }
  }

  /** Closes everything, also when one of them refuses. */
  void close() {
    QueuePair last = qp;
    qp = null;
    closeAll(last, srq);
    srq = null;
  }

  private void closeAll(QueuePair lastQp, SharedReceiveQueue lastSrq) {
    Completions lastSend = send;
    Completions lastReceive = receive;
    try {
      if (lastQp != null) {
        lastQp.close();
      }
      send = Completions.NONE;
      receive = Completions.NONE;
      lastSend.close();
      lastReceive.close();
    } finally {
      if (lastSrq != null) {
        lastSrq.close();
      }
    }
  }
}
