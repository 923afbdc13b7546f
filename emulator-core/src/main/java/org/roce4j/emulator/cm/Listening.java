package org.roce4j.emulator.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.device.CmDevice;
import org.roce4j.engine.cm.CmConnection;
import org.roce4j.engine.cm.Route;
import org.roce4j.engine.cm.Service;
import org.roce4j.engine.cm.ServiceRequest;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.ProviderReport;
import org.roce4j.verbs.cm.UdParam;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.Req;

/** A listening id on one device. Each connection request creates an id and a report. */
final class Listening implements Service {
  private final EmulatedCmId id;
  private final CmDevice device;
  private final long serviceId;
  private final boolean afOnly;

  /** The number of requests that the program has not taken yet, on all devices of the id. */
  private final AtomicInteger waiting;

  private final int backlog;

  Listening(
      EmulatedCmId id,
      CmDevice device,
      long serviceId,
      boolean afOnly,
      AtomicInteger waiting,
      int backlog) {
    this.id = id;
    this.device = device;
    this.serviceId = serviceId;
    this.afOnly = afOnly;
    this.waiting = waiting;
    this.backlog = backlog;
  }

  void start() {
    device.exclusively(
        () -> {
          device.manager().listen(serviceId, this);
          return null;
        });
  }

  void stop() {
    device.exclusively(
        () -> {
          device.manager().listenNoMore(serviceId, this);
          return null;
        });
  }

  /** Stops listening on a device; true if it listened there. For the owner of the engine. */
  boolean stopOn(CmDevice gone) {
    if (device == gone) {
      device.manager().listenNoMore(serviceId, this);
    }
    return device == gone;
  }

  @Override
  public boolean hears(AddressHeader addresses) {
    InetAddress own = id.localAddr().getAddress();
    Gid asked = new Gid(addresses.destinationHigh(), addresses.destinationLow());
    return own.isAnyLocalAddress()
        ? !afOnly || asked.isIpv4Mapped() == (own.getAddress().length == 4)
        : asked.equals(Gid.of(own));
  }

  @Override
  public Verdict requested(CmConnection connection, AddressHeader addresses) {
    if (answers(connection.request()) != id.qpType()) {
      return Verdict.UNFIT;
    }
    EmulatedCmId child = child(connection.route(), addresses);
    if (child == null) {
      return Verdict.FULL;
    }
    child.peering(ConnectionPeering.requested(child, device, connection));
    ConnParam offered = ConnectionPeering.offered(connection.request());
    report(child, offered, null);
    return Verdict.TAKEN;
  }

  @Override
  public Verdict asked(ServiceRequest request, AddressHeader addresses) {
    if (id.qpType() != QpType.UD) {
      return Verdict.UNFIT;
    }
    EmulatedCmId child = child(request.route(), addresses);
    if (child == null) {
      return Verdict.FULL;
    }
    child.peering(DatagramPeering.requested(child, device, request));
    byte[] said = AddressHeader.userData(request.request().privateData()).toArray();
    report(child, null, new UdParam(said, null, 0, 0));
    return Verdict.TAKEN;
  }

  /** The type of queue pair that answers a request ({@code cma_ib_check_req_qp_type}), or null. */
  private static QpType answers(Req request) {
    return switch (request.serviceType()) {
      case Req.SERVICE_RC -> QpType.RC;
      case Req.SERVICE_UC -> QpType.UC;
      case Req.SERVICE_EXTENDED -> request.isExtended() ? QpType.XRC_RECV : null;
      default -> null;
    };
  }

  /** An id on the port at which the request arrived. */
  private EmulatedCmId child(Route route, AddressHeader addresses) {
    if (waiting.get() >= backlog) {
      return null;
    }
    waiting.incrementAndGet();
    return id.child(
        device,
        device.portOf(new Gid(route.path().localHigh(), route.path().localLow())),
        at(addresses.destinationHigh(), addresses.destinationLow(), id.localAddr().getPort()),
        at(addresses.sourceHigh(), addresses.sourceLow(), addresses.sourcePort()));
  }

  private static InetSocketAddress at(long high, long low, int port) {
    return new InetSocketAddress(GidAddress.toInetAddress(high, low), port);
  }

  private void report(EmulatedCmId child, ConnParam conn, UdParam ud) {
    child.report(
        device, new ProviderReport(CmEventType.CONNECT_REQUEST, child, id, 0, conn, ud, null));
  }
}
