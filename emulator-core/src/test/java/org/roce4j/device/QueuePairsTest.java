package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/**
 * The reported attributes of a queue pair, each number under its own name, before and after a
 * flush.
 */
class QueuePairsTest {
  @AutoClose private final Arena arena = Arena.ofShared();
  private final Device device =
      LoneEngine.device(PlayedPeer.HERE, Mtu.MTU_1024, DeviceLimits.DEFAULT);

  /** The attributes as the statistics have them. */
  private record Told(
      int number,
      String service,
      String state,
      String peer,
      long sends,
      int sendsOutstanding,
      long receives,
      int receivesPosted,
      boolean sharedReceives,
      long rnrNaks) {}

  @Test
  void whatWasDoneAndWhatIsPostedAreDifferentNumbers() {
    device.attach(PortControl.NONE, Progress.NONE);
    Context context = EmulatedContext.open(device, () -> {});
    CompletionQueue cq = context.createCq(16);
    QueuePair qp =
        context.allocPd().createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(8, 8, 1, 1, 0)));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
    for (int i = 0; i < 3; i++) {
      assertEquals(0, qp.postRecv(new RecvRequestList(arena, 1, 0).add()));
    }
    SendRequestList send = new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND);
    for (int i = 0; i < 2; i++) {
      assertEquals(0, qp.postSend(send.flags(SendFlags.SIGNALED)));
    }
    String peer = "0x11 at 10.0.0.2";
    assertEquals(new Told(qp.qpNum(), "RC", "RTS", peer, 0, 2, 0, 3, false, 0), told(qp), "posted");
    qp.modify(new QpAttr().qpState(QpState.ERR));
    device.engine(0).handleDoorbells(0);
    device.engine(0).pollTransmit(0, new Transmit(ByteBuffer.allocateDirect(4096), 1));
    assertEquals(
        new Told(qp.qpNum(), "RC", "ERR", peer, 2, 0, 3, 0, false, 0), told(qp), "flushed");
  }

  private Told told(QueuePair qp) {
    List<Told> all = QueuePairs.of(device, Told::new);
    assertEquals(1, all.size());
    assertEquals(qp.qpNum(), all.getFirst().number());
    return all.getFirst();
  }
}
