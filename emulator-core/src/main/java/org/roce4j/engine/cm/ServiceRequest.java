package org.roce4j.engine.cm;

import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.SidrRep;
import org.roce4j.wire.mad.SidrReq;

/** A peer's question for a datagram service, until it is answered. */
public final class ServiceRequest {
  private final ServiceRequests all;
  private final Route route;

  /** The transaction of the question, which the answer repeats. */
  private final long transactionId;

  private final SidrReq request;

  /** Whether an answer was sent: there is one at most. */
  private boolean answered;

  ServiceRequest(ServiceRequests all, Route route, long transactionId, SidrReq request) {
    this.all = all;
    this.route = route;
    this.transactionId = transactionId;
    this.request = request;
  }

  public SidrReq request() {
    return request;
  }

  public Route route() {
    return route;
  }

  /** Answers with a queue pair; false: it was answered before. */
  public boolean accept(long nowNs, int qpn, int qkey, Bytes privateData) {
    return answer(nowNs, SidrRep.SUCCESS, qpn, qkey, privateData);
  }

  public boolean reject(long nowNs, Bytes privateData) {
    return answer(nowNs, SidrRep.REJECTED, 0, 0, privateData);
  }

  private boolean answer(long nowNs, int status, int qpn, int qkey, Bytes privateData) {
    if (answered) {
      return false;
    }
    answered = true;
    all.answer(
        nowNs,
        this,
        new SidrRep(
            request.requestId(),
            status,
            0,
            0,
            qpn,
            request.serviceId(),
            qkey,
            Bytes.NONE,
            privateData));
    return true;
  }

  long transactionId() {
    return transactionId;
  }
}
