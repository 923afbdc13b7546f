package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.management.JMX;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.cm.EmulatedCmChannel;
import org.roce4j.emulator.statistics.DeviceStatisticsMXBean;
import org.roce4j.emulator.statistics.PublishedStatistics;
import org.roce4j.emulator.statistics.QueuePairStatistics;
import org.roce4j.engine.Planted;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.ProviderId;

/** A device on sockets from its first context to its last, and again; the sockets are played. */
class SocketDeviceTest {
  private static final Gid OWN = Gid.parse("127.0.0.1");
  private static final Gid MORE = Gid.parse("127.0.0.5");
  private static final int UDP_PORT = 4999;
  private static final String PLAN_LOG = "roce4j.plan-log";

  @TempDir private Path directory;
  private final Thread thread = Thread.currentThread();
  private final ClassLoader usual = thread.getContextClassLoader();

  @BeforeEach
  void playSockets() throws IOException {
    PlayedSocket.OPENED.clear();
    Path file = Files.writeString(directory.resolve("s"), PlayedSocket.Provider.class.getName());
    thread.setContextClassLoader(
        new ClassLoader(usual) {
          @Override
          public Enumeration<URL> getResources(String name) throws IOException {
            return Collections.enumeration(List.of(file.toUri().toURL()));
          }
        });
  }

  @AfterEach
  void everyPortIsClosed() {
    thread.setContextClassLoader(usual);
    System.clearProperty(PLAN_LOG);
    PlayedSocket.fails = null;
    assertEquals(List.of(), open(), "no port is left open");
  }

  private static List<PlayedSocket> open() {
    return PlayedSocket.OPENED.stream().filter(each -> each.closes.get() == 0).toList();
  }

  private static DeviceOptions options() {
    return DeviceOptions.of("d", OWN).withTransport("played").withUdpPort(UDP_PORT);
  }

