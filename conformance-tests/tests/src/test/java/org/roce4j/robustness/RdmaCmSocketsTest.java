package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/** rdma_cm over UDP sockets with waiting threads; both ends are in this process. */
@Timeout(60)
class RdmaCmSocketsTest {
  private static final int PORT = 7471;

  private static Context open(String name, Gid address, String transport, int engines) {
    return Emulator.device(
            DeviceOptions.of(name, address).withTransport(transport).withEngines(engines))
        .open();
  }

  private static InetSocketAddress at(Gid address, int port) {
    return new InetSocketAddress(address.toInetAddress(), port);
  }

  private static QpInitAttr attr() {
    return new QpInitAttr().cap(new QpCapabilities(4, 4, 1, 1, 0));
  }

  @ParameterizedTest
  @CsvSource({"linux, 1", "linux, 4", "netty, 1"})
  void aMessageGoesOverAConnection(String transport, int engines) throws Exception {
    Gid here = Loopback.fresh();
    Gid there = Loopback.fresh();
    try (Context one = open("cm-a", here, transport, engines);
        Context other = open("cm-b", there, transport, engines)) {
      sendAMessage(one, other, there);
    }
  }

  /** A thread that waits drives the first device of its channel; the event comes from the other. */
  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty"})
  void aWaitEndsWithAnEventOfAnotherDeviceOfTheChannel(String transport) throws Exception {
    Gid there = Loopback.fresh();
    try (Context one = open("cm-a", Loopback.fresh(), transport, 1);
        Context other = open("cm-b", there, transport, 1);
        RdmaCm cm = RdmaCm.open(one, other)) {
      EventChannel channel = cm.createEventChannel();
      FutureTask<CmEvent> waiting = new FutureTask<>(channel::getCmEvent);
      Thread thread = Thread.ofPlatform().daemon().start(waiting);
      thread.join(100); // until it waits
      channel.createId(PortSpace.TCP).resolveAddr(at(there, 0), at(there, PORT), 2000);
      waiting.get(20, TimeUnit.SECONDS).ack();
    }
  }

  /** A loopback interface has one IPv6 address, so both ends are on one device. */
  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty"})
  void aMessageGoesOverAConnectionOfIpv6(String transport) throws Exception {
    Gid here = Loopback.ipv6();
    RdmaDevice device =
        Emulator.device(
            DeviceOptions.of("cm-6", here)
                .withTransport(transport)
                .withUdpPort(Loopback.freeUdpPort(here.toInetAddress())));
    try (Context one = device.open();
        Context other = device.open()) {
      sendAMessage(one, other, here);
    }
  }

  private static void sendAMessage(Context one, Context other, Gid there) throws Exception {
    try (RdmaCm client = RdmaCm.open(one);
        RdmaCm server = RdmaCm.open(other);
        Arena arena = Arena.ofShared();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        CmId listener = server.createId(PortSpace.TCP)) {
      listener.bindAddr(at(there, PORT));
      listener.listen(4);
      Future<Long> served = threads.submit(() -> serve(listener, arena));
      try (CmId id = client.createId(PortSpace.TCP)) {
        id.resolveAddr(null, at(there, PORT), 2000);
        id.resolveRoute(2000);
        id.createQp(null, attr());
        MemorySegment memory = arena.allocate(64);
        memory.set(ValueLayout.JAVA_LONG, 0, 0x5EED);
        MemoryRegion mr = RdmaVerbs.regMsgs(id, memory);
        id.connect(new ConnParam());
        RdmaVerbs.postSend(id, 7, memory, mr, SendFlags.SIGNALED);
        WorkCompletions completions = new WorkCompletions(arena, 1);
        RdmaVerbs.getSendComp(id, completions);
        assertEquals(WcStatus.SUCCESS, completions.status(0));
        id.disconnect();
        assertEquals(0x5EED, served.get(30, TimeUnit.SECONDS));
        mr.close();
      }
    }
  }

  private static long serve(CmId listener, Arena arena) {
    try (CmId id = listener.getRequest()) {
      id.createQp(null, attr());
      MemorySegment memory = arena.allocate(64);
      MemoryRegion mr = RdmaVerbs.regMsgs(id, memory);
      RdmaVerbs.postRecv(id, 1, memory, mr);
      id.accept(new ConnParam());
      WorkCompletions completions = new WorkCompletions(arena, 1);
      RdmaVerbs.getRecvComp(id, completions);
      assertEquals(WcStatus.SUCCESS, completions.status(0));
      long received = memory.get(ValueLayout.JAVA_LONG, 0);
      mr.close();
      return received;
    }
  }

  @Test
  void withoutContextsItOpensTheDevicesThatThereAreAndClosesThem() {
    Map<String, String> settings =
        Map.of(
            "roce4j.device.cm-one.addresses", Loopback.fresh().addressText(),
            "roce4j.device.cm-two.addresses", Loopback.fresh().addressText(),
            "roce4j.device.cm-elsewhere.addresses", "192.0.2.1");
    settings.forEach(System::setProperty);
    try {
      List<Context> opened;
      try (RdmaCm cm = RdmaCm.open()) {
        opened = cm.devices();
        assertEquals(
            Set.of("cm-one", "cm-two"),
            opened.stream().map(each -> each.device().name()).collect(Collectors.toSet()));
        opened.forEach(each -> each.allocPd().close());
      }
      opened.forEach(each -> assertThrows(VerbsException.class, each::allocPd));
    } finally {
      settings.keySet().forEach(System::clearProperty);
    }
  }

  @Test
  void oneChannelHearsAtTwoDevices() {
    Gid here = Loopback.fresh();
    Gid one = Loopback.fresh();
    Gid two = Loopback.fresh();
    try (Context clientDevice = open("cm-c", here, "linux", 1);
        Context first = open("cm-d", one, "linux", 1);
        Context second = open("cm-e", two, "linux", 2);
        RdmaCm client = RdmaCm.open(clientDevice);
        RdmaCm server = RdmaCm.open(first, second)) {
      EventChannel requests = server.createEventChannel();
      CmId listener = requests.createId(PortSpace.TCP);
      listener.bindAddr(new InetSocketAddress(PORT));
      listener.listen(0);
      EventChannel outcomes = client.createEventChannel();
      for (Gid to : List.of(two, one)) {
        CmId id = outcomes.createId(PortSpace.TCP);
        id.resolveAddr(null, at(to, PORT), 2000);
        outcomes.getCmEvent().ack();
        id.resolveRoute(2000);
        outcomes.getCmEvent().ack();
        id.connect(new ConnParam().qpNum(0x1234));
      }
      List<Context> asked = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        try (CmEvent event = requests.getCmEvent(TimeUnit.SECONDS.toNanos(20))) {
          assertTrue(event instanceof CmEvent.ConnectRequest, () -> "not a request: " + event);
          asked.add(event.id().verbs());
        }
      }
      assertNotSame(asked.get(0), asked.get(1));
    }
  }
}
