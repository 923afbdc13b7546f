package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.PortSpace;

/** Calls of either end that come too early, too late, twice, or from the other end. */
class RefusedStepsTest extends CmRig {
  private static final byte[] NOTHING = {};
  private static final List<String> CALLS = List.of("accept", "reject", "establish", "notify");

  private static VerbsException refusal(CmId id, String call) {
    return refused(
        Errno.EINVAL,
        () -> {
          switch (call) {
            case "accept" -> id.accept(new ConnParam());
            case "reject" -> id.reject(NOTHING);
            case "establish" -> id.establish();
            default -> id.notify(EventType.COMM_EST);
          }
        });
  }

  private static void isRefused(CmId id, String call, String state) {
    String told = refusal(id, call).remedy();
    assertTrue(told.contains("cannot " + call + " in state " + state), told);
  }

  @Test
  void aConnectionIsMadeStepByStep() {
    listening("10.0.0.2");
    CmId active = routed("10.0.0.2");
    active.connect(new ConnParam());
    CALLS.forEach(call -> isRefused(active, call, "REQ_SENT"));
    VerbsException early = refused(Errno.EINVAL, () -> active.initQpAttr(QpState.RTR));
    assertTrue(early.remedy().contains("does not know its peer's queue pair yet"), early::remedy);

    CmId passive = next(server, CmEvent.ConnectRequest.class).id();
    isRefused(passive, "establish", "REQ_RCVD");
    isRefused(passive, "notify", "REQ_RCVD");
    passive.accept(new ConnParam());
    isRefused(passive, "accept", "REP_SENT");
    isRefused(passive, "establish", "REP_SENT");

    next(client, CmEvent.ConnectResponse.class);
    isRefused(active, "accept", "REP_RCVD");
    isRefused(active, "notify", "REP_RCVD");
    active.establish();
    isRefused(active, "establish", "ESTABLISHED");
    next(server, CmEvent.Established.class);
    isRefused(passive, "reject", "ESTABLISHED");
    refused(Errno.EISCONN, () -> passive.notify(EventType.COMM_EST));
    for (EventType other : EventType.values()) {
      if (other != EventType.COMM_EST) {
        refused(Errno.EINVAL, () -> passive.notify(other));
      }
    }
  }

  @Test
  void anIdConnectsOnceItHasARouteAndOnce() {
    listening("10.0.0.2");
    CmId id = client.createId(PortSpace.TCP);
    refused(Errno.EINVAL, () -> id.initQpAttr(QpState.INIT));
    id.resolveAddr(null, at("10.0.0.2", PORT), 2000);
    next(client, CmEvent.AddrResolved.class);
    refused(Errno.EINVAL, () -> id.connect(new ConnParam()));
    id.resolveRoute(2000);
    next(client, CmEvent.RouteResolved.class);
    String told = refused(Errno.EINVAL, () -> id.initQpAttr(QpState.RTR)).remedy();
    assertTrue(told.endsWith(" has no peer yet"), told);
    refused(Errno.EINVAL, () -> id.initQpAttr(QpState.RTS));
    assertEquals(0, id.initQpAttr(QpState.INIT).qpAccessFlags());
    id.connect(new ConnParam());
    next(server, CmEvent.ConnectRequest.class);
    refused(Errno.EINVAL, () -> id.connect(new ConnParam()));
  }

  @Test
  void anAddressIsResolvedOnceAndByNoListener() {
    CmId id = client.createId(PortSpace.TCP);
    id.resolveAddr(at("10.0.0.1", 9), at("10.0.0.2", PORT), 2000);
    next(client, CmEvent.AddrResolved.class);
    assertEquals(9, id.srcPort());
    refused(Errno.EINVAL, () -> id.resolveAddr(null, at("10.0.0.2", PORT), 1));
    refused(Errno.EINVAL, () -> id.listen(1));
    id.resolveRoute(2000);
    next(client, CmEvent.RouteResolved.class);
    refused(Errno.EINVAL, () -> id.resolveRoute(1));
    CmId listener = listening("10.0.0.2");
    refused(Errno.EINVAL, () -> listener.listen(1));
    refused(Errno.EINVAL, () -> listener.resolveAddr(null, at("10.0.0.1", PORT), 1));
  }

  @Test
  void aGroupIsJoinedFromAnAddressByAnIdForDatagrams() {
    InetAddress group = InetAddress.ofLiteral("239.1.2.3");
    CmId everywhere = client.createId(PortSpace.UDP);
    everywhere.bindAddr(at("0.0.0.0", 0));
    refused(Errno.EINVAL, () -> everywhere.joinMulticast(group, null));
    CmId id = client.createId(PortSpace.UDP);
    refused(Errno.EINVAL, () -> id.joinMulticast(group, null));
    id.bindAddr(at("10.0.0.1", 0));
    refused(Errno.EINVAL, () -> id.joinMulticast(InetAddress.ofLiteral("10.0.0.2"), null));
    id.joinMulticast(group, null);
    next(client, CmEvent.MulticastJoin.class);
  }

  @Test
  void anIdThatIsBoundKeepsItsAddressWhateverSourceIsNamed() {
    CmId id = client.createId(PortSpace.TCP);
    id.bindAddr(at("10.0.0.1", 9));
    id.resolveAddr(at("10.0.0.1", 10), at("10.0.0.2", PORT), 2000);
    next(client, CmEvent.AddrResolved.class);
    assertEquals(9, id.srcPort());
  }

  @Test
  void aQuestionForDatagramsIsAnsweredOnce() {
    CmId service = server.createId(PortSpace.UDP);
    service.bindAddr(at("10.0.0.2", PORT));
    service.listen(4);
    for (boolean accepts : new boolean[] {true, false}) {
      CmId asking = routed(client.createId(PortSpace.UDP), "10.0.0.2");
      asking.connect(new ConnParam());
      CALLS.forEach(call -> refusal(asking, call));
      CmId asked = next(server, CmEvent.ConnectRequest.class).id();
      refusal(asked, "establish");
      refusal(asked, "notify");
      if (accepts) {
        asked.accept(new ConnParam());
        next(client, CmEvent.Established.class);
      } else {
        asked.reject(NOTHING);
        next(client, CmEvent.Unreachable.class);
      }
      CALLS.forEach(call -> refusal(asked, call));
      asking.disconnect();
    }
  }
}
