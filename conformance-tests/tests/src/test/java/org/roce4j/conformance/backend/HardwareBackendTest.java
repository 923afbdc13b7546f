package org.roce4j.conformance.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.run.Suite;
import org.roce4j.conformance.run.SuiteReport;
import org.roce4j.conformance.run.SuiteRun;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;

/** A device that talks to itself as a backend, tried with an emulated one. */
class HardwareBackendTest {
  private static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.0.1");

  private static RdmaDevice emulated() throws IOException {
    try (DatagramSocket free = new DatagramSocket(new InetSocketAddress(ADDRESS, 0))) {
      return Emulator.device(
          DeviceOptions.of("self", Gid.of(ADDRESS))
              .withFirstGidIndex(1)
              .withUdpPort(free.getLocalPort()));
    }
  }

  @Test
  void runsRowsOverOneDeviceWithTwoContexts() throws IOException {
    List<Row> rows =
        Suite.rows().stream()
            .filter(
                row ->
                    row.id()
                        .matches(
                            "DROP-.*|EVT-.*|ACC-SEND.*|ERR-RC-RKEY.*|BAD-(CREATE_QP|REREG_MR)-(OTHER|CONTEXT|PD).*"))
            .toList();
    try (Backend backend = new HardwareBackend(emulated(), 1)) {
      SuiteReport report = new SuiteRun(backend).run(rows, result -> true);

      assertTrue(report.conforms(), () -> report.results().toString());
      assertTrue(report.count(Verdict.PASS) >= 19, report::summary);
      assertEquals("hardware", report.backend());
      assertTrue(report.description().startsWith("self of backend emulator"), report::description);
    }
  }

  @Test
  void knowsNoDeviationsOfAnythingButSoftRoce() throws IOException {
    try (Backend backend = new HardwareBackend(emulated(), 1)) {
      assertEquals(List.of(), backend.deviations());
    }
  }

  @Test
  void refusesAnAddressThatIsNotThere() throws IOException {
    RdmaDevice device = emulated();
    refused(Errno.ENODATA, () -> new HardwareBackend(device, 0));
  }

  @Test
  void refusesADeviceThatIsNotThere() {
    refused(Errno.ENODEV, () -> HardwareBackend.of("no-such-device", 0));
  }
}
