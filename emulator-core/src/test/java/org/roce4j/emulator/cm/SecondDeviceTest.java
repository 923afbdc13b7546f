package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.InetAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.wire.PKey;

/**
 * An id that is bound to the second of two devices uses the tables, connections and groups of that
 * device. The id was created on a channel of both, before it was known which of them is meant.
 */
class SecondDeviceTest extends CmRig {
  private static final String ITS_ADDRESS = "10.0.0.4";

  private final EmulatedDevice device =
      network.device(
          network
              .options("third", Gid.parse("10.0.0.3"), Gid.parse(ITS_ADDRESS))
              .withActiveMtu(Mtu.MTU_1024));
  private final Context second = device.open();
  private final RdmaCm both = RdmaCm.open(serverDevice, second);
  private final EventChannel channel = both.createEventChannel();

  @AfterEach
  void close() {
    both.close();
    second.close();
  }

  private CmId bound(PortSpace space) {
    CmId id = channel.createId(space);
    id.bindAddr(at(ITS_ADDRESS, 0));
    return id;
  }

  @Test
  void aPartitionIsFoundInItsTable() {
    device.pkeys(0x8001, PKey.DEFAULT);
    assertEquals(1, bound(PortSpace.TCP).initQpAttr(QpState.INIT).pkeyIndex());
  }

  @Test
  void aGroupIsJoinedByItsAddress() {
    bound(PortSpace.UDP).joinMulticast(InetAddress.ofLiteral("239.1.1.1"), "mine");
    assertEquals(1, next(channel, CmEvent.MulticastJoin.class).ud().ahAttr().grh().sgidIndex());
  }

  @Test
  void aConnectionIsItsOwn() {
    listening("10.0.0.2");
    CmId active = routed(channel, bound(PortSpace.TCP), "10.0.0.2");
    active.createQp(null, attr());
    active.connect(new ConnParam());
    CmId passive = next(server, CmEvent.ConnectRequest.class).id();
    assertEquals(InetAddress.ofLiteral(ITS_ADDRESS), passive.peerAddr().getAddress());
    passive.createQp(null, attr());
    passive.accept(new ConnParam());
    next(channel, CmEvent.Established.class);
    assertSame(second, active.verbs());
    assertEquals(Mtu.MTU_1024, active.qp().query().pathMtu());
  }
}
