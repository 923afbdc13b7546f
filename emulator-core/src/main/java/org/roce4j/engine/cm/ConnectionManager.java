package org.roce4j.engine.cm;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Path;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.PathMtu;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.Apr;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Lap;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Mra;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.RejCode;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.Rtu;
import org.roce4j.wire.mad.SidrRep;
import org.roce4j.wire.mad.SidrReq;

/**
 * The connection manager of a device: a state machine without I/O. Calls and {@link #handleMad} are
 * its inputs, with the time; messages to send are polled; deadlines are in the host's heap; {@link
 * ConnectionUser}s, {@link Resolution.User}s and {@link Service}s receive the events.
 *
 * <p>No input from the wire makes it throw. Its memory is bounded: the numbers of {@link
 * ConnectionEnds}, service requests and messages to send have limits, and a message beyond them is
 * dropped as if it were lost.
 */
public final class ConnectionManager {
  private static final int HOP_LIMIT = 64;

  private final CmHost host;
  private final ConnectionEnds ends;
  private final Outbox outbox = new Outbox();
  private final Map<Long, List<Service>> services = new HashMap<>();
  private final Map<Integer, Resolution> resolutions = new HashMap<>();
  private final ServiceRequests questions = new ServiceRequests(outbox);

  public ConnectionManager(CmHost host) {
    this.host = host;
    ends = new ConnectionEnds(host.random().nextInt());
  }

  // ---- calls

  /** Adds a listener for requests of a service. */
  public void listen(long serviceId, Service service) {
    services.computeIfAbsent(serviceId, _ -> new ArrayList<>()).add(service);
  }

  public void listenNoMore(long serviceId, Service service) {
    List<Service> left = services.get(serviceId);
    if (left != null && left.remove(service) && left.isEmpty()) {
      services.remove(serviceId);
    }
  }

  /** Whether the number of ends has reached its limit. */
  public boolean full() {
    return ends.full();
  }

  /**
   * Requests a connection from a service.
   *
   * @param serviceType and {@code extendedType} as in {@link Req}
   */
  public CmConnection connect(
      long nowNs,
      Route route,
      long serviceId,
      int serviceType,
      int extendedType,
      Offer offer,
      ConnectionUser user) {
    CmConnection end = new CmConnection(host, ends, outbox, user, route);
    Req request =
        new Req(
            end.localId(),
            0,
            serviceId,
            host.caGuid(),
            0,
            offer.qpn(),
            offer.responderResources(),
            0,
            offer.initiatorDepth(),
            0,
            CmTiming.RESPONSE_TIMEOUT,
            serviceType,
            offer.flowControl(),
            end.startingPsn(),
            CmTiming.RESPONSE_TIMEOUT,
            offer.retryCount(),
            Route.PKEY,
            route.mtu(),
            false,
            offer.rnrRetryCount(),
            CmTiming.MAX_RETRIES,
            offer.srq(),
            extendedType,
            route.inRequest(),
            CmPath.NONE,
            false,
            offer.privateData());
    end.request(nowNs, request);
    return end;
  }

  /** Requests the queue pair of a datagram service. */
  public Resolution resolve(
      long nowNs, Route route, long serviceId, Bytes privateData, Resolution.User user) {
    int id = ends.freshId();
    while (resolutions.containsKey(id)) {
      id = ends.freshId();
    }
    SidrReq request = new SidrReq(id, Route.PKEY, serviceId, privateData);
    Resolution asked = new Resolution(host, outbox, resolutions, route, request, user);
    resolutions.put(id, asked);
    asked.ask(nowNs);
    return asked;
  }

  // ---- inputs

  /**
   * Handles the payload of a packet to queue pair 1.
   *
   * @param sourceHigh first half of the sender's address; {@code sourceLow} is the second
   * @param localHigh first half of the address that it was sent to; {@code localLow} is the second
   */
  public void handleMad(
      long nowNs,
      ByteBuffer buffer,
      int at,
      int length,
      long sourceHigh,
      long sourceLow,
      long localHigh,
      long localLow) {
    Mad mad = Mad.parse(buffer, at, length);
    int index = host.gidIndex(localHigh, localLow);
    if (mad == null || index < 0 || !GidAddress.isHost(sourceHigh, sourceLow)) {
      host.counters().increment(Counter.CM_IGNORED);
      return;
    }
    Path back = new Path(index, localHigh, localLow, sourceHigh, sourceLow, 0, HOP_LIMIT);
    switch (mad.message()) {
      case Req req -> requested(nowNs, mad, req, back);
      case Rep rep -> replied(nowNs, mad, rep, back);
      case Rtu rtu -> confirmed(nowNs, mad, rtu, back);
      case Rej rej -> handle(nowNs, mad, rejected(rej, back), back);
      case Mra mra ->
          handle(
              nowNs,
              mad,
              ends.find(mra.remoteId(), mra.arrived() == Mra.REQ ? 0 : mra.localId()),
              back);
      case Dreq dreq -> released(nowNs, mad, dreq, back);
      case Drep drep -> handle(nowNs, mad, ends.find(drep.remoteId(), drep.localId()), back);
      case SidrReq question -> asked(nowNs, mad, question, back);
      case SidrRep answer -> answered(answer, back);
      case Lap _, Apr _ -> host.counters().increment(Counter.CM_IGNORED); // as Linux on RoCE
    }
  }

