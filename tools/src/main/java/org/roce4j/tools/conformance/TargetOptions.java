package org.roce4j.tools.conformance;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.backend.Deviation;
import org.roce4j.conformance.backend.HardwareBackend;
import org.roce4j.conformance.remote.TargetRun;
import org.roce4j.conformance.remote.TargetServer;
import org.roce4j.conformance.remote.WireDialogue;
import org.roce4j.conformance.run.SuiteReport;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.PortSelection;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.UdpSourcePort;
import picocli.CommandLine.Option;

/** The options of dialogues with a device at an address, and of serving one. */
final class TargetOptions {
  private static final String CONTROL_PORT = "18517";
  private static final InetAddress FIRST = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress SECOND = InetAddress.ofLiteral("127.0.0.2");

  @Option(
      names = "--target",
      paramLabel = "IP",
      description = "Hold dialogues with the device at this address, where --serve runs.")
  InetAddress target;

  @Option(
      names = "--serve",
      description = "Be the other side of --target: make queue pairs on a device as asked.")
  boolean serve;

  @Option(
      names = "--bind",
      paramLabel = "IP",
      description =
          "With --target our address (default: 127.0.0.2), with --serve that of the emulated device"
              + " (default: 127.0.0.1).")
  private InetAddress bind;

  @Option(
      names = "--control-port",
      paramLabel = "N",
      defaultValue = CONTROL_PORT,
      description = "TCP port of the agreement (default: ${DEFAULT-VALUE}).")
  private int controlPort;

  @Option(
      names = "--udp-port",
      paramLabel = "N",
      defaultValue = "" + UdpSourcePort.ROCE_V2,
      description = "UDP port of both ends (default: ${DEFAULT-VALUE}).")
  private int udpPort;

  @Option(
      names = "--deviations",
      paramLabel = "FILE",
      description =
          "What the target is known to do otherwise: a line with the reason, then ids of dialogues,"
              + " indented. What soft-RoCE does is known.")
  private Path deviations;

  @Option(
      names = "--all",
      description =
          "With --target also dialogues whose outcome on devices that are not roce4j's nobody has"
              + " looked at.")
  private boolean all;

  /** Serves until the process ends; the first line of output says where. */
  void serve(PrintWriter out, String transport, String deviceName, int gidIndex) {
    RdmaDevice device;
    String description;
    InetAddress address = bind == null ? FIRST : bind;
    if (deviceName == null) {
      String port = PortSelection.choose(transport).name();
      device =
          Emulator.device(
              DeviceOptions.of("target", Gid.of(address))
                  .withTransport(port)
                  .withUdpPort(udpPort)
                  .withActiveMtu(Mtu.MTU_4096));
      description = "roce4j emulator on port " + port;
    } else {
      device = Verbs.device(deviceName);
      try (HardwareBackend backend = new HardwareBackend(device, gidIndex)) {
        description = backend.description();
      }
    }
    try (Context _ = device.open();
        TargetServer server =
            new TargetServer(device, gidIndex, description, address, controlPort)) {
      out.printf(
          Locale.ROOT,
          "%s at %s, TCP port %d%n",
          description,
          address.getHostAddress(),
          server.port());
      out.flush();
      server.run();
    } catch (IOException e) {
      throw ToolFailure.atRunTime(
          Wording.of(
              "cannot listen at TCP port %d of %s: %s",
              controlPort, address.getHostAddress(), e.getMessage()),
          e);
    }
  }

  private List<Deviation> declaredDeviations() {
    if (deviations == null) {
      return List.of();
    }
    try {
      return Deviation.list(Files.readString(deviations));
    } catch (IOException e) {
      throw ToolFailure.usage("cannot read " + deviations + ": " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw ToolFailure.usage(deviations + ": " + e.getMessage());
    }
  }

  /** Holds these dialogues with the target. */
  SuiteReport run(List<WireDialogue> dialogues, Predicate<RowResult> each) {
    try (TargetRun run =
        new TargetRun(
            target, controlPort, bind == null ? SECOND : bind, udpPort, declaredDeviations())) {
      return run.run(
          all ? dialogues.stream().map(WireDialogue::heldEverywhere).toList() : dialogues, each);
    } catch (UncheckedIOException e) {
      throw ToolFailure.atRunTime(e.getMessage(), e);
    }
  }
}
