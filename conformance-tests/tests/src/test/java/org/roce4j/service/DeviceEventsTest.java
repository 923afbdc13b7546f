package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.roce4j.conformance.bench.Expect.refused;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.PortCapFlags;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Events of a device, as its contexts receive them. */
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
    assertThrows(VerbsException.class, () -> device(context).pkeys((int[]) null));
    assertThrows(VerbsException.class, () -> device(context).pkeys(0x1_0000));
    device(context).pkeys(0xffff, 0x0012, 0x8013);
    assertNull(context.pollAsyncEvent(), "nothing has changed");
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
    VerbsException e = refused(Errno.ENODEV, context::allocPd);
    assertEquals(true, e.remedy().contains("a fan stands still"), e::remedy);
    loop.request(WrOpcode.RDMA_WRITE, loop.region, 64).sge(loop.region, 0, 8);
    assertEquals(WcStatus.WR_FLUSH_ERR, loop.status());
  }

  @Test
  void aSharedReceiveQueueThatFailsTakesItsQueuePairsAlong(Context context) {
    End end = new End(context);
    SharedReceiveQueue srq = end.pd.createSrq(new SrqInitAttr(8, 1));
    QueuePair qp = end.queuePair(QpType.RC, srq);
    QueuePair idle = end.pd.createQp(new QpInitAttr().cq(end.cq).srq(srq).qpType(QpType.RC));
    QueuePair other = end.queuePair(QpType.RC, null);
    end.connect(qp, end, qp);
    end.receive(srq, 0, 64);
    device(context).fail(srq);
    AsyncEvent event = end.event();
    assertEquals(EventType.SRQ_ERR, event.type());
    assertEquals(srq, event.srq());
    for (EventType type : List.of(EventType.QP_FATAL, EventType.QP_LAST_WQE_REACHED)) {
      event = end.event();
      assertEquals(type, event.type());
      assertEquals(qp, event.qp());
    }
    device(context).fail(srq);
    assertNull(context.pollAsyncEvent());
    assertEquals(QpState.ERR, qp.state());
    assertEquals(QpState.RESET, idle.state());
    assertEquals(QpState.INIT, other.state());
    end.assertNothing();
    assertEquals(PostResult.of(Errno.EIO, 0), end.postReceive(srq, 1, 64));
    refused(Errno.EIO, () -> srq.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT));
    refused(Errno.EIO, () -> end.queuePair(QpType.RC, srq));
    refused(Errno.EINVAL, () -> device(context).fail((SharedReceiveQueue) null));
    qp.close();
    idle.close();
    srq.close();
    refused(Errno.EINVAL, () -> device(context).fail(srq));
  }

  @Test
  void aDeviceLeavesTheQueuesOfAnotherAlone(Context context) {
    try (FabricDevices elsewhere = new FabricDevices(FabricOptions.of(1));
        Context foreign = elsewhere.device("other", Gid.parse("10.0.0.1")).open();
        ProtectionDomain pd = foreign.allocPd();
        SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(8, 1))) {
      refused(Errno.EINVAL, () -> device(context).fail(srq));
      assertNull(foreign.pollAsyncEvent());
      srq.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT);
    }
  }

  /**
   * PATH_MIG, PATH_MIG_ERR, LID_CHANGE, SM_CHANGE, CLIENT_REREGISTER, WQ_FATAL,
   * DEVICE_SPEED_CHANGE: the device never raises them and never offers to.
   */
  @Test
  void whatTheDeviceDoesNotOfferIsRefused(Context context) {
    assertEquals(0, context.queryDevice().deviceCapFlags() & DeviceCapFlags.AUTO_PATH_MIG);
    LoopedPair loop = new LoopedPair(context);
    AhAttr path = AhAttr.roce(context.queryGid(1, 0), 0);
    loop.qp.modify(new QpAttr().qpState(QpState.SQD));
    QpAttr alternate = new QpAttr().qpState(QpState.SQD).altAhAttr(path);
    refused(Errno.EINVAL, () -> loop.qp.modify(alternate));
    PortAttr port = context.queryPort(1);
    assertEquals(List.of(0, 0), List.of(port.lid(), port.smLid()));
    assertEquals(0, port.portCapFlags() & PortCapFlags.CLIENT_REG);
    assertEquals(0, context.queryDeviceEx().maxWqTypeRq());
    device(context).port(false);
    assertEquals(port.activeSpeed(), context.queryPort(1).activeSpeed());
  }
}