  private void handle(long nowNs, Mad mad, CmConnection end, Path back) {
    if (end == null || !end.isFromPeer(back)) {
      host.counters().increment(Counter.CM_IGNORED);
    } else {
      end.handle(nowNs, mad);
    }
  }

  /**
   * Handles REP. If both of its ids are known it is a duplicate. REP of an unknown connection is
   * rejected: its end was closed, and the REJ that said so was lost or overtaken. Linux ignores it,
   * and its sender waits for more than a minute.
   */
  private void replied(long nowNs, Mad mad, Rep rep, Path back) {
    CmConnection waiting = ends.find(rep.remoteId(), 0);
    CmConnection end = waiting != null ? waiting : ends.find(rep.remoteId(), rep.localId());
    if (end != null) {
      handle(nowNs, mad, end, back);
    } else {
      RejCode reason = RejCode.INVALID_COMM_ID;
      reply(back, mad, Rej.of(rep.remoteId(), rep.localId(), Rej.REP, reason, Bytes.NONE));
    }
  }

  /**
   * Handles RTU. RTU of an unknown connection is rejected: this end has given up the wait for it,
   * and its peer would have half a connection. Linux ignores it.
   */
  private void confirmed(long nowNs, Mad mad, Rtu rtu, Path back) {
    if (ends.isTaken(rtu.remoteId())) {
      handle(nowNs, mad, ends.find(rtu.remoteId(), rtu.localId()), back);
    } else {
      RejCode reason = RejCode.INVALID_COMM_ID;
      reply(back, mad, Rej.of(rtu.remoteId(), rtu.localId(), Rej.OTHER, reason, Bytes.NONE));
    }
  }

  private CmConnection rejected(Rej rej, Path back) {
    if (rej.reason() == RejCode.TIMEOUT.code()) {
      return ends.byRemoteId(back, rej.localId(), rej.infoGuid());
    }
    return ends.find(rej.remoteId(), rej.rejected() == Rej.REQ ? 0 : rej.localId());
  }

  /** Handles DREQ. DREQ of an unknown connection is confirmed, because that connection is gone. */
  private void released(long nowNs, Mad mad, Dreq dreq, Path back) {
    CmConnection end = ends.find(dreq.remoteId(), dreq.localId());
    CmConnection waiting = ends.find(dreq.remoteId(), 0);
    if (end != null) {
      handle(nowNs, mad, end, back);
    } else if (waiting != null && waiting.isNamedBy(dreq)) {
      handle(nowNs, mad, waiting, back);
    } else {
      reply(back, mad, new Drep(dreq.remoteId(), dreq.localId(), Bytes.NONE));
    }
  }

  private void requested(long nowNs, Mad mad, Req req, Path back) {
    if (!isAlong(req.primary(), back)) {
      reject(back, mad, req, RejCode.INVALID_GID);
      return;
    }
    CmConnection known = ends.byRemoteId(back, req.localId(), req.caGuid());
    if (known != null) {
      known.handle(nowNs, mad);
      return;
    }
    Mad rejection = ends.rejections().of(nowNs, req);
    if (rejection != null) {
      outbox.send(back, rejection);
      return;
    }
    CmConnection stale = ends.byRemoteQp(back, req.qpn(), req.caGuid());
    if (stale != null) {
      reject(back, mad, req, RejCode.STALE_CONNECTION);
      stale.release(nowNs); // the peer has started again, so this end is half-open
      return;
    }
    admit(nowNs, mad, req, back);
  }

  /**
   * Whether a request names the addresses that its packet has. Otherwise it would steer this host's
   * answers to a third party, and the program would take that one for its peer.
   */
  private static boolean isAlong(CmPath said, Path back) {
    return said.localHigh() == back.remoteHigh()
        && said.localLow() == back.remoteLow()
        && said.remoteHigh() == back.localHigh()
        && said.remoteLow() == back.localLow();
  }

