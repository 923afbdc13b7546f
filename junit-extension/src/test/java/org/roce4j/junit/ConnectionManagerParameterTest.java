package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/** A test takes connection managers and connects to a device by its name. */
@EmulatedRdma(seed = 7)
class ConnectionManagerParameterTest {
  private static <T extends CmEvent> T next(EventChannel channel, Class<T> type) {
    try (CmEvent event = channel.getCmEvent()) {
      return assertInstanceOf(type, event);
    }
  }

  @Test
  void connectsByName(RdmaCm client, RdmaCm server, EmulatedNetwork network) {
    String name = network.devices().get(1).name();
    EventChannel requests = server.createEventChannel();
    CmId listener = requests.createId(PortSpace.TCP);
    listener.bindAddr(network.address(name, 7471));
    listener.listen(1);
    EventChannel outcomes = client.createEventChannel();
    CmId id = outcomes.createId(PortSpace.TCP);
    id.resolveAddr(null, network.address(name, 7471), 1000);
    next(outcomes, CmEvent.AddrResolved.class);
    id.resolveRoute(1000);
    next(outcomes, CmEvent.RouteResolved.class);
    id.connect(new ConnParam().qpNum(0x55));
    CmEvent.ConnectRequest request = next(requests, CmEvent.ConnectRequest.class);
    assertEquals(0x55, request.conn().qpNum());
    assertEquals(name, request.id().verbs().device().name());
  }

  @Test
  void aNameThatNoDeviceHasIsRefused(EmulatedNetwork network) {
    VerbsException refused = assertThrows(VerbsException.class, () -> network.address("mlx5_0", 1));
    assertEquals(Errno.ENODEV, refused.errno());
  }
}
