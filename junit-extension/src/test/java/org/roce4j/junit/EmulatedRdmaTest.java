package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.connect.RcPair;
import org.roce4j.connect.UdPair;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.Fabric;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;

/** Uses the extension like a test of a user. */
@EmulatedRdma(seed = 7)
class EmulatedRdmaTest {
  private Context early;

  @BeforeEach
  void takesDevicesBefore(Context context) {
    early = context;
  }

  @AfterEach
  void seesCountersAfter(EmulatedNetwork network) {
    assertTrue(network.counters(0).containsKey("sent_pkts"));
    assertTrue(Files.isDirectory(network.directory()));
  }

  @Test
  void parametersAreDevicesInTheirOrder(
      RdmaDevice first, RdmaDevice second, Context a, Context b, @OnDevice(0) Context again) {
    assertEquals("roce0", first.name());
    assertEquals("roce1", second.name());
    assertSame(first, a.device());
    assertSame(second, b.device());
    assertSame(first, again.device());
    assertSame(first, early.device());
    assertNotSame(a, again);
  }

  @Test
  void anEmulatedDeviceIsTheDevice(RdmaDevice first, EmulatedDevice own) {
    assertSame(first, own);
  }

  static List<Arguments> ofOthers() {
    return List.of(Arguments.of(5L, List.of("a"), List.of(1)));
  }

  @ParameterizedTest
  @MethodSource("ofOthers")
  void parametersThatOthersGiveAreLeftToThem(
      long number,
      List<String> words,
      @SuppressWarnings("rawtypes") List some,
      TestInfo test,
      Context context) {
    assertEquals(5, number);
    assertEquals(List.of("a"), words);
    assertEquals(List.of(1), some);
    assertEquals("roce0", context.device().name());
  }

  @Test
  @EmulatedRdma(packets = EmulatedRdma.Keep.NEVER)
  void packetsThatNobodyWantsAreNotRecordedOnTheFabric(EmulatedNetwork network) {
    assertFalse(Files.exists(network.directory().resolve("packets.pcapng")));
  }

  @Test
  void aParameterThatNamesItsDeviceIsNotCounted(
      @OnDevice(1) RdmaDevice named, RdmaDevice first, @OnDevice(1) Context also, Context a) {
    assertEquals("roce1", named.name());
    assertEquals("roce0", first.name());
    assertSame(named, also.device());
    assertSame(first, a.device());
  }

  @Test
  void listsHoldAllDevices(
      List<RdmaDevice> devices, List<Context> contexts, EmulatedNetwork network) {
    assertEquals(network.devices(), devices);
    assertEquals(devices, contexts.stream().map(Context::device).toList());
    assertEquals(2, devices.size());
  }

