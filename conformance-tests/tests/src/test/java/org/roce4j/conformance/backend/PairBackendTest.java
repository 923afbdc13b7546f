package org.roce4j.conformance.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
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

/** Two devices with each other as a backend, tried with emulated ones. */
class PairBackendTest {
  private static final InetAddress NEAR = InetAddress.ofLiteral("127.0.7.1");
  private static final InetAddress FAR = InetAddress.ofLiteral("127.0.7.2");

  private RdmaDevice near;
  private RdmaDevice far;

  /** The addresses have different indexes in their GID tables. */
  @BeforeEach
  void makeDevices() throws IOException {
    try (DatagramSocket free = new DatagramSocket(new InetSocketAddress(NEAR, 0))) {
      near =
          Emulator.device(DeviceOptions.of("first", Gid.of(NEAR)).withUdpPort(free.getLocalPort()));
      far =
          Emulator.device(
              DeviceOptions.of("second", Gid.of(FAR))
                  .withFirstGidIndex(1)
                  .withUdpPort(free.getLocalPort()));
    }
  }

  @Test
  void runsRowsBetweenTwoDevices() {
    List<Row> rows =
        Suite.rows().stream()
            .filter(row -> row.id().matches("DROP-.*|EVT-.*|ACC-SEND.*|ERR-(RC|UD)-RKEY.*"))
            .toList();
    try (Backend backend = new PairBackend(near, 0, far, 1)) {
      SuiteReport report = new SuiteRun(backend).run(rows, result -> true);

      assertTrue(report.conforms(), () -> report.results().toString());
      assertTrue(report.count(Verdict.PASS) >= 19, report::summary);
      assertEquals("pair", report.backend());
      assertTrue(
          report
              .description()
              .matches("first of backend emulator, .*, with second of backend emulator, .*"),
          report::description);
    }
  }

  @Test
  void eitherEndIsTheDeviceThatWasNamedForIt() {
    try (Backend backend = new PairBackend(near, 0, far, 1);
        Link link = backend.open()) {
      assertEquals("first", link.near().device().name());
      assertEquals("second", link.far().device().name());
      assertEquals(Gid.of(NEAR), link.near().queryGid(1, link.nearGidIndex()));
      assertEquals(Gid.of(FAR), link.far().queryGid(1, link.farGidIndex()));
      assertEquals(List.of(), backend.deviations());
    }
  }

  @Test
  void refusesAnAddressThatIsNotThere() {
    refused(Errno.ENODATA, () -> new PairBackend(near, 0, far, 0));
  }
}
