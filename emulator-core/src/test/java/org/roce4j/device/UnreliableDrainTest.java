package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/** SQD while a UC message is half sent, which takes several trains: it is finished first. */
class UnreliableDrainTest {
  private static final int TRAINS = 3;
  private static final int BYTES = TRAINS * Transmit.MAX_SEGMENTS * 256;

  private final LoneEngine lone = new LoneEngine(Gid.parse("10.0.0.1"), Mtu.MTU_256);
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private final MemoryRegion region = lone.pd.registerMemory(Arena.ofAuto().allocate(BYTES, 8), 0);
  private final QueuePair qp =
      lone.pd.createQp(
          new QpInitAttr()
              .qpType(QpType.UC)
              .cq(lone.pd.context().createCq(4))
              .cap(new QpCapabilities(2, 1, 1, 1, 0)));

  @Test
  void finishesTheMessageThatIsUnderWay() {
    connect();
    posts(BYTES);
    posts(8);
    assertEquals(Transmit.MAX_SEGMENTS, lone.engine.pollTransmit(1000, train));
    qp.modify(new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true));
    assertTrue(qp.query().sqDraining());
    refused(Errno.EINVAL, () -> qp.modify(new QpAttr().qpState(QpState.RTS)));
    for (int i = 1; i < TRAINS; i++) {
      assertEquals(Transmit.MAX_SEGMENTS, lone.engine.pollTransmit(1000, train));
    }
    assertEquals(0, lone.engine.pollTransmit(1000, train));
    assertFalse(qp.query().sqDraining());
    assertEquals(EventType.SQ_DRAINED, lone.pd.context().pollAsyncEvent().type());
    qp.modify(new QpAttr().qpState(QpState.RTS));
    assertEquals(1, lone.engine.pollTransmit(1000, train));
  }

  private void connect() {
    QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(Gid.parse("10.0.0.2"), 0), 17));
  }

  private void posts(int bytes) {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(WrOpcode.SEND).sge(region, 0, bytes);
    assertEquals(0, qp.postSend(list));
    lone.engine.handleDoorbells(1000);
  }
}
