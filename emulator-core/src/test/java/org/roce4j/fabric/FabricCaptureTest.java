package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.capture.CaptureReader;
import org.roce4j.wire.capture.CapturedFrame;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.IpHeader;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.inspect.CaptureInspector;

class FabricCaptureTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.2, all.pcapng, 28",
    "fd77::1, fd77::2, all.pcapng, 48",
    "10.0.0.1, 10.0.0.2, all.pcap, 28"
  })
  void everyDatagramSentIsOneIpPacketWithAVirtualTimestamp(
      String from, String to, String name, int headers) throws IOException {
    Path file = directory.resolve(name);
    LinkModel lossy = LinkModel.PERFECT.withLoss(0.5);
    try (Fabric fabric = new Fabric(FabricOptions.of(0).withLink(lossy))) {
      FabricPeer a = new FabricPeer(fabric, from);
      FabricPeer b = new FabricPeer(fabric, to);
      FabricCapture capture = fabric.capture(file);
      a.send(b.gid(), 0, 70, 104);
      fabric.run(12_345);
      b.send(a.gid(), 0, 1, 60);
      FabricTest.drain(fabric);
      capture.close();
      a.send(b.gid(), 0, 70, 104);
    }

    CaptureInspector.Totals totals = CaptureInspector.inspect(file, packet -> {});
    assertEquals(71, totals.packets());
    assertEquals(71, totals.icrcOk());
    List<CapturedFrame> frames = new ArrayList<>();
    try (CaptureReader reader = CaptureReader.open(file)) {
      for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
        frames.add(frame);
      }
    }
    assertEquals(0, frames.getFirst().timestampNs());
    assertEquals(12_345, frames.getLast().timestampNs());
    assertEquals(60 + headers, frames.getLast().originalLength());
  }

  /** Each field of the network's header, of both versions of IP. */
  @ParameterizedTest
  @CsvSource({"10.0.0.1, 10.0.0.2", "fd77::1, fd77::2"})
  void theHeaderOfAPacketIsThatOfItsDatagram(String source, String destination) throws IOException {
    Gid from = Gid.parse(source);
    Gid to = Gid.parse(destination);
    Path file = directory.resolve("header.pcapng");
    List<IpHeader> headers = new ArrayList<>();
    try (Fabric fabric = new Fabric(FabricOptions.of(0))) {
      FabricPeer a = new FabricPeer(fabric, source);
      FabricPeer b = new FabricPeer(fabric, destination);
      try (FabricCapture _ = fabric.capture(file)) {
        a.send(b.gid(), 0, 1, 60);
      }
    }
    CaptureInspector.inspect(
        file,
        packet -> {
          if (packet.dissection() instanceof Dissection.Roce(RocePacket roce)) {
            headers.add(roce.ip());
          }
        });
    IpHeader found = headers.getFirst();
    IpHeader wanted =
        switch (found) {
          case Ipv4Header v4 ->
              new Ipv4Header(0x62, 88, 0, 0x4000, 64, v4.checksum(), from.ipv4(), to.ipv4());
          case Ipv6Header _ ->
              new Ipv6Header(0x62, 0, 68, 64, from.high(), from.low(), to.high(), to.low());
        };
    assertEquals(wanted, found);
  }

  @Test
  void aPacketTellsWhatBefellIt() throws IOException {
    Path file = directory.resolve("fates.pcapng");
    FaultPlan plan = FaultPlan.parse("delay=2ms nth=1; drop nth=3; duplicate nth=4");
    List<String> comments = new ArrayList<>();
    try (Fabric fabric = new Fabric(FabricOptions.of(0))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      try (FabricCapture _ = fabric.capture(file)) {
        fabric.faults(plan, a.gid());
        a.send(b.gid(), 0, 4, 60);
        FabricTest.drain(fabric);
        fabric.link(a.gid(), b.gid()).down();
        a.send(b.gid(), 0, 1, 60);
      }
    }
    CaptureInspector.inspect(file, packet -> comments.add(packet.comment()));
    assertEquals(
        List.of(
            "held back for 2ms by rule 1 (delay=2ms nth=1)",
            "",
            "lost by rule 2 (drop nth=3)",
            "duplicated by rule 3 (duplicate nth=4)",
            "lost: the link was down"),
        comments);
  }

  /** A forged packet is in its place, and does not hide the fate of the packet behind it. */
  @Test
  void whatIsForgedMarkedAndCutIsTold() throws IOException {
    Path file = directory.resolve("forged.pcapng");
    FaultPlan plan =
        FaultPlan.parse(
            "forge-ack nth=2; drop nth=2; mark-ecn nth=3; truncate=20 nth=4; forge-cnp nth=5");
    List<String> told = new ArrayList<>();
    try (Fabric fabric = new Fabric(FabricOptions.of(0))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      try (FabricCapture _ = fabric.capture(file)) {
        fabric.faults(plan, a.gid());
        a.send(b.gid(), 0, 5, 60);
        FabricTest.drain(fabric);
      }
      assertEquals(6, b.arrivals.size());
    }
    CaptureInspector.inspect(file, packet -> told.add(packet.comment()));
    assertEquals(
        List.of(
            "",
            "forged by rule 1 (forge-ack nth=2)",
            "lost by rule 2 (drop nth=2)",
            "marked CE by rule 3 (mark-ecn nth=3)",
            "cut by 20 bytes by rule 4 (truncate=20 nth=4)",
            "forged by rule 5 (forge-cnp nth=5)",
            ""),
        told);
  }

  private List<String> comments(Path file) throws IOException {
    List<String> comments = new ArrayList<>();
    CaptureInspector.inspect(file, packet -> comments.add(packet.comment()));
    return comments;
  }

  @Test
  void whatIsDamagedIsTold() throws IOException {
    Path file = directory.resolve("damaged.pcapng");
    try (Fabric fabric = new Fabric(FabricOptions.of(0))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      try (FabricCapture _ = fabric.capture(file)) {
        fabric.faults(FaultPlan.parse("corrupt-icrc nth=2"), a.gid());
        a.send(b.gid(), 0, 2, 60);
      }
    }
    assertEquals(List.of("", "32 bits flipped by rule 1 (corrupt-icrc nth=2)"), comments(file));
  }

  /**
   * The fate of an earlier packet is not told at the newest one. A packet that is forged in front
   * of an earlier one is behind the newest in the file.
   */
  @Test
  void aPacketHasItsOwnFateAlone() throws IOException {
    Path file = directory.resolve("struck.pcapng");
    try (Fabric fabric = new Fabric(FabricOptions.of(0))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      try (FabricCapture _ = fabric.capture(file)) {
        a.send(b.gid(), 0, 3, 60);
        List<FabricDatagram> underWay = fabric.underWay().datagrams();
        fabric.underWay().strike(underWay.get(0), FaultAction.DROP);
        fabric.underWay().strike(underWay.get(2), FaultAction.delay(5_000_000));
        fabric.underWay().strike(underWay.get(1), FaultAction.of(FaultAction.Kind.FORGE_ACK));
        FabricTest.drain(fabric);
      }
      assertEquals(3, b.arrivals.size());
    }
    assertEquals(List.of("", "", "held back for 5ms", "forged"), comments(file));
  }

  /** More than the capture of a test keeps. */
  @Test
  void aCaptureLeavesNothingOut() throws IOException {
    try (Fabric fabric = new Fabric(FabricOptions.of(0))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      FabricCapture capture = fabric.capture(directory.resolve("long.pcapng"));
      a.send(b.gid(), 0, 25_000, 24);
      capture.close();
      assertEquals(0, capture.leftOut());
    }
  }

  /** The error meets a packet that was sent, or one that was forged. */
  @ParameterizedTest
  @CsvSource({"'', 100, 4000", "forge-cnp; forge-ack; forge-nak; forge-rnr, 10000, 24"})
  void aFileThatTakesNothingIsToldAtTheEnd(String plan, int datagrams, int length)
      throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "only Linux has a device that is always full");
    List<Throwable> thrown = new ArrayList<>();
    try (Fabric fabric = new Fabric(FabricOptions.of(0))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      FabricCapture capture = fabric.capture(full);
      fabric.onThrown(thrown::add);
      fabric.faults(FaultPlan.parse(plan), null);
      a.send(b.gid(), 0, datagrams, length);
      FabricTest.drain(fabric);
      assertTrue(b.arrivals.size() >= datagrams, "they travel");
      assertThrows(IOException.class, capture::close);
      assertFalse(isOpen(full));
      capture.close();
    }
    assertEquals(List.of(), thrown);
  }

  private static boolean isOpen(Path file) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.anyMatch(descriptor -> file.equals(target(descriptor)));
    }
  }

  private static Path target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor);
    } catch (IOException closedMeanwhile) {
      return null;
    }
  }
}
