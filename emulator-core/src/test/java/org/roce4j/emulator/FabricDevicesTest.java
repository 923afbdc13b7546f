package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.FabricPort;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;

/** Devices on one virtual network: their options, their ports, and calls of several threads. */
class FabricDevicesTest {
  private static final Gid OWN = Gid.parse("10.0.0.1");
  private static final Gid OTHER = Gid.parse("10.0.0.2");

  /** More than a thread makes that only sets up. */
  private static final int CALLS = 300_000;

  @AutoClose private final FabricDevices network = new FabricDevices(FabricOptions.of(1));

  @Test
  void aDeviceHasTheMtuOfItsOptionsOrTheLargest() {
    DeviceOptions options = DeviceOptions.of("own", OWN);
    DeviceOptions small = DeviceOptions.of("small", OTHER).withActiveMtu(Mtu.MTU_512);
    assertEquals(Mtu.MTU_4096, network.device(options).open().queryPort(1).activeMtu());
    assertEquals(Mtu.MTU_512, network.device(small).open().queryPort(1).activeMtu());
  }

  /**
   * A seed of 0 is one of the network, not a device's, which would mean that nothing is repeated.
   */
  @ParameterizedTest
  @ValueSource(longs = {0, 1, -1})
  void numbersOfANetworkAreRepeatedAndDifferFromDeviceToDevice(long seed) {
    try (FabricDevices first = new FabricDevices(FabricOptions.of(seed));
        FabricDevices again = new FabricDevices(FabricOptions.of(seed))) {
      int number = firstNumber(first, OWN);
      assertEquals(number, firstNumber(again, OWN));
      assertNotEquals(number, firstNumber(first, OTHER));
    }
  }

  private static int firstNumber(FabricDevices of, Gid address) {
    Context context = of.device("a" + address.addressText(), address).open();
    ProtectionDomain pd = context.allocPd();
    return pd.createQp(new QpInitAttr().cq(context.createCq(1))).qpNum();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void addressesAreOfAPortThatTheDeviceHas(int port) {
    EmulatedDevice device = network.device("own", OWN);
    refused(Errno.EINVAL, () -> device.addAddress(port, OTHER));
    refused(Errno.EINVAL, () -> device.removeAddress(port, OWN));
    refused(Errno.EINVAL, () -> device.port(port, false));
  }

  @Test
  void aPortThatGoesDownIsToldToTheProgram() {
    EmulatedDevice device = network.device("own", OWN);
    Context context = device.open();
    for (boolean up : new boolean[] {false, true}) {
      device.port(1, up);
      assertEquals(up ? PortState.ACTIVE : PortState.DOWN, context.queryPort(1).state());
      AsyncEvent event = context.getAsyncEvent();
      assertEquals(up ? EventType.PORT_ACTIVE : EventType.PORT_ERR, event.type());
      event.ack();
    }
  }

  @Test
  void aDeviceThatFailsTellsItsContexts() {
    EmulatedDevice device = network.device("own", OWN);
    try (Context context = device.open()) {
      device.fail("the test wants it");
      assertEquals(EventType.DEVICE_FATAL, context.getAsyncEvent().type());
    }
  }

  /** Calls are counted over all contexts of the device. */
  @Test
  void aPlanFromOutsideMeetsOneCallOfADevice() {
    System.setProperty("roce4j.plan", "refuse=ENOMEM call=createCq nth=2");
    try {
      EmulatedDevice device = network.device("own", OWN);
      device.open().createCq(1);
      Context second = device.open();
      refused(Errno.ENOMEM, () -> second.createCq(1));
      second.createCq(1);
    } finally {
      System.clearProperty("roce4j.plan");
    }
  }

  /** The plan's faults at the verbs and its log. A plan that is not understood makes no device. */
  @Test
  void aPlanFromOutsideIsForTheFirstDeviceOfANetwork(@TempDir Path directory) {
    System.setProperty("roce4j.plan-log", directory.toString());
    try (FabricDevices planned = new FabricDevices(FabricOptions.of(1))) {
      System.setProperty("roce4j.plan", "reffuse=ENOMEM");
      refused(Errno.EINVAL, () -> planned.device("own", OWN));
      System.setProperty("roce4j.plan", "refuse=ENOMEM call=createCq");
      Context first = planned.device("own", OWN).open();
      Context second = planned.device("other", OTHER).open();
      refused(Errno.ENOMEM, () -> first.createCq(1));
      second.createCq(1);
    } finally {
      System.clearProperty("roce4j.plan");
      System.clearProperty("roce4j.plan-log");
    }
    assertTrue(Files.exists(directory.resolve(ProcessHandle.current().pid() + ".txt")));
  }

  @Test
  void aNetworkThatIsClosedEndsEachWaitAndHasNoPort() {
    Context context = network.device("own", OWN).open();
    FabricPort port = network.fabric().attach(List.of(OTHER));
    network.close();
    refused(Errno.ENODEV, context::getAsyncEvent);
    assertTrue(port.toString().endsWith(" closed"), port::toString);
  }

  /** Such as one that waits for the state of a queue pair, or for an event without blocking. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aThreadThatCallsAgainAndAgainLetsTimePass(boolean changes) {
    Context context = network.device("own", OWN).open();
    ProtectionDomain pd = context.allocPd();
    QueuePair qp = pd.createQp(new QpInitAttr().cq(context.createCq(1)));
    QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(OTHER, 0), 17).timeout(1).retryCnt(1));
    try (SendRequestList send = new SendRequestList(1, 1, 0)) {
      qp.postSendOrThrow(send.add().opcode(WrOpcode.SEND));
    }
    for (int calls = 0; calls < CALLS && qp.state() != QpState.ERR; calls++) {
      if (changes) {
        context.allocPd().close();
      } else {
        assertNull(context.pollAsyncEvent());
      }
    }
    assertEquals(QpState.ERR, qp.state(), "nobody has answered");
  }

  /** It is not of the network, so that no time is expected to pass for it. */
  @Test
  void aThreadThatHasNeverUsedTheNetworkMayLookForEvents() throws Exception {
    Context context = network.device("own", OWN).open();
    elsewhere(() -> assertNull(context.pollAsyncEvent()));
  }

  @Test
  void aNetworkForOneThreadRefusesAnother() throws Exception {
    Context context = network.device("own", OWN).open();
    network.forOneThread();
    elsewhere(() -> refused(Errno.EPERM, () -> context.createCq(1)));
    context.createCq(1);
  }

  /** Each call of one thread leaves the network to the others. */
  @Test
  void anotherThreadUsesWhatOneHasChanged() throws Exception {
    EmulatedDevice device = network.device("own", OWN);
    EmulatedDevice gone = network.device("other", OTHER);
    Context context = device.open();
    elsewhere(() -> context.createCq(1));
    assertThrows(VerbsException.class, () -> network.device("again", OWN));
    elsewhere(() -> context.createCq(1));
    network.stopTime();
    elsewhere(() -> context.createCq(1));
    network.unplug(gone);
    elsewhere(() -> context.createCq(1));
    network.close();
    elsewhere(context::close);
  }

  private static void elsewhere(Runnable call) throws Exception {
    CompletableFuture.runAsync(call).get(10, TimeUnit.SECONDS);
  }
}
