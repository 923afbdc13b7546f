package org.roce4j.conformance.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
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
import org.roce4j.emulator.PortSelection;
import org.roce4j.port.PortProvider;
import org.roce4j.robustness.Loopback;

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
                "org.roce4j.tools.Roce4j",
                "conformance",
                "--serve",
                "--bind",
                DEVICE.getHostAddress(),
                "--transport",
                transport,
                "--udp-port",
                String.valueOf(udpPort),
                "--control-port",
                "0")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out = server.inputReader()) {
      String line = out.readLine();
      int controlPort = Integer.parseInt(line.replaceAll(".*TCP port (\\d+).*", "$1"));
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

  private static boolean available(String transport) {
    try {
      PortProvider provider = PortSelection.choose(transport);
      return provider.name().equals(transport);
    } catch (RuntimeException e) {
      return false;
    }
  }
}