  @Test
  void theFabricCarriesWhatIsSent(Context from, Context to, Fabric fabric, FabricDevices devices) {
    assertSame(fabric, devices.fabric());
    assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 10));
    assertTrue(fabric.counts().delivered() >= 20, fabric.counts().toString());
    assertEquals(Gid.parse("10.0.0.1"), from.queryGid(1, 0));
  }

  @Test
  void theSeedIsTheAnnotations(@Seed long seed, EmulatedNetwork network) {
    assertEquals(7, seed);
    assertEquals(7, network.seed());
  }

  @Test
  @EmulatedRdma(
      devices = 3,
      mtu = 1024,
      addresses = {"fd00::1", "fd00::2", "10.1.1.1"})
  void aMethodsAnnotationWins(List<Context> contexts) {
    assertEquals(3, contexts.size());
    assertEquals(Gid.parse("fd00::2"), contexts.get(1).queryGid(1, 0));
    assertEquals(Mtu.MTU_1024, contexts.get(2).queryPort(1).activeMtu());
  }

  @Test
  @EmulatedRdma(ports = 2, engines = 4)
  void devicesHaveSeveralPortsAndEngines(List<Context> contexts) {
    for (int i = 0; i < 2; i++) {
      Context each = contexts.get(i);
      assertEquals(2, each.queryDevice().physPortCount());
      assertEquals(4, each.queryDevice().numCompVectors());
      assertEquals(Gid.parse("10.0.0." + (i + 1)), each.queryGid(1, 0));
      assertEquals(Gid.parse("10.0.1." + (i + 1)), each.queryGid(2, 0));
    }
  }

  @Test
  @EmulatedRdma(
      ports = 2,
      addresses = {"10.7.0.1", "10.8.0.1", "10.7.0.2", "10.8.0.2"},
      faults = "drop direction=out opcode=RC_SEND_ONLY times=1")
  void connectedEndsAreOnTheirPorts(
      @Connected(clientPort = 2) RcPair pair,
      @Connected(serverPort = 2) UdPair datagrams,
      EmulatedNetwork network) {
    pair.client().send("hello");
    assertEquals("hello", pair.server().receiveString());
    assertEquals(1, network.counters(0).get("retransmitted_pkts"), "faults are of every port");
    assertEquals(2, pair.client().qp().query().portNum());
    assertEquals(1, pair.server().qp().query().portNum());
    assertEquals(Gid.parse("10.7.0.1"), datagrams.client().address().gid());
    assertEquals(Gid.parse("10.8.0.2"), datagrams.server().address().gid());
  }

  @Test
  @EmulatedRdma(seed = 3, faults = "loss=20% duplicate=5% reorder=10%")
  void aReliableConnectionOutlivesTheFaultsOfTheLinks(Context from, Context to, Fabric fabric) {
    assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 50));
    assertTrue(fabric.counts().dropped() > 0, fabric.counts().toString());
  }

  @Test
  @EmulatedRdma(seed = 3, faults = "drop direction=out opcode=RC_SEND_ONLY times=1")
  void aPlanHitsWhatTheFirstDeviceSends(Context from, Context to, EmulatedNetwork network) {
    assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 1));
    assertEquals(1, network.counters(0).get("retransmitted_pkts"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "second"})
  @EmulatedRdma(packets = EmulatedRdma.Keep.ALWAYS)
  void everyInvocationHasItsOwnFilesAndSeed(String ignored, EmulatedNetwork network) {
    assertTrue(
        network.directory().getFileName().toString().matches(".*AndSeed-[12]"),
        network.directory().toString());
    assertNotEquals(0, network.seed());
  }

  /** Each end has the attributes of its annotation, and the named devices. */
  @Test
  @EmulatedRdma(devices = 3)
  void aPairIsConnectedAsItsAnnotationSays(
      @Connected(
              client = 2,
              server = 0,
              messageBytes = 100,
              depth = 3,
              ackTimeout = 11,
              retries = 5)
          RcPair pair,
      @Connected(client = 1, server = 1, depth = 5) UdPair datagrams) {
    assertEquals("roce2", pair.client().qp().context().device().name());
    assertEquals("roce0", pair.server().qp().context().device().name());
    for (QueuePair end : List.of(pair.client().qp(), pair.server().qp())) {
      assertEquals(List.of(11, 5), List.of(end.query().timeout(), end.query().retryCnt()));
      assertTrue(end.cap().maxRecvWr() < 16, end.cap().toString());
    }
    VerbsException tooLong =
        assertThrows(VerbsException.class, () -> pair.client().send(new byte[101]));
    assertTrue(tooLong.remedy().contains("100"), tooLong.remedy());
    assertEquals("roce1", datagrams.client().qp().context().device().name());
    assertEquals("roce1", datagrams.server().qp().context().device().name());
    assertTrue(datagrams.server().qp().cap().maxRecvWr() < 16);
  }

  @Nested
  class NestedTest {
    @Test
    void inheritsTheDevicesOfTheClassAround(List<RdmaDevice> devices, @Seed long seed) {
      assertEquals(2, devices.size());
      assertEquals(7, seed);
    }
  }

  @EmulatedRdma(transport = EmulatedRdma.UDP)
  @Nested
  class OnSocketsTest {
    @Test
    void realDatagramsCarryWhatIsSent(Context from, Context to, EmulatedNetwork network) {
      assertNotEquals("fabric", network.transport());
      assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 10));
      assertTrue(Files.exists(network.directory().resolve("roce0.pcapng")));
    }

    @Test
    @EmulatedRdma(transport = "netty", faults = "loss=10%; drop direction=out nth=1", seed = 5)
    void faultsBefallThemToo(Context from, Context to, EmulatedNetwork network) {
      assertEquals("netty", network.transport());
      assertEquals(WcStatus.SUCCESS, Messages.send(from, to, 20));
      assertFalse(network.counters(0).get("retransmitted_pkts") == 0);
    }

    @Test
    @EmulatedRdma(transport = "linux", devices = 3, engines = 2, mtu = 1024)
    @EnabledOnOs(OS.LINUX)
    void devicesAreAsTheAnnotationSays(List<Context> contexts) {
      assertEquals(3, contexts.size());
      for (Context each : contexts) {
        assertEquals(2, each.queryDevice().numCompVectors());
        assertEquals(Mtu.MTU_1024, each.queryPort(1).activeMtu());
      }
    }

    @Test
    @EmulatedRdma(transport = "linux", ports = 2)
    @EnabledOnOs(OS.LINUX)
    void devicesHaveSeveralPorts(@Connected(clientPort = 2, serverPort = 2) RcPair pair) {
      pair.client().send("hello");
      assertEquals("hello", pair.server().receiveString());
      assertEquals(2, pair.server().qp().query().portNum());
    }

    @Test
    @EmulatedRdma(transport = "udp", packets = EmulatedRdma.Keep.NEVER)
    void packetsThatNobodyWantsAreNotRecorded(EmulatedNetwork network) {
      assertFalse(Files.exists(network.directory().resolve("roce0.pcapng")));
    }

    @Test
    @EmulatedRdma(transport = "udp", devices = 2)
    void neighboursInTimeDoNotClash(List<Context> contexts) {
      assertTrue(contexts.getFirst().queryGid(1, 0).toString().startsWith("::ffff:127."));
    }
  }
}
