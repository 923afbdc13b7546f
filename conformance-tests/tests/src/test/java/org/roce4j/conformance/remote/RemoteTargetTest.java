package org.roce4j.conformance.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.remote.WireDialogue.Wires;
import org.roce4j.conformance.run.SuiteReport;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.PortSelection;
import org.roce4j.port.PortProvider;
import org.roce4j.robustness.Loopback;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.RdmaDevice;

/** Holds every dialogue with an emulated device in another process, in real time. */
class RemoteTargetTest {
  private static final InetAddress DEVICE = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress OURS = InetAddress.ofLiteral("127.0.0.2");

  @ParameterizedTest
  @Timeout(120)
  @ValueSource(strings = {"linux", "netty"})
  void conforms(String transport) throws Exception {
    Assumptions.assumeTrue(
        available(transport), () -> "the port " + transport + " does not work here");
    int udpPort = Loopback.freeUdpPort(DEVICE, OURS);
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                ServedTarget.class.getName(),
                transport,
                String.valueOf(udpPort))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out = server.inputReader()) {
      int controlPort = Integer.parseInt(out.readLine());
      try (TargetRun run = new TargetRun(DEVICE, controlPort, OURS, udpPort, List.of())) {
        SuiteReport report = run.run(WireDialogues.all(), result -> true);
        List<?> failures =
            report.results().stream().filter(r -> r.verdict() == Verdict.FAIL).toList();
        assertEquals(List.of(), failures);
        assertEquals(
            WireDialogues.all().stream().filter(it -> it.wires() != Wires.FABRIC).count(),
            report.count(Verdict.PASS));
        assertTrue(report.conforms());
      }
    } finally {
      server.destroyForcibly();
    }
  }

  /** The process of the device; its arguments are a transport and a UDP port. */
  static final class ServedTarget {
    public static void main(String[] words) throws IOException {
      RdmaDevice device =
          Emulator.device(
              DeviceOptions.of("target", Gid.of(DEVICE))
                  .withTransport(words[0])
                  .withUdpPort(Integer.parseInt(words[1]))
                  .withActiveMtu(Mtu.MTU_4096));
      try (Context _ = device.open();
          TargetServer server =
              new TargetServer(device, 0, "roce4j emulator on port " + words[0], DEVICE, 0)) {
        System.out.println(server.port());
        server.run();
      }
    }
  }

  private static boolean available(String transport) {
    try {
      PortProvider provider = PortSelection.choose(transport);
      return provider.name().equals(transport);
    } catch (RuntimeException e) {
      return false;
    }
  }
}
