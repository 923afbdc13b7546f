package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.tools.devinfo.DeviceReport;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

class DevinfoCommandTest extends CommandFixture {
  @TempDir private Path directory;

  private Path config;

  @BeforeEach
  void configureTwoDevices() throws IOException {
    config = directory.resolve("two.properties");
    try (DatagramSocket probe = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"))) {
      Files.writeString(
          config,
          """
          udp-port = %d
          mtu = 2048
          device.left.addresses = 127.0.0.1
          device.right.addresses = 127.0.0.1
          """
              .formatted(probe.getLocalPort()));
    }
  }

  private int devinfo(String... args) {
    Stream<String> words = Stream.of("devinfo", "--config", config.toString());
    return run(Stream.concat(words, Stream.of(args)).toArray(String[]::new));
  }

  @Test
  void configuredDevicesAreListed() {
    assertEquals(0, devinfo("-l"), err::toString);
    assertEquals("2 HCAs found:\n\tleft\n\tright\n\n", out.toString());
  }

  @Test
  void aDeviceTellsItsAttributes() {
    assertEquals(0, devinfo("-v", "-d", "right", "--set", "device.right.limits.max-qp=17"));
    assertTrue(out.toString().startsWith("hca_id:\tright\n"), out::toString);
    assertTrue(out.toString().contains("\n\tmax_qp:\t\t\t\t17\n"), out::toString);
    assertTrue(out.toString().contains("\n\t\t\tactive_mtu:\t\t2048 (4)\n"), out::toString);
    assertTrue(out.toString().contains("GID[  0]:\t\t::ffff:127.0.0.1, RoCE v2\n"), out::toString);
  }

  @Test
  void aDeviceThatCannotBeOpenedIsAnErrorAndTheOthersAreTold() {
    assertEquals(1, devinfo("--set", "device.left.addresses=192.0.2.1"));
    assertTrue(err.toString().startsWith("roce4j devinfo: left: "), err::toString);
    assertTrue(out.toString().startsWith("hca_id:\tright\n"), out::toString);
  }

  /** Prints each address once, under its own port. */
  @Test
  void aPortTellsItsOwnAddresses() {
    StringWriter told = new StringWriter();
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        Context context =
            network
                .device(
                    DeviceOptions.of("dual", Gid.parse("10.0.0.1"))
                        .withPort(Gid.parse("10.0.0.2"), Gid.parse("10.0.0.3")))
                .open()) {
      new DeviceReport(new PrintWriter(told), true).print(context, 0);
    }
    assertEquals(
        List.of("port 1", "10.0.0.1", "port 2", "10.0.0.2", "10.0.0.3"),
        told.toString()
            .lines()
            .filter(line -> line.contains("\tport:\t") || line.contains("GID["))
            .map(
                line -> line.replaceAll(".*port:\t", "port ").replaceAll(".*:(10[.0-9]+),.*", "$1"))
            .toList());
  }

  @Test
  void anUnknownDeviceIsAnErrorThatNamesThoseThereAre() {
    assertEquals(2, devinfo("-d", "middle"));
    assertEquals(
        "roce4j devinfo: no device is called 'middle'; there are: left, right\n", err.toString());
  }

  @Test
  void aBadSettingIsAnErrorWithTheRemedy() {
    assertEquals(2, devinfo("--set", "mut=1024"));
    assertTrue(
        err.toString().contains("--set mut: there is no setting 'mut'; did you mean 'mtu'?"),
        err::toString);
  }
}
