package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.connect.RcPair;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Faults;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;

class OpenedNetworkTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {EmulatedRdma.FABRIC, EmulatedRdma.UDP})
  void contextsThatATestLeavesOpenAreClosedWithTheNetwork(String transport) {
    OpenedNetwork network = network(transport, 7, "");
    Context left = network.open(0);
    network.close();
    VerbsException closed = assertThrows(VerbsException.class, left::queryDevice);
    assertEquals(Errno.ENODEV, closed.errno());
  }

  /** An object is listed after the object from which it was created. */
  @Test
  void theLastThatWasOpenedIsClosedFirst() {
    List<String> closed = new ArrayList<>();
    OpenedNetwork network = network(EmulatedRdma.FABRIC, 7, "");
    for (String each : List.of("first", "second", "third")) {
      network.closedAfterTheTest((AutoCloseable) () -> closed.add(each));
    }
    network.close();
    network.close();
    assertEquals(List.of("third", "second", "first"), closed);
  }

  /** The check is also made when a test's open objects are requested. */
  @Test
  void pairsAreClosedTheLastFirstBeforeItIsSaidWhatWasLeftOpen() {
    List<String> closed = new ArrayList<>();
    OpenedNetwork network = network(EmulatedRdma.FABRIC, 7, "");
    for (String each : List.of("first", "second", "third")) {
      network.closedAfterTheTest((AutoCloseable) () -> closed.add(each));
    }
    assertEquals(List.of(), network.leftOpen());
    network.close();
    assertEquals(List.of("third", "second", "first"), closed);
  }

  /** The memory belongs to the process, not to the heap. */
  @Test
  void theFabricIsClosedWithTheNetwork() {
    FabricNetwork network = (FabricNetwork) network(EmulatedRdma.FABRIC, 7, "");
    network.close();
    assertThrows(
        RuntimeException.class,
        () -> Messages.send(opened(network, "left"), opened(network, "right"), 1));
  }

  @Test
  void theFabricIsClosedThoughAnObjectRefuses() {
    FabricNetwork network = (FabricNetwork) network(EmulatedRdma.FABRIC, 7, "");
    network.closedAfterTheTest(
        (AutoCloseable)
            () -> {
              throw new IllegalStateException("as a test says");
            });
    assertThrows(IllegalStateException.class, network::close);
    assertThrows(
        RuntimeException.class,
        () -> Messages.send(opened(network, "left"), opened(network, "right"), 1));
  }

  private static Context opened(FabricNetwork network, String name) {
    Gid address = Gid.ofIpv4(0x0a01_0000 + name.length());
    return network.fabricDevices().device(DeviceOptions.of(name, address)).open();
  }

  /** Another program may take a port four times in a row; any other refusal is final. */
  @ParameterizedTest
  @CsvSource({
    "0, EADDRINUSE, 1, true",
    "1, EADDRINUSE, 2, true",
    "4, EADDRINUSE, 5, true",
    "5, EADDRINUSE, 5, false",
    "1, EACCES, 1, false",
    "1, EADDRNOTAVAIL, 1, false",
  })
  void aPortThatWasTakenMeanwhileIsTriedAnew(
      int refusals, Errno errno, int attempts, boolean opened) {
    int[] tried = new int[1];
    Supplier<OpenedNetwork> opening =
        () -> {
          if (tried[0]++ < refusals) {
            throw new VerbsException(errno, "as another program says");
          }
          return network(EmulatedRdma.FABRIC, 7, "");
        };
    if (opened) {
      EmulatedRdmaExtension.atAFreePort(opening).close();
    } else {
      Executable open = () -> EmulatedRdmaExtension.atAFreePort(opening);
      assertEquals(errno, assertThrows(VerbsException.class, open).errno());
    }
    assertEquals(attempts, tried[0]);
  }

  private OpenedNetwork network(String transport, long seed, String faults) {
    RequestedNetwork request = request(2, transport, seed, faults, false);
    return transport.equals(EmulatedRdma.FABRIC)
        ? new FabricNetwork(request)
        : new SocketNetwork(request);
  }

  private RequestedNetwork request(
      int devices, String transport, long seed, String faults, boolean capture) {
    return new RequestedNetwork(
        devices,
        1,
        1,
        transport,
        seed,
        Faults.ofWays(faults).withSeed(seed),
        Mtu.MTU_1024,
        List.of(),
        directory,
        capture,
        100,
        1_000_000,
        EmulatedRdma.Leaks.TELL);
  }

  /** Two captures are the two ends of a page; any other number has a page each. */
  @ParameterizedTest
  @CsvSource({"1, roce0.html", "2, packets.html", "3, roce0.html roce1.html roce2.html"})
  void thePagesAreThoseOfTheDevices(int devices, String pages) throws IOException {
    new SocketNetwork(request(devices, EmulatedRdma.UDP, 7, "", true)).close();
    TestFiles.drawPackets(directory, List.of("as a test says"));
    try (Stream<Path> files = Files.list(directory)) {
      String found =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".html"))
              .sorted()
              .collect(Collectors.joining(" "));
      assertEquals(pages, found);
    }
    Path page = directory.resolve(pages.split(" ")[0]);
    assertTrue(Files.readString(page).contains("as a test says"));
  }

  @ParameterizedTest
  @ValueSource(strings = {EmulatedRdma.FABRIC, EmulatedRdma.UDP})
  void theLinksAreToldOnEachTransport(String transport) throws IOException {
    try (OpenedNetwork network = network(transport, 7, "loss=5%")) {
      List<String> head = TestFiles.head(network, "ATest.fails", null);
      assertTrue(head.contains("links     loss=0.05"), head::toString);
    }
  }

  /** Each rule of the plan, and each counter that counted. */
  @Test
  void aFailureIsToldWithTheFaultsAndTheCounters() throws IOException {
    try (OpenedNetwork network =
        network(
            EmulatedRdma.FABRIC,
            7,
            "drop nth=3; late=1ms nth=900; refuse=EIO call=queryPkey nth=1")) {
      List<String> head = TestFiles.head(network, "ATest.fails", new IOException("first\nsecond"));
      assertEquals(
          List.of(
              "test      ATest.fails",
              "failure   java.io.IOException: first",
              "transport fabric",
              "seed      7",
              "fault     drop nth=3",
              "fault     late=1ms nth=900, never fired",
              "fault     refuse=EIO call=queryPkey nth=1, never fired"),
          head.subList(0, 7));
      Context context = network.open(1);
      Context faulty = network.open(0);
      assertThrows(VerbsException.class, () -> faulty.queryPkey(1, 0));
      assertEquals(
          "fault     refuse=EIO call=queryPkey nth=1, fired once",
          TestFiles.head(network, "ATest.fails", null).get(6));
      network.closedAfterTheTest(RcPair.connect(faulty, context)).client().send("hello");
      TestFiles.writeCounters(network, head);
      List<String> lines = Files.readAllLines(directory.resolve("counters.txt"));
      assertEquals(head, lines.subList(0, head.size()));
      Map<String, String> told = new TreeMap<>();
      for (String line : lines.subList(lines.indexOf("device roce1") + 1, lines.size())) {
        told.put(line.strip().split(" +")[0], line.strip().split(" +")[1]);
      }
      Map<String, String> counted = new TreeMap<>();
      network.counters(1).forEach((name, value) -> counted.put(name, value.toString()));
      counted.values().removeIf("0"::equals);
      assertEquals(counted, told);
      assertFalse(counted.isEmpty());
    }
  }

  /** Numbers of queue pairs are drawn. */
  @ParameterizedTest
  @ValueSource(strings = {EmulatedRdma.FABRIC, EmulatedRdma.UDP})
  void aSeedRepeatsWhatDevicesDrawAndAnotherDoesNot(String transport) {
    List<Integer> drawn = drawn(transport, 7);
    assertEquals(drawn, drawn(transport, 7));
    assertNotEquals(drawn, drawn(transport, 8));
    assertNotEquals(drawn.get(0), drawn.get(1), "two devices draw the same");
  }

  private List<Integer> drawn(String transport, long seed) {
    try (OpenedNetwork network = network(transport, seed, "");
        RdmaEnd first = new RdmaEnd(network.open(0), QpType.RC);
        RdmaEnd second = new RdmaEnd(network.open(1), QpType.RC)) {
      return List.of(first.qp().qpNum(), second.qp().qpNum());
    }
  }

  /** Faults of packets: by chance on the links, and by a plan at the first device. */
  @ParameterizedTest
  @ValueSource(strings = {"loss=30%", "drop direction=out probability=0.3"})
  void aSeedRepeatsTheFaultsAndAnotherDoesNot(String faults) {
    String digest = digest(7, faults);
    assertEquals(digest, digest(7, faults));
    assertNotEquals(digest, digest(8, faults));
  }

  private String digest(long seed, String faults) {
    try (OpenedNetwork network = network(EmulatedRdma.FABRIC, seed, faults)) {
      assertEquals(WcStatus.SUCCESS, Messages.send(network.open(0), network.open(1), 50));
      return network.counters(0) + " " + network.counters(1);
    }
  }
}
