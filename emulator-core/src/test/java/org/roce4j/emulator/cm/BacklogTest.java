package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.PortSpace;

/** How many requests wait at an id that listens. */
class BacklogTest extends CmRig {
  /** The others ask again after about half a second. */
  @ParameterizedTest
  @CsvSource({
    "TCP, -1, 1024",
    "TCP, 0, 1024",
    "TCP, 1, 1",
    "TCP, 7, 7",
    "TCP, 1024, 1024",
    "TCP, 1025, 1024",
    "UDP, 1, 1",
    "UDP, 7, 7",
  })
  void asManyRequestsWaitAsListenSays(PortSpace space, int backlog, int most) {
    CmId listener = server.createId(space);
    listener.bindAddr(at("10.0.0.2", PORT));
    listener.listen(backlog);
    for (int i = 0; i < most + 2; i++) {
      CmId id = routed(client.createId(space), "10.0.0.2");
      id.connect(new ConnParam().qpNum(0x1000 + i));
    }
    assertNull(client.getCmEvent(TimeUnit.MILLISECONDS.toNanos(100)), "no answer");
    int waiting = 0;
    for (CmEvent event = server.getCmEvent(0); event != null; event = server.getCmEvent(0)) {
      assertEquals(CmEventType.CONNECT_REQUEST, event.type());
      waiting++;
    }
    assertEquals(most, waiting);
  }
}
