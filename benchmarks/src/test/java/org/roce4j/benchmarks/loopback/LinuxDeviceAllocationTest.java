package org.roce4j.benchmarks.loopback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.PortSelection;
import org.roce4j.verbs.Gid;

/** From post to poll through the kernel: neither end allocates, nor do the threads behind them. */
@EnabledIfSystemProperty(
    named = "roce4j.allocation",
    matches = "true",
    disabledReason = "counts what the compiled path allocates: needs a quiet machine; .ci/full")
class LinuxDeviceAllocationTest {
  private static final Gid LEFT = Gid.parse("127.0.0.1");
  private static final Gid RIGHT = Gid.parse("127.0.0.2");
  private static final long RUN_NS = 400_000_000;
  private static final int ROUNDS = 5;

  /** Whatever a run allocates once, as the first use of a call site does. */
  private static final double MOST_BYTES = 10_000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"WRITE_64K, 1000000", "PING_PONG_POLLING, 100000"})
  void aDeviceOnTheLinuxPortAllocatesNothingPerPacket(Workload workload, long packets)
      throws IOException, InterruptedException {
    assumeTrue(
        PortSelection.providers().stream()
            .anyMatch(p -> p.name().equals("linux") && p.unavailable().isEmpty()));
    Path page = Files.write(directory.resolve("page"), new byte[4096]);
    SharedPage shared = new SharedPage(page);
    int udpPort = freePort();
    try (End left = new DeviceEnd(workload, shared, "linux", LEFT, RIGHT, udpPort);
        End right = new DeviceEnd(workload, shared, "linux", RIGHT, LEFT, udpPort)) {
      left.connect(right.address());
      right.connect(left.address());
      // Code that is not compiled yet may allocate; what counts is where it settles.
      double least = Double.MAX_VALUE;
      for (int round = 0; round < ROUNDS && least * packets > MOST_BYTES; round++) {
        least = Math.min(least, allocatedPerPacket(left, right, packets));
      }
      double settled = least;
      assertTrue(settled * packets < MOST_BYTES, () -> settled + " bytes per packet");
      assertEquals(0, shared.damaged());
    }
  }

  private double allocatedPerPacket(End left, End right, long packets) throws InterruptedException {
    long sent = 0;
    long allocated = 0;
    while (sent < packets) {
      long before = allocatedBehind();
      Measurement measured = run(left, right);
      allocated += measured.allocated() + allocatedBehind() - before;
      sent += measured.packets();
    }
    return (double) allocated / sent;
  }

  private static Measurement run(End active, End passive) throws InterruptedException {
    Thread server = Thread.ofPlatform().daemon().start(passive::passive);
    Measurement measured = active.active(RUN_NS);
    server.join();
    return measured;
  }

  /** What the devices' own threads have allocated since they began. */
  private long allocatedBehind() {
    return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
        .filter(info -> info != null && info.getThreadName().startsWith("roce4j-"))
        .mapToLong(info -> threads.getThreadAllocatedBytes(info.getThreadId()))
        .sum();
  }

  private static int freePort() throws IOException {
    try (DatagramSocket probe = new DatagramSocket(0)) {
      return probe.getLocalPort();
    }
  }
}
