package org.roce4j.engine.cm;

import java.util.Map;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.time.Deadline;
import org.roce4j.engine.time.Timed;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.SidrRep;
import org.roce4j.wire.mad.SidrReq;

/** A request for a peer's datagram service, until it is answered or given up. */
public final class Resolution implements Timed {
  /** Receives the outcome. Called inside a turn of the engine. */
  public interface User {
    /** The peer has answered, with any status. */
    void resolved(SidrRep answer);

    void unreachable();
  }

  private final CmHost host;
  private final Map<Integer, Resolution> all;
  private final Route route;
  private final Mad question;

  /** The id of the SIDR_REQ, by which its answer is found. */
  private final int requestId;

  private final User user;
  private final Deadline deadline = new Deadline(this);
  private final Repetition repetition;

  Resolution(
      CmHost host,
      Outbox outbox,
      Map<Integer, Resolution> all,
      Route route,
      SidrReq request,
      User user) {
    this.host = host;
    this.all = all;
    this.route = route;
    this.user = user;
    requestId = request.requestId();
    repetition = new Repetition(host, outbox, deadline);
    question = request.in(host.caGuid() << 32 | Integer.toUnsignedLong(requestId));
  }

  void ask(long nowNs) {
    repetition.begin(route.path(), question);
    repetition.await(nowNs);
  }

  public Route route() {
    return route;
  }

  /** Ends the request without informing its user. */
  public void close() {
    host.deadlines().cancel(deadline);
    all.remove(requestId, this);
  }

  /** Whether an answer comes from the host that was asked. */
  boolean isFromPeer(Path back) {
    return route.path().hasRemoteOf(back);
  }

  void answered(SidrRep answer) {
    close();
    user.resolved(answer);
  }

  @Override
  public void handleTimeout(long nowNs) {
    if (!repetition.again(nowNs, route.path())) {
      close();
      user.unreachable();
    }
  }
}
