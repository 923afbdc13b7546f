package org.roce4j.emulator.cm;

import org.roce4j.device.CmDevice;
import org.roce4j.engine.cm.Resolution;
import org.roce4j.engine.cm.Route;
import org.roce4j.engine.cm.ServiceRequest;
import org.roce4j.engine.datagram.Path;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.ProviderReport;
import org.roce4j.verbs.cm.RejectReason;
import org.roce4j.verbs.cm.UdParam;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.SidrRep;

/** A datagram service that an id requests or offers. */
final class DatagramPeering implements Peering, Resolution.User {
  private final EmulatedCmId id;
  private final CmDevice device;
  private Resolution resolution;
  private ServiceRequest question;

  private DatagramPeering(EmulatedCmId id, CmDevice device) {
    this.id = id;
    this.device = device;
  }

  static DatagramPeering connecting(
      EmulatedCmId id, CmDevice device, Route route, long serviceId, Bytes privateData) {
    DatagramPeering made = new DatagramPeering(id, device);
    made.resolution = device.manager().resolve(device.nowNs(), route, serviceId, privateData, made);
    return made;
  }

  static DatagramPeering requested(EmulatedCmId id, CmDevice device, ServiceRequest question) {
    DatagramPeering made = new DatagramPeering(id, device);
    made.question = question;
    return made;
  }

  @Override
  public void accept(ConnParam param) {
    require(
        question != null
            && question.accept(
                device.nowNs(), param.qpNum(), UdParam.QKEY, Bytes.of(param.privateData())));
  }

  @Override
  public void reject(RejectReason reason, byte[] privateData) {
    require(question != null && question.reject(device.nowNs(), Bytes.of(privateData)));
  }

  private void require(boolean done) {
    if (!done) {
      throw new VerbsException(Errno.EINVAL, id + " has no request that waits for an answer");
    }
  }

  @Override
  public void establish() {
    require(false);
  }

  @Override
  public void disconnect() {
    // A datagram service has no connection to end.
  }

  @Override
  public void notify(EventType event) {
    throw new VerbsException(Errno.EINVAL, id + " is for datagrams, which need no notice");
  }

  @Override
  public void describe(QpState state, QpAttr attr) {
    // INIT needs no data of a peer.
  }

  @Override
  public void close() {
    if (resolution != null) {
      resolution.close();
    }
    if (question != null) {
      question.reject(device.nowNs(), Bytes.NONE);
    }
  }

  @Override
  public void resolved(SidrRep answer) {
    byte[] privateData = answer.privateData().toArray();
    if (answer.status() != SidrRep.SUCCESS) {
      report(CmEventType.UNREACHABLE, answer.status(), new UdParam(privateData, null, 0, 0));
      return;
    }
    Path path = resolution.route().path();
    AhAttr peer =
        AhAttr.roce(
                new Gid(path.remoteHigh(), path.remoteLow()),
                PeerRoute.localIndex(device, path),
                path.hopLimit(),
                path.trafficClass())
            .onPort(id.portNum());
    report(CmEventType.ESTABLISHED, 0, new UdParam(privateData, peer, answer.qpn(), answer.qkey()));
  }

  @Override
  public void unreachable() {
    report(CmEventType.UNREACHABLE, -Errno.ETIMEDOUT.number(), null);
  }

  private void report(CmEventType type, int status, UdParam ud) {
    id.report(device, new ProviderReport(type, id, null, status, null, ud, null));
  }
}
