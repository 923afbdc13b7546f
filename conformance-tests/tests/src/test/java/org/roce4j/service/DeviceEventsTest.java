package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** What happens to a device, and what its contexts are told of it. */
@EmulatedRdma(devices = 1)
class DeviceEventsTest {
  private static EmulatedDevice device(Context context) {
    return (EmulatedDevice) context.device();
  }

  private static void told(Context context, EventType type) {
    AsyncEvent event = context.pollAsyncEvent();
    assertEquals(type, event.type());
    event.ack();
    assertNull(context.pollAsyncEvent());
  }

  @Test
  @Tag("ibv_query_pkey")
  @Tag("ibv_get_pkey_index")
  void anotherTableOfPartitionsIsToldAndAsked(Context context) {
    assertEquals(1, context.queryPort(1).pkeyTableLength());
    device(context).pkeys(0xffff, 0x0012, 0x8013);
    told(context, EventType.PKEY_CHANGE);
    assertEquals(3, context.queryPort(1).pkeyTableLength());
    assertEquals(3, context.queryDevice().maxPkeys());
    assertEquals(0x0012, context.queryPkey(1, 1));
    assertEquals(2, context.pkeyIndex(1, 0x8013));
    assertThrows(VerbsException.class, () -> context.queryPkey(1, 3));
    assertThrows(VerbsException.class, () -> device(context).pkeys());
    assertThrows(VerbsException.class, () -> device(context).pkeys(0x1_0000));
    assertNull(context.pollAsyncEvent());
  }

  @Test
  void aQueuePairHasTheKeyThatStandsAtItsIndexNow(Context context) {
    device(context).pkeys(0xffff, 0x8012);
    LoopedPair loop = new LoopedPair(context);
    loop.qp.modify(new QpAttr().qpState(QpState.SQD));
    loop.qp.modify(new QpAttr().qpState(QpState.SQD).pkeyIndex(1));
    loop.qp.modify(new QpAttr().qpState(QpState.RTS));
    loop.request(WrOpcode.RDMA_WRITE, loop.region, 64).sge(loop.region, 0, 8);
    assertEquals(WcStatus.SUCCESS, loop.status());
    device(context).pkeys(0xffff, 0x0012); // two limited members may not talk
    loop.request(WrOpcode.RDMA_WRITE, loop.region, 64).sge(loop.region, 0, 8);
    assertEquals(WcStatus.RETRY_EXC_ERR, loop.status());
    assertEquals(true, context.queryPort(1).badPkeyCounter() > 0);
  }

  @Test
  void aDeviceThatFailsSaysSoAndFlushes(Context context) {
    LoopedPair loop = new LoopedPair(context);
    device(context).fail("a fan stands still");
    told(context, EventType.DEVICE_FATAL);
    VerbsException e = assertThrows(VerbsException.class, context::allocPd);
    assertEquals(Errno.ENODEV, e.errno());
    assertEquals(true, e.remedy().contains("a fan stands still"), e::remedy);
    loop.request(WrOpcode.RDMA_WRITE, loop.region, 64).sge(loop.region, 0, 8);
    assertEquals(WcStatus.WR_FLUSH_ERR, loop.status());
  }
}
