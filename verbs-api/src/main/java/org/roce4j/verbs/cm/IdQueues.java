package org.roce4j.verbs.cm;

import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.Wrapper;

/**
 * The queue pair and shared receive queue of an id, and the completion queues with channels that
 * the library creates if the program provides none. Guarded by its id.
 */
final class IdQueues {
  private final CmId id;
  private QueuePair qp;
  private SharedReceiveQueue srq;
  private ProtectionDomain pd;
  private Completions send = Completions.NONE;
  private Completions receive = Completions.NONE;

  /** Whether receives of the shared receive queue complete in {@link #receive}: XRC only. */
  private boolean srqCompletes;

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

  /** Makes a queue pair and brings it as far as it can go before a connection. */
  void createQp(ProtectionDomain given, QpInitAttr attr) {
    if (qp != null) {
      throw new VerbsException(Errno.EINVAL, id + " has a queue pair: destroy it first");
    }
    if (attr.qpType() != id.qpType()) {
      throw Errno.EINVAL.refusal(
          "qpType is %s, but ids of port space %s are for %s", attr.qpType(), id.ps(), id.qpType());
    }
    checkOwn(send.cq, attr.sendCq(), "sendCq");
    checkOwn(receive.cq, attr.recvCq(), "recvCq");
    checkOwn(srq, attr.srq(), "srq");
    boolean target = id.qpType() == QpType.XRC_RECV;
    ProtectionDomain domain = target ? null : domain(given);
    boolean ready = false;
    try {
      qp = target ? createTarget(attr) : createWith(domain, attr);
      new QueuePairStates(id.provided(), qp).init();
      pd = target ? pd : domain;
      ready = true;
    } finally {
      if (!ready) {
        destroyQp();
      }
    }
  }

  private static void checkOwn(Object own, Object given, String name) {
    if (own != null && given != null && Wrapper.innermost(own) != given) {
      throw new VerbsException(
          Errno.EINVAL, name + " is not the id's own: leave it out, or destroy the id's own first");
    }
  }

  /** The target of an extended connection has no domain, queues or completions of its own. */
  private QueuePair createTarget(QpInitAttr attr) {
    Context context = id.verbsOrRefuse();
    return context.createQp(
        attr.xrcd() != null ? attr : attr.copy().xrcd(id.cm().defaultXrcd(context)));
  }

  private QueuePair createWith(ProtectionDomain domain, QpInitAttr attr) {
    QpInitAttr complete = attr.copy();
    if (attr.sendCq() == null) {
      send = orCreated(send, attr.cap().maxSendWr());
      complete.sendCq(send.cq);
    }
    if (attr.recvCq() == null && id.qpType() != QpType.XRC_SEND) {
      receive = orCreated(receive, attr.cap().maxRecvWr());
      complete.recvCq(receive.cq);
    }
    return domain.createQp(attr.srq() == null ? complete.srq(srq) : complete);
  }

  private Completions orCreated(Completions made, int entries) {
    return made.cq != null ? made : Completions.create(id.verbsOrRefuse(), entries, id);
  }

  void createSrq(ProtectionDomain given, SrqInitAttr attr) {
    checkNoSrq();
    ProtectionDomain domain = domain(given);
    srq = domain.createSrq(attr);
    pd = domain;
  }

  /**
   * For an extended connection; a missing XRC domain or completion queue is created. The device
   * refuses a type that it does not have.
   */
  void createSrq(SrqInitAttrEx attr) {
    if (attr.srqType() == SrqType.BASIC) {
      createSrq(attr.pd(), attr.basic());
      return;
    }
    checkNoSrq();
    Context context = id.verbsOrRefuse();
    ProtectionDomain domain = domain(attr.pd());
    SrqInitAttrEx complete = attr.copy().pd(domain);
    try {
      if (attr.cq() == null) {
        receive = orCreated(receive, attr.maxWr());
        complete.cq(receive.cq);
      }
      if (attr.xrcd() == null) {
        complete.xrcd(id.cm().defaultXrcd(context));
      }
      srq = context.createSrq(complete);
      srqCompletes = attr.cq() == null;
      pd = domain;
    } finally {
      if (srq == null && qp == null) {
        closeCompletions();
      }
    }
  }

  private void checkNoSrq() {
    if (srq != null) {
      throw new VerbsException(Errno.EINVAL, id + " has a shared receive queue: destroy it first");
    }
  }

  private ProtectionDomain domain(ProtectionDomain given) {
    Context context = id.verbsOrRefuse();
    if (given == null) {
      return pd != null ? pd : id.cm().defaultPd(context);
    }
    if (Wrapper.innermost(given.context()) != Wrapper.innermost(context)) {
      throw new VerbsException(
          Errno.EINVAL, "pd belongs to another context than the id is bound to, " + id);
    }
    return given;
  }

  void destroyQp() {
    closeQp();
    closeCompletions();
  }

  /** If the close fails or is interrupted, the next call closes the queue pair. */
  private void closeQp() {
    if (qp != null) {
      qp.close();
      qp = null;
    }
  }

  /** A queue pair that receives from the queue refuses; one of an XRC target never does. */
  void destroySrq() {
    if (srq != null) {
      srq.close();
      srq = null;
      srqCompletes = false;
      if (qp == null || id.qpType() == QpType.XRC_RECV) {
        closeCompletions();
      }
    }
  }

  /** Closes everything, in the order in which one uses the other. */
  void close() {
    closeQp();
    destroySrq();
    closeCompletions();
  }

  private void closeCompletions() {
    send.close();
    send = Completions.NONE;
    if (!srqCompletes) {
      receive.close();
      receive = Completions.NONE;
    }
  }
}
