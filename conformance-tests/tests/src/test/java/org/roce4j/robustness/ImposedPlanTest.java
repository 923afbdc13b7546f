package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.bench.Expect.refused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.connect.RcPair;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

/**
 * A fault plan that is imposed on a program from outside: the devices that it affects, and its
 * report.
 */
class ImposedPlanTest {
  private static final String PLAN = "roce4j.plan";
  private static final String LOG = "roce4j.plan-log";

  @TempDir private Path directory;

  @BeforeEach
  void impose() {
    System.setProperty(PLAN, "refuse=ENOMEM call=allocPd");
    System.setProperty(LOG, directory.toString());
  }

  @AfterEach
  void nothingMore() {
    System.clearProperty(PLAN);
    System.clearProperty(LOG);
  }

  private Context open(int number) {
    return Emulator.device(DeviceOptions.of("imposed" + number, Loopback.fresh())).open();
  }

  private static void suffers(Context context) {
    refused(Errno.ENOMEM, context::allocPd);
  }

  private static void isSpared(Context context) {
    context.allocPd().close();
  }

  @Test
  void itMeetsOneDeviceOnSocketsAtATime() {
    Context first = open(1);
    try (Context second = open(2)) {
      isSpared(second);
    }
    try (Context third = open(3)) {
      suffers(first);
      isSpared(third);
      first.close();
      isSpared(third);
      try (Context fourth = open(4)) {
        suffers(fourth);
      }
    }
  }

  /**
   * With several networks, the largest count of a single one: a rule counts in each network from 1.
   */
  @Test
  void whatItMetIsWrittenWhenANetworkCloses() throws IOException {
    System.setProperty(PLAN, "");
    long few = datagrams(1);
    long more = datagrams(3);
    assertEquals(3 * few, more);
    assertEquals(more, datagrams(1));
  }

  private long datagrams(int messages) throws IOException {
    FabricDevices network = new FabricDevices(FabricOptions.of(1));
    try (RcPair pair =
        RcPair.connect(
            network.device("one", Gid.parse("10.0.0.1")).open(),
            network.device("two", Gid.parse("10.0.0.2")).open())) {
      for (int i = 0; i < messages; i++) {
        pair.client().send("hello");
        pair.server().receiveString();
      }
    }
    network.close();
    network.close();
    Path file = directory.resolve(ProcessHandle.current().pid() + ".txt");
    return FaultReport.parse(Files.readString(file)).datagrams().values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }
}