  private static SocketDevice device(DeviceOptions options) {
    return new SocketDevice(EmulatorProvider.INSTANCE, options);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void theFirstContextOpensAPortForEachEngineAndTheLastClosesThem(int engines) {
    SocketDevice device = device(options().withEngines(engines).withCheckIcrc(false));
    for (int round = 1; round <= 3; round++) {
      Context first = device.open();
      Context second = device.open();
      first.close();
      assertEquals(engines, open().size());
      second.close();
      assertEquals(List.of(), open());
      assertEquals(round * engines, PlayedSocket.OPENED.size());
    }
    PlayedSocket any = PlayedSocket.OPENED.getLast();
    assertEquals(List.of(OWN), any.options.addresses());
    assertEquals(UDP_PORT, any.options.udpPort());
    assertFalse(any.options.checkIcrc());
  }

  /** It sends what is due when no thread of the program does. */
  @Test
  void eachEngineHasAThreadWhileTheDeviceIsOpen() {
    DeviceOptions named = DeviceOptions.of("threads", OWN).withTransport("played");
    SocketDevice device = device(named.withUdpPort(UDP_PORT).withEngines(2));
    for (int round = 0; round < 2; round++) {
      assertEquals(List.of(), enginesThreads());
      try (Context _ = device.open()) {
        assertEquals(List.of("roce4j-threads", "roce4j-threads-1"), enginesThreads());
      }
    }
    assertEquals(List.of(), enginesThreads());
  }

  private static List<String> enginesThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("roce4j-threads"))
        .sorted()
        .toList();
  }

  @Test
  void whatTheHostReachesIsReachedFromItsAddress() {
    try (Context context = device(options()).open()) {
      EmulatedCmChannel channel = EmulatedCmChannel.open(List.of(context));
      ProviderId id = channel.createId(PortSpace.TCP, QpType.RC);
      id.resolveAddr(null, new InetSocketAddress(OWN.toInetAddress(), 7471), 2000);
      assertEquals(CmEventType.ADDR_RESOLVED, channel.take(0).type());
      assertEquals(OWN.toInetAddress(), id.localAddr().getAddress());
    }
  }

  /** A capture into a directory that is not there, and a port that fails below its faults. */
  @Test
  void whatFailsToOpenClosesItsPortsAndOpensLater() throws IOException {
    Path missing = directory.resolve("missing");
    SocketDevice captured =
        device(options().withEngines(2).withCapture(missing.resolve("a.pcap"), 100));
    assertThrows(VerbsException.class, captured::open);
    assertEquals(2, PlayedSocket.OPENED.size());
    assertEquals(List.of(), open());
    Files.createDirectory(missing);
    captured.open().close();
    SocketDevice faulty = device(options().withFaults(FaultPlan.parse("drop nth=1")));
    for (Planted failure : Planted.values()) {
      PlayedSocket.fails = failure;
      assertSame(failure.thrown(), assertThrows(Throwable.class, faulty::open));
      assertEquals(List.of(), open());
    }
    PlayedSocket.fails = null;
    faulty.open().close();
  }

  @Test
  void aDeviceThatIsNotOpenHasNothing() {
    SocketDevice device = device(options());
    for (int round = 0; round < 2; round++) {
      assertEquals(0, device.completed());
      assertEquals(List.of(), device.waitsFor());
      assertEquals(List.of(), device.psnWindows());
      assertEquals(Map.of(), device.openObjects());
      device.port(false);
      device.fail("nobody uses it");
      refused(Errno.ENODEV, () -> device.pkeys(0xffff));
      refused(Errno.ENODEV, () -> device.addAddress(MORE));
      refused(Errno.ENODEV, () -> device.removeAddress(OWN));
      refused(Errno.ENODEV, () -> device.fail((SharedReceiveQueue) null));
      try (Context context = device.open()) {
        assertEquals(PortState.ACTIVE, context.queryPort(1).state());
      }
    }
  }

  /** Until the last context is closed. */
  @Test
  void anAddressIsAddedToEveryPortAndRemovedFromEach() {
    SocketDevice device = device(options().withEngines(2));
    try (Context _ = device.open()) {
      device.addAddress(MORE);
      open().forEach(port -> assertEquals(List.of(OWN, MORE), port.addresses));
      device.removeAddress(OWN);
      open().forEach(port -> assertEquals(List.of(MORE), port.addresses));
      refused(Errno.EINVAL, () -> device.addAddress(2, OWN));
      refused(Errno.EINVAL, () -> device.removeAddress(2, MORE));
    }
    try (Context _ = device.open()) {
      open().forEach(port -> assertEquals(List.of(OWN), port.addresses));
    }
  }

  @Test
  void itsPortGoesDownAndUp() {
    SocketDevice device = device(options());
    try (Context context = device.open()) {
      for (boolean up : new boolean[] {false, true}) {
        device.port(up);
        assertEquals(up ? PortState.ACTIVE : PortState.DOWN, context.queryPort(1).state());
        EventType due = up ? EventType.PORT_ACTIVE : EventType.PORT_ERR;
        assertEquals(due, context.pollAsyncEvent().type());
      }
      device.port(false);
    }
    try (Context context = device.open()) {
      assertEquals(PortState.ACTIVE, context.queryPort(1).state());
    }
  }

  @Test
  void aDeviceThatFailsTellsItsContexts() {
    SocketDevice device = device(options());
    try (Context context = device.open()) {
      device.fail("the test wants it");
      assertEquals(EventType.DEVICE_FATAL, context.pollAsyncEvent().type());
    }
    try (Context context = device.open()) {
      context.allocPd().close();
    }
  }

  @Test
  void itKeepsNoPlaceOfObjectsUnlessItIsAskedTo() {
    SocketDevice device = device(options());
    try (Context context = device.open();
        var _ = context.allocPd()) {
      assertTrue(device.openObjects().values().stream().allMatch(Objects::isNull));
    }
  }

  /** Others cannot guess the numbers of a device without a seed. */
  @Test
  void itsNumbersAreRepeatedOnlyWithASeed() {
    assertEquals(SocketDevice.random(7).nextLong(), SocketDevice.random(7).nextLong());
    assertNotEquals(SocketDevice.random(0).nextLong(), SocketDevice.random(0).nextLong());
  }

  @Test
  void itsCompletionsAreCountedWhileItIsOpen() {
    SocketDevice device = device(options());
    try (Context context = device.open();
        ProtectionDomain pd = context.allocPd();
        CompletionQueue cq = context.createCq(4);
        QueuePair _ = sending(QpType.UC, pd, cq, 1, 0)) {
      assertEquals(1, device.completed(), "what nobody acknowledges completes when it is sent");
    }
    assertEquals(0, device.completed());
  }

  /** Asked for before the device is opened, while it is open, and of the next opening. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itRemembersWhereObjectsWereMade(boolean before) {
    SocketDevice device = device(options());
    if (before) {
      device.rememberOrigins();
    }
    for (int round = 0; round < 2; round++) {
      try (Context context = device.open()) {
        if (!before) {
          device.rememberOrigins();
        }
        try (var _ = context.allocPd()) {
          assertTrue(device.openObjects().values().stream().anyMatch(Objects::nonNull));
        }
      }
      assertEquals(Map.of(), device.openObjects());
    }
  }

  @Test
  void itsStatisticsArePublishedWhileItIsOpen() throws MalformedObjectNameException {
    String before = System.getProperty(PublishedStatistics.PROPERTY);
    System.setProperty(PublishedStatistics.PROPERTY, PublishedStatistics.ON);
    try {
      SocketDevice device = device(options());
      for (int round = 0; round < 2; round++) {
        try (Context context = device.open()) {
          ObjectName name = published().iterator().next();
          DeviceStatisticsMXBean told =
              JMX.newMXBeanProxy(
                  ManagementFactory.getPlatformMBeanServer(), name, DeviceStatisticsMXBean.class);
          assertEquals("d", told.getDevice());
          assertEquals(List.of("127.0.0.1"), told.getAddresses());
          try (ProtectionDomain pd = context.allocPd();
              CompletionQueue cq = context.createCq(4);
              QueuePair qp = sending(pd, cq, 1, 0)) {
            QueuePairStatistics due =
                new QueuePairStatistics(
                    qp.qpNum(), "RC", "RTS", "0x11 at 127.0.0.2", 0, 1, 0, 1, false, 0);
            assertEquals(List.of(due), told.getQueuePairs());
          }
        }
        assertEquals(Set.of(), published());
      }
    } finally {
      if (before == null) {
        System.clearProperty(PublishedStatistics.PROPERTY);
      } else {
        System.setProperty(PublishedStatistics.PROPERTY, before);
      }
    }
  }

  private static Set<ObjectName> published() throws MalformedObjectNameException {
    ObjectName pattern = new ObjectName(PublishedStatistics.PATTERN);
    return ManagementFactory.getPlatformMBeanServer().queryNames(pattern, null);
  }

  /** A plan from outside is for one device at a time, and its log is written when that closes. */
  @Test
  void aPlanFromOutsideGoesToTheNextDeviceWhenItsDeviceIsClosed() throws IOException {
    System.setProperty(PLAN_LOG, directory.toString());
    Path log = directory.resolve(ProcessHandle.current().pid() + ".txt");
    SocketDevice one = device(options());
    SocketDevice other = device(options().withUdpPort(UDP_PORT + 1));
    PlayedSocket.fails = Planted.EXCEPTION;
    assertThrows(IllegalStateException.class, one::open); // its plan is free again
    Files.delete(log);
    PlayedSocket.fails = null;
    Context first = one.open();
    other.open().close();
    other.open().close(); // its end does not free the plan
    assertTrue(Files.notExists(log));
    first.close();
    Files.delete(log);
    other.open().close();
    assertTrue(Files.exists(log));
  }

  /** Requests are held back by no rule, or by the rule of this device. */
  @ParameterizedTest
  @CsvSource({"'', true", "drop direction=out, false"})
  void itsFaultsAreBetweenItAndItsPorts(String plan, boolean sends) throws IOException {
    Path capture = directory.resolve("a.pcap");
    SocketDevice device =
        device(options().withFaults(FaultPlan.parse(plan)).withCapture(capture, 100));
    try (Context context = device.open()) {
      assertTrue(Files.exists(capture));
      assertEquals(sends, sends(device, context, 1, OWN));
    }
  }

  /** An address of a port that is down is silent, also one that comes meanwhile. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void aPortThatIsDownIsSilentUnderEachOfItsAddresses(int engines) {
    Gid second = Gid.parse("127.0.0.6");
    SocketDevice device = device(options().withPort(second).withEngines(engines));
    try (Context context = device.open()) {
      device.port(2, false);
      device.addAddress(2, MORE);
      assertTrue(sends(device, context, engines - 1, 1, OWN));
      assertFalse(sends(device, context, engines - 1, 2, second));
      assertFalse(sends(device, context, engines - 1, 2, MORE));
      device.port(2, true);
      assertTrue(sends(device, context, engines - 1, 2, second));
      assertTrue(sends(device, context, engines - 1, 2, MORE));
    }
  }

  private static boolean sends(SocketDevice device, Context context, int port, Gid from) {
    return sends(device, context, 0, port, from);
  }

  /** A queue pair of an engine sends to nobody. Whether the ports were given a packet. */
  private static boolean sends(
      SocketDevice device, Context context, int engine, int port, Gid from) {
    int index =
        context.queryGidTable().stream()
            .filter(entry -> entry.portNum() == port && entry.gid().equals(from))
            .mapToInt(GidEntry::gidIndex)
            .findFirst()
            .orElseThrow();
    int before = sent();
    try (ProtectionDomain pd = context.allocPd();
        CompletionQueue cq = context.createCq(4, null, null, engine);
        QueuePair _ = sending(pd, cq, port, index)) {
      assertEquals(1, device.psnWindows().size());
      assertFalse(device.waitsFor().isEmpty());
      return sent() > before;
    }
  }

  private static QueuePair sending(ProtectionDomain pd, CompletionQueue cq, int port, int index) {
    return sending(QpType.RC, pd, cq, port, index);
  }

  private static QueuePair sending(
      QpType type, ProtectionDomain pd, CompletionQueue cq, int port, int index) {
    QpCapabilities cap = new QpCapabilities(1, 1, 1, 1, 0);
    QueuePair qp = pd.createQp(new QpInitAttr().qpType(type).sendCq(cq).recvCq(cq).cap(cap));
    AhAttr path = AhAttr.roce(Gid.parse("127.0.0.2"), index).onPort(port);
    QpBringUp.toRts(qp, QpBringUp.attributes(path, 17).portNum(port));
    try (SendRequestList list = new SendRequestList(1, 1, 0);
        RecvRequestList room = new RecvRequestList(1, 1)) {
      room.add();
      qp.postRecvOrThrow(room);
      list.add().opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
      qp.postSendOrThrow(list);
    }
    return qp;
  }

  private static int sent() {
    return PlayedSocket.OPENED.stream().mapToInt(each -> each.sent.get()).sum();
  }

  @Test
  void itsKeysAndQueuesAreChangedFromOutside() {
    SocketDevice device = device(options());
    try (Context context = device.open()) {
      device.pkeys(0xffff, 0x8001);
      assertEquals(0x8001, context.queryPkey(1, 1));
      assertEquals(EventType.PKEY_CHANGE, context.pollAsyncEvent().type());
      try (ProtectionDomain pd = context.allocPd();
          SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1))) {
        device.fail(srq);
        AsyncEvent event = context.pollAsyncEvent();
        assertEquals(EventType.SRQ_ERR, event.type());
        event.ack();
      }
    }
  }

  @Test
  void theBroadcastAddressOfAnInterfaceIsRefused() {
    Gid broadcast = Gid.parse("127.255.255.255");
    DeviceOptions wrong = options().withAddresses(List.of(broadcast));
    refused(Errno.EADDRNOTAVAIL, () -> device(wrong).open());
    assertEquals(List.of(), PlayedSocket.OPENED);
    SocketDevice device = device(options());
    try (Context _ = device.open()) {
      refused(Errno.EADDRNOTAVAIL, () -> device.addAddress(broadcast));
      assertEquals(List.of(OWN), open().getFirst().addresses);
    }
  }

  /** Loopback takes the largest path MTU. */
  @Test
  void itsMtuIsThatOfItsInterfaceUnlessItIsSaid() {
    try (Context context = device(options()).open()) {
      assertEquals(Mtu.MTU_4096, context.queryPort(1).activeMtu());
    }
    try (Context context = device(options().withActiveMtu(Mtu.MTU_512)).open()) {
      assertEquals(Mtu.MTU_512, context.queryPort(1).activeMtu());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, 027f00fffe000001",
    "10.1.2.3, 020a00fffe010203",
    "::1, 0200000000000001",
    "0:0:0:2::1, 020000000000003f"
  })
  void itsGuidIsOfItsAddress(String address, String guid) {
    SocketDevice device = device(DeviceOptions.of("d", Gid.parse(address)));
    assertEquals(guid, HexFormat.of().toHexDigits(device.guid()));
    assertSame(EmulatorProvider.INSTANCE, device.provider());
  }
}
