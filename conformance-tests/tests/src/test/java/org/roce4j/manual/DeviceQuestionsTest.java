package org.roce4j.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.manual.AnswerSteps.refused;

import java.net.InetAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.Limit;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.junit.OnDevice;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.ForkStatus;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.LinkLayer;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.WcStatus;

/** Chapters 3 and 5.1: devices, ports and their tables. */
@DisplayName("Devices and ports")
@EmulatedRdma
class DeviceQuestionsTest {
  @DisplayName("I do not know whether I need fork(): may I enable it, to be safe? (yes)")
  @Test
  void fork(Context a, Context b) {
    try (AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      Verbs.forkInit();
      Verbs.forkInit();
      assertNotEquals(ForkStatus.DISABLED, Verbs.forkStatus());
      ends.work();
    }
  }

  @DisplayName(
      "ibv_get_device_list() returns NULL: what does it mean? (here there is always a list)")
  @Test
  void noList() {
    assertNotNull(Verbs.devices());
  }

  @DisplayName(
      "ibv_get_device_list() finds no device: what does it mean? (a name that is not there)")
  @Test
  void noDevice() {
    String message = refused(Errno.ENODEV, () -> Verbs.device("no-such-device"));
    assertTrue(message.contains("no-such-device"), message);
  }

  @DisplayName("ibv_query_device() says X, but I can create only Y of them: is that right?")
  @Test
  void others() {
    try (FabricDevices devices = new FabricDevices(FabricOptions.of(1))) {
      EmulatedDevice device =
          devices.device(
              devices.options("small", Gid.parse("10.0.0.9")).withLimit(Limit.MAX_CQ, 2));
      Context mine = device.open();
      Context theirs = device.open();
      theirs.createCq(1);
      assertEquals(2, mine.queryDevice().maxCq());
      mine.createCq(1);
      refused(Errno.ENOMEM, () -> mine.createCq(1));
    }
  }

  @DisplayName("Can I know how many elements of a resource can be created? (only by trying)")
  @Test
  void unknown() {
    try (FabricDevices devices = new FabricDevices(FabricOptions.of(1))) {
      Context mine =
          devices
              .device(devices.options("small", Gid.parse("10.0.0.9")).withLimit(Limit.MAX_PD, 3))
              .open();
      for (int made = 0; made < 3; made++) {
        assertEquals(3, mine.queryDevice().maxPd(), "the limit, whatever is left of it");
        mine.allocPd();
      }
      refused(Errno.ENOMEM, mine::allocPd);
    }
  }

  @DisplayName("Do I need every value of ibv_query_port() on RoCE? (not those of InfiniBand)")
  @Test
  void valuesOfRoce(Context context) {
    PortAttr port = context.queryPort(1);
    assertEquals(LinkLayer.ETHERNET, port.linkLayer());
    assertEquals(PortState.ACTIVE, port.state());
    assertEquals(0, port.lid());
    assertEquals(0, port.smLid());
    assertEquals(0, port.lmc());
    assertEquals(0, port.smSl());
  }

  @DisplayName("May I keep values of ibv_query_port()? (all but the state and what goes with it)")
  @Test
  void keptPort(@OnDevice(0) EmulatedDevice device, @OnDevice(0) Context context) {
    PortAttr before = context.queryPort(1);
    device.port(false);
    PortAttr after = context.queryPort(1);
    assertNotEquals(before.state(), after.state());
    assertEquals(before.gidTableLength(), after.gidTableLength());
    assertEquals(before.pkeyTableLength(), after.pkeyTableLength());
    assertEquals(before.maxMtu(), after.maxMtu());
    assertEquals(before.maxMessageSize(), after.maxMessageSize());
    assertEquals(before.portCapFlags(), after.portCapFlags());
    device.port(true);
    assertEquals(before, context.queryPort(1));
  }

  @DisplayName("What is a GID good for? (global address of 128 bits; on RoCE v2 the IP address)")
  @Test
  void gid(Context context) throws Exception {
    Gid gid = context.queryGid(1, 0);
    assertEquals(32, gid.toHex().length());
    assertEquals(InetAddress.getByName("10.0.0.1"), gid.toInetAddress());
  }

  @DisplayName("I am using IBoE: do I use ibv_query_gid()?")
  @Test
  void gidOnRoce(Context a, Context b) {
    try (AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      assertEquals(b.queryGid(1, 0), ends.near().qp().query().ahAttr().grh().dgid());
      ends.work();
    }
  }

  @DisplayName("May I keep the value of ibv_query_gid()? (until GID_CHANGE)")
  @Test
  void keptGid(@OnDevice(0) EmulatedDevice device, @OnDevice(0) Context context) {
    Gid before = context.queryGid(1, 0);
    device.port(false);
    device.port(true);
    assertEquals(before, context.queryGid(1, 0));
    assertEquals(before, context.queryGidEx(1, 0).gid());
    told(context, EventType.PORT_ERR, EventType.PORT_ACTIVE);
    device.addAddress(Gid.parse("10.0.0.77"));
    device.removeAddress(before);
    told(context, EventType.GID_CHANGE, EventType.GID_CHANGE);
    assertEquals(Gid.ZERO, context.queryGid(1, 0));
  }

  private static void told(Context context, EventType... types) {
    for (EventType type : types) {
      AsyncEvent event = context.pollAsyncEvent();
      assertEquals(type, event.type());
      event.ack();
    }
  }

  @DisplayName("What is a P_Key good for? (one partition, and one of both is a full member)")
  @ParameterizedTest
  @CsvSource({
    "0x8012, 0x8012, true",
    "0x8012, 0x0012, true",
    "0x0012, 0x8012, true",
    "0x0012, 0x0012, false",
    "0x8012, 0x8013, false",
  })
  void pkey(
      int here,
      int there,
      boolean talk,
      @OnDevice(0) EmulatedDevice near,
      @OnDevice(1) EmulatedDevice far,
      @OnDevice(0) Context a,
      @OnDevice(1) Context b) {
    near.pkeys(0xffff, here);
    far.pkeys(0xffff, there);
    assertEquals(1, a.pkeyIndex(1, here));
    try (RdmaEnd left = new RdmaEnd(a, QpType.RC);
        RdmaEnd right = new RdmaEnd(b, QpType.RC)) {
      RdmaEnd.connect(left, right, attr -> attr.pkeyIndex(1));
      right.postReceive(1, 0, 64);
      left.postSend(2, 0, 64);
      assertEquals(talk ? WcStatus.SUCCESS : WcStatus.RETRY_EXC_ERR, left.next().status());
    }
  }

  @DisplayName("I am using IBoE: do I use ibv_query_pkey()? (no: the default P_Key is there alone)")
  @Test
  void pkeyOnRoce(Context context) {
    assertEquals(0xffff, context.queryPkey(1, 0));
    assertEquals(-1, context.pkeyIndex(1, 0x8001));
  }

  @DisplayName("May I keep the value of ibv_query_pkey()? (until PKEY_CHANGE)")
  @Test
  void keptPkey(@OnDevice(0) EmulatedDevice device, @OnDevice(0) Context context) {
    int before = context.queryPkey(1, 0);
    device.port(false);
    device.port(true);
    assertEquals(before, context.queryPkey(1, 0));
    told(context, EventType.PORT_ERR, EventType.PORT_ACTIVE);
    device.pkeys(0x8012);
    told(context, EventType.PKEY_CHANGE);
    assertEquals(0x8012, context.queryPkey(1, 0));
  }
}
