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
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.emulator.PortSelection;
import org.roce4j.verbs.Gid;

/** From post to poll through the kernel: neither end allocates, nor do the threads behind them. */
class LinuxDeviceAllocationTest {
  private static final Gid LEFT = Gid.parse("127.0.0.1");
  private static final Gid RIGHT = Gid.parse("127.0.0.2");
  private static final long RUN_NS = 30_000_000;
  private static final int MOST_ROUNDS = 40;

  /** So many that a single object for each of them cannot pass for {@link #MOST_BYTES}. */
  private static final int PACKETS_OF_A_ROUND = 200;

  /** Whatever a run allocates once, such as its result. */
  private static final long MOST_BYTES = 1000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @TempDir private Path directory;

  /**
   * On a loaded machine a round takes longer and code is compiled later: what counts is a round in
   * which nothing was allocated, however late. A path that allocates has none.
   */
  @ParameterizedTest
  @EnumSource(names = "WRITE_1M", mode = EnumSource.Mode.EXCLUDE)
  void aDeviceOnTheLinuxPortAllocatesNothingPerPacket(Workload workload)
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
      long least = Long.MAX_VALUE;
      for (int round = 0; round < MOST_ROUNDS && least > MOST_BYTES; round++) {
        least = Math.min(least, allocatedInARound(left, right));
      }
      assertTrue(least <= MOST_BYTES, least + " bytes in the best round");
      assertEquals(0, shared.damaged());
    }
  }

  private long allocatedInARound(End left, End right) throws InterruptedException {
    long sent = 0;
    long allocated = 0;
    while (sent < PACKETS_OF_A_ROUND) {
      AtomicLong byServer = new AtomicLong();
      Thread server = Thread.ofPlatform().daemon().start(() -> byServer.set(passive(right)));
      long before = allocatedBehind();
      Measurement measured = left.active(RUN_NS);
      allocated += measured.allocated() + allocatedBehind() - before;
      server.join();
      allocated += byServer.get();
      sent += measured.packets();
    }
    return allocated;
  }

  private long passive(End end) {
    long before = threads.getCurrentThreadAllocatedBytes();
    end.passive();
    return threads.getCurrentThreadAllocatedBytes() - before;
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
