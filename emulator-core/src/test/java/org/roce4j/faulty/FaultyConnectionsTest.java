package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.Wrapper;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/**
 * Connections over a decorated device: the objects that the library makes for an id are decorated,
 * too.
 */
class FaultyConnectionsTest {
  private static final InetAddress LOCAL = InetAddress.ofLiteral("10.0.0.1");

  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));

  private final QpInitAttr attr =
      new QpInitAttr().qpType(QpType.RC).cap(new QpCapabilities(4, 4, 1, 1, 0));

  private Context context(String plan) {
    return FaultyDevice.around(devices.device("faulty", Gid.of(LOCAL)), VerbsFaults.parse(plan))
        .open();
  }

  private static CmId bound(RdmaCm cm) {
    CmId id = cm.createEventChannel().createId(PortSpace.TCP, null);
    id.bindAddr(new InetSocketAddress(LOCAL, 4711));
    return id;
  }

  @Test
  void theQueuePairOfAnIdIsDecorated() {
    Context context = context("");
    try (RdmaCm cm = RdmaCm.open(context)) {
      CmId id = bound(cm);
      assertSame(context, id.verbs());
      id.createQp(null, attr);
      assertTrue(id.qp() instanceof Wrapper<?>);
      assertTrue(id.recvCq() instanceof Wrapper<?>);
      id.destroyQp();
      id.createQp(context.allocPd(), attr);
      assertSame(context, id.qp().context());
    }
  }

  @Test
  void itsMakingIsRefused() {
    try (RdmaCm cm = RdmaCm.open(context("refuse=ENOMEM call=createQp nth=1"))) {
      CmId id = bound(cm);
      VerbsException e = assertThrows(VerbsException.class, () -> id.createQp(null, attr));
      assertEquals(Errno.ENOMEM, e.errno());
      id.createQp(null, attr);
    }
  }
}
