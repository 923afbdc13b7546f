package org.roce4j.emulator.cm;

import org.roce4j.device.CmDevice;
import org.roce4j.engine.cm.CmConnection;
import org.roce4j.engine.cm.CmTiming;
import org.roce4j.engine.cm.ConnectionState;
import org.roce4j.engine.cm.ConnectionUser;
import org.roce4j.engine.cm.Offer;
import org.roce4j.engine.cm.Route;
import org.roce4j.engine.datagram.Path;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.ProviderReport;
import org.roce4j.verbs.cm.RejectReason;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.RejCode;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;

/** The connection of an id, and the reports about it. */
final class ConnectionPeering implements Peering, ConnectionUser {
  /** Retry counts have three bits. */
  private static final int MOST_RETRIES = 7;

  private final EmulatedCmId id;
  private final CmDevice device;
  private final boolean active;
  private CmConnection connection;

  /** Whether the end was reported, which is done once. */
  private boolean ended;

  private ConnectionPeering(EmulatedCmId id, CmDevice device, boolean active) {
    this.id = id;
    this.device = device;
    this.active = active;
  }

  static ConnectionPeering connecting(
      EmulatedCmId id, CmDevice device, Route route, long serviceId, Offer offer) {
    ConnectionPeering made = new ConnectionPeering(id, device, true);
    boolean xrc = id.qpType() == QpType.XRC_SEND || id.qpType() == QpType.XRC_RECV;
    int service =
        xrc ? Req.SERVICE_EXTENDED : id.qpType() == QpType.UC ? Req.SERVICE_UC : Req.SERVICE_RC;
    made.connection =
        device
            .manager()
            .connect(
                device.nowNs(), route, serviceId, service, xrc ? Req.EXTENDED_XRC : 0, offer, made);
    return made;
  }

  static ConnectionPeering requested(EmulatedCmId id, CmDevice device, CmConnection connection) {
    ConnectionPeering made = new ConnectionPeering(id, device, false);
    made.connection = connection;
    connection.user(made);
    return made;
  }

  static Offer offer(ConnParam param, Bytes privateData) {
    return new Offer(
        param.qpNum(),
        param.responderResources(),
        param.initiatorDepth(),
        param.flowControl(),
        Math.min(MOST_RETRIES, param.retryCount()),
        Math.min(MOST_RETRIES, param.rnrRetryCount()),
        param.srq(),
        privateData);
  }

  /** The offer of a request, from this side. */
  static ConnParam offered(Req req) {
    return new ConnParam()
        .privateData(AddressHeader.userData(req.privateData()).toArray())
        .responderResources(req.initiatorDepth())
        .initiatorDepth(req.responderResources())
        .flowControl(req.flowControl())
        .retryCount(req.retryCount())
        .rnrRetryCount(req.rnrRetryCount())
        .srq(req.srq())
        .qpNum(req.qpn());
  }

  private ConnParam offered(Rep rep) {
    return new ConnParam()
        .privateData(rep.privateData().toArray())
        .responderResources(rep.initiatorDepth())
        .initiatorDepth(rep.responderResources())
        .flowControl(rep.flowControl())
        .retryCount(0)
        .rnrRetryCount(rep.rnrRetryCount())
        .srq(rep.srq())
        .qpNum(connection.remoteQpn());
  }

  // ---- calls

  @Override
  public void accept(ConnParam param) {
    require(
        connection.accept(device.nowNs(), offer(param, Bytes.of(param.privateData()))), "accept");
  }

  @Override
  public void reject(RejectReason reason, byte[] privateData) {
    RejCode code = RejCode.of(reason.value());
    require(connection.reject(device.nowNs(), code, Bytes.of(privateData)), "reject");
  }

  @Override
  public void establish() {
    require(connection.establish(device.nowNs()), "establish");
  }

  private void require(boolean done, String call) {
    if (!done) {
      throw Errno.EINVAL.refusal("%s: cannot %s in state %s", id, call, connection.state());
    }
  }

