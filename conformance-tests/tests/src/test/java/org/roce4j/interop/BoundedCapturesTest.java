package org.roce4j.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.connect.RcPair;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricCapture;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.robustness.Loopback;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.capture.CaptureExtent;
import org.roce4j.wire.inspect.CaptureInspector;

/**
 * Captures of the first and last packets, read by tshark: the device that sent each packet, its
 * fault, and the omitted packets. tshark must read what roce4j reads. Skipped without tshark.
 */
@Timeout(60)
class BoundedCapturesTest {
  private static final CaptureExtent EXTENT = new CaptureExtent(20, 30);
  private static final int KEPT = 50;

  @TempDir private Path directory;

  @BeforeEach
  void needsTshark() {
    Tshark.assumeInstalled();
  }

  @Test
  void thoseOfTheFabric() throws Exception {
    Path file = directory.resolve("fabric.pcapng");
    try (FabricDevices network = new FabricDevices(FabricOptions.parse("seed=3 loss=10%"));
        FabricCapture _ = network.fabric().capture(file, EXTENT);
        Context a = network.device("left", Gid.parse("10.77.0.3")).open();
        Context b = network.device("right", Gid.parse("10.77.0.2")).open();
        RcPair pair = RcPair.connect(a, b)) {
      exchange(pair);
    }
    List<String> read = bothRead(file);
    assertTrue(read.stream().anyMatch(packet -> packet.startsWith("left|")), read.toString());
    assertTrue(read.stream().anyMatch(packet -> packet.startsWith("right|")), read.toString());
    assertTrue(read.stream().anyMatch(packet -> packet.contains("|lost")), read.toString());
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void thoseOfDevicesOnSockets() throws Exception {
    Path file = directory.resolve("sockets.pcapng");
    DeviceOptions captured = onSockets("roce0").withCapture(file, 65535).withCaptureExtent(EXTENT);
    try (Context a = Emulator.device(captured).open();
        Context b = Emulator.device(onSockets("roce1")).open();
        RcPair pair = RcPair.connect(a, b)) {
      exchange(pair);
    }
    List<String> read = bothRead(file);
    assertTrue(read.stream().allMatch(packet -> packet.matches("roce[01]\\|.*")), read.toString());
  }

  private static DeviceOptions onSockets(String name) {
    return DeviceOptions.of(name, Loopback.fresh()).withTransport("linux");
  }

  private static void exchange(RcPair pair) {
    for (int i = 0; i < 100; i++) {
      pair.client().send("a message of more than twelve bytes");
      pair.server().receiveString();
    }
  }

  /** Device and comment of each packet, which tshark and roce4j read alike. */
  private List<String> bothRead(Path file) throws IOException, InterruptedException {
    List<String> ours = new ArrayList<>();
    CaptureInspector.inspect(
        file, packet -> ours.add(packet.interfaceName() + "|" + packet.comment() + "|"));
    Path printed = directory.resolve("tshark.txt");
    Tshark.read(
        file,
        printed,
        ("-T fields -E separator=| -e frame.interface_name -e frame.comment -e _ws.malformed")
            .split(" "));
    assertEquals(ours, Files.readAllLines(printed));
    assertEquals(KEPT, ours.size());
    long left =
        ours.stream().filter(packet -> packet.matches(".* before this one are left out.*")).count();
    assertEquals(1, left, ours::toString);
    return ours;
  }
}
