package org.roce4j.verbs.cm;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.VerbsException;

/**
 * The requests of a listening id: each becomes an id, and for an endpoint an id with a queue pair.
 */
final class Requests {
  private final CmId listener;
  private final Delivery delivery;
  private volatile boolean begun;
  private volatile ProtectionDomain pd;

  /** The attributes of each request's queue pair; null: a request has none. */
  private volatile QpInitAttr attr;

  Requests(CmId listener) {
    this.listener = listener;
    delivery = listener.delivery();
  }

  /** Sets what each request's queue pair is made with; {@code ofEach} may be null. */
  void queuePairs(ProtectionDomain domain, QpInitAttr ofEach) {
    pd = domain;
    attr = ofEach == null ? null : ofEach.copy().qpType(listener.qpType());
  }

  /** The id listens from now on. */
  void begin() {
    begun = true;
  }

  /**
   * Makes the id by which a peer's request is answered.
   *
   * @param from the channel of the request, which the listener may be leaving
   */
  CmId made(EventChannel from, ProviderReport report) {
    CmId made =
        listener
            .cm()
            .add(
                new CmId(
                    listener.cm(),
                    from,
                    report.id(),
                    listener.ps(),
                    listener.qpType(),
                    listener.userContext(),
                    Resources.of(report.conn())));
    return made.madeBy(() -> made.delivery().follow(delivery));
  }

  /** Waits for a request of a synchronous id. */
  CmId next() {
    listener.checkOpen();
    if (!delivery.synchronous()) {
      throw Errno.EINVAL.refusal(
          "requests of an asynchronous id are events: take them from its channel");
    }
    if (!begun) {
      throw new VerbsException(Errno.EINVAL, listener + " does not listen, so no request comes");
    }
    CmEvent event = delivery.take();
    while (!concernsListener(event)) {
      event.ack(); // the peer of a request has left that another thread is taking
      event = delivery.take();
    }
    if (!(event instanceof CmEvent.ConnectRequest) || event.status() != 0) {
      delivery.keep(event);
      delivery.checkOutcome(event);
      throw new VerbsException(Errno.EINVAL, "no request, but " + event);
    }
    CmId id = event.id();
    id.delivery().keep(event); // several threads may take requests of one listener
    return attr == null ? id : id.madeBy(() -> id.createQp(pd, attr));
  }

  private boolean concernsListener(CmEvent event) {
    return event instanceof CmEvent.ConnectRequest || event.id() == listener;
  }
}