  private void admit(long nowNs, Mad mad, Req req, Path back) {
    List<Service> candidates = services.get(req.serviceId());
    AddressHeader addresses = AddressHeader.parse(req.privateData());
    if (PathMtu.ofCode(req.pathMtu()) == null) {
      reject(back, mad, req, RejCode.INVALID_MTU);
    } else if (candidates == null) {
      reject(back, mad, req, RejCode.INVALID_SERVICE_ID);
    } else if (!host.hasPartition(req.pkey())) {
      reject(back, mad, req, RejCode.INVALID_GID); // as Linux, which finds no path then
    } else {
      Service service = hearing(candidates, addresses, back);
      if (service == null) {
        reject(back, mad, req, RejCode.CONSUMER_DEFINED);
      } else if (ends.fullForPeers()) {
        host.counters().increment(Counter.CM_DROPPED);
      } else {
        CmConnection end = new CmConnection(host, ends, outbox, null, route(req, back));
        end.requested(nowNs, mad, req);
        Service.Verdict verdict = service.requested(end, addresses);
        if (verdict == Service.Verdict.TAKEN) {
          return;
        }
        end.forget();
        if (verdict == Service.Verdict.FULL) {
          host.counters().increment(Counter.CM_DROPPED);
        } else {
          reject(back, mad, req, RejCode.CONSUMER_DEFINED);
        }
      }
    }
  }

  /** The listener for the addresses of a request, which must be those of its packet; or null. */
  private static Service hearing(List<Service> candidates, AddressHeader addresses, Path back) {
    if (addresses != null && isAlong(addresses, back)) {
      for (Service service : candidates) {
        if (service.hears(addresses)) {
          return service;
        }
      }
    }
    return null;
  }

  private static boolean isAlong(AddressHeader said, Path back) {
    return said.sourceHigh() == back.remoteHigh()
        && said.sourceLow() == back.remoteLow()
        && said.destinationHigh() == back.localHigh()
        && said.destinationLow() == back.localLow();
  }

  /** The path of a request, from this side. */
  private static Route route(Req req, Path back) {
    int hopLimit = req.primary().hopLimit();
    Path path =
        new Path(
            back.sgidIndex(),
            back.localHigh(),
            back.localLow(),
            back.remoteHigh(),
            back.remoteLow(),
            req.primary().trafficClass(),
            hopLimit <= 1 ? HOP_LIMIT : hopLimit);
    return new Route(path, req.pathMtu(), req.primary().ackTimeout(), req.primary().flowLabel());
  }

  private void reject(Path back, Mad mad, Req req, RejCode reason) {
    reply(back, mad, Rej.of(0, req.localId(), Rej.REQ, reason, Bytes.NONE));
  }

  private void reply(Path back, Mad to, CmMessage message) {
    outbox.send(back, to.header().transactionId(), message);
  }

  // ---- datagram services

  private void asked(long nowNs, Mad mad, SidrReq question, Path back) {
    Route route = new Route(back, 0, CmTiming.PACKET_LIFETIME, 0);
    Mad given = questions.answerTo(nowNs, route, question);
    if (given != null) {
      outbox.send(back, given);
      return;
    }
    List<Service> candidates = services.get(question.serviceId());
    AddressHeader addresses = AddressHeader.parse(question.privateData());
    Service service = candidates == null ? null : hearing(candidates, addresses, back);
    if (service == null) {
      int status = candidates == null ? SidrRep.UNSUPPORTED_SERVICE : SidrRep.REJECTED;
      reply(back, mad, refusal(question, status));
      return;
    }
    ServiceRequest added = questions.add(route, mad.header().transactionId(), question);
    Service.Verdict verdict =
        added == null ? Service.Verdict.TAKEN : service.asked(added, addresses);
    if (verdict != Service.Verdict.TAKEN) {
      questions.drop(added);
    }
    if (verdict == Service.Verdict.FULL) {
      host.counters().increment(Counter.CM_DROPPED);
    } else if (verdict == Service.Verdict.UNFIT) {
      reply(back, mad, refusal(question, SidrRep.REJECTED));
    }
  }

  private static SidrRep refusal(SidrReq question, int status) {
    return new SidrRep(
        question.requestId(), status, 0, 0, 0, question.serviceId(), 0, Bytes.NONE, Bytes.NONE);
  }

  private void answered(SidrRep answer, Path back) {
    Resolution asked = resolutions.get(answer.requestId());
    if (asked == null || !asked.isFromPeer(back)) {
      host.counters().increment(Counter.CM_IGNORED);
    } else {
      asked.answered(answer);
    }
  }

  // ---- outputs

  public boolean hasOutput() {
    return !outbox.isEmpty();
  }

  /** The next message to send, or null. */
  public Outgoing pollTransmit() {
    return outbox.poll();
  }

  /** The number of ends, including those in time wait, and of service requests of both sides. */
  public int remaining() {
    return ends.size() + resolutions.size() + questions.size();
  }

  /** What {@link #remaining} counts, with the state of each end. */
  @Override
  public String toString() {
    return Wording.of(
        "ends %s, %d requests to services, %d requests of peers",
        ends, resolutions.size(), questions.size());
  }
}