  /** Does nothing if there is no connection to end, as on Linux. */
  @Override
  public void disconnect() {
    connection.release(device.nowNs());
  }

  @Override
  public void notify(EventType event) {
    if (event != EventType.COMM_EST) {
      throw new VerbsException(Errno.EINVAL, "the event is COMM_EST, not " + event);
    }
    ConnectionState standing = connection.confirm(device.nowNs());
    if (standing == ConnectionState.ESTABLISHED) {
      throw new VerbsException(Errno.EISCONN, id + " is connected already");
    }
    require(standing == null, "notify");
  }

  @Override
  public void close() {
    connection.close(device.nowNs());
  }

  // ---- attributes

  @Override
  public void describe(QpState state, QpAttr attr) {
    Req req = connection.request();
    Rep rep = connection.reply();
    if (state == QpState.INIT) {
      boolean reads = (active ? req.responderResources() : req.initiatorDepth()) > 0;
      attr.qpAccessFlags(
          AccessFlags.REMOTE_WRITE
              | (reads ? AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC : 0));
      return;
    }
    if (active && rep == null) {
      throw new VerbsException(Errno.EINVAL, id + " does not know its peer's queue pair yet");
    }
    boolean reliable = id.qpType() != QpType.UC;
    int accepted = active ? Math.min(req.responderResources(), rep.initiatorDepth()) : 0;
    int issued = active ? Math.min(req.initiatorDepth(), rep.responderResources()) : 0;
    if (state == QpState.RTR) {
      attr.ahAttr(address())
          .pathMtu(Mtu.of(connection.route().mtu()))
          .destQpNum(connection.remoteQpn())
          .rqPsn(connection.startingPsn());
      if (reliable) {
        attr.maxDestRdAtomic(active ? accepted : req.initiatorDepth()).minRnrTimer(0);
      }
    } else {
      attr.sqPsn(active ? rep.startingPsn() : req.startingPsn());
      if (reliable) {
        attr.timeout(ackTimeout(req, rep))
            .retryCnt(req.retryCount())
            .rnrRetry(active ? rep.rnrRetryCount() : req.rnrRetryCount())
            .maxRdAtomic(active ? issued : req.responderResources());
      }
    }
  }

  private int ackTimeout(Req req, Rep rep) {
    int own = req.primary().ackTimeout();
    return active ? CmTiming.ackTimeout(rep.targetAckDelay(), own - 1) : own;
  }

  private AhAttr address() {
    Route route = connection.route();
    Path path = route.path();
    Gid peer = new Gid(path.remoteHigh(), path.remoteLow());
    int index = PeerRoute.localIndex(device, path);
    GlobalRoute grh =
        new GlobalRoute(peer, route.flowLabel(), index, path.hopLimit(), path.trafficClass());
    return new AhAttr(true, grh, 0, path.trafficClass() >>> 5, 0, 0, id.portNum());
  }

  // ---- what happens

  @Override
  public void replied(Rep reply) {
    report(CmEventType.CONNECT_RESPONSE, 0, offered(reply));
  }

  @Override
  public void established() {
    report(CmEventType.ESTABLISHED, 0, null);
  }

  @Override
  public void rejected(Rej why) {
    ConnParam said = new ConnParam().privateData(why.privateData().toArray());
    report(CmEventType.REJECTED, why.reason(), said);
  }

  @Override
  public void unreachable() {
    report(CmEventType.UNREACHABLE, -Errno.ETIMEDOUT.number(), null);
  }

  @Override
  public void released(boolean unanswered) {
    if (!ended) {
      ended = true;
      report(CmEventType.DISCONNECTED, unanswered ? -Errno.ETIMEDOUT.number() : 0, null);
    }
  }

  @Override
  public void timeWaitOver() {
    if (ended) {
      report(CmEventType.TIMEWAIT_EXIT, 0, null);
    }
  }

  private void report(CmEventType type, int status, ConnParam conn) {
    id.report(device, new ProviderReport(type, id, null, status, conn, null, null));
  }
}
