package org.roce4j.tools.perf.traffic;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.DatagramSocket;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.PortSelection;
import org.roce4j.tools.perf.PerfCommand;
import org.roce4j.tools.perf.exchange.PerftestExchange.Agreement;
import org.roce4j.tools.side.LocalAddress;
import org.roce4j.tools.side.Role;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** From post to poll through the kernel neither the ends nor their threads allocate. */
class LinuxAllocationTest {
  private static final Gid LEFT = Gid.parse("127.0.0.1");
  private static final Gid RIGHT = Gid.parse("127.0.0.2");
  private static final long RUN_NS = 30_000_000;
  private static final long PATIENCE_NS = 60_000_000_000L;
  private static final int MOST_ROUNDS = 40;

  /** One object for each of these messages would exceed {@link #MOST_BYTES}. */
  private static final int PACKETS_OF_A_ROUND = 200;

  /** What a run allocates once, such as the output line about its queue pairs. */
  private static final long MOST_BYTES = 1500;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /**
   * On a loaded machine a round takes longer and code is compiled later. The test needs one round
   * without allocation, however late; a path that allocates has no such round.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "write_bw -s 65536 -t 32 -r 64",
        "send_bw -s 65536 -t 32 -r 64",
        "read_bw -s 65536 -t 32 -r 64",
        "send_lat -s 64 -r 64",
        "send_lat -s 64 -r 64 -e"
      })
  void aDeviceOnTheLinuxPortAllocatesNothingPerPacket(String line)
      throws IOException, InterruptedException {
    assumeTrue(
        PortSelection.providers().stream()
            .anyMatch(p -> p.name().equals("linux") && p.unavailable().isEmpty()));
    PerfPlan plan = plan(line);
    int udpPort = freePort();
    try (Context left = device(LEFT, udpPort);
        Context right = device(RIGHT, udpPort);
        PerfSide client = side(left, Role.CLIENT, plan);
        PerfSide server = side(right, Role.SERVER, plan)) {
      client.connect(server.addresses());
      server.connect(client.addresses());
      Player playing = client.player();
      Player serving = server.player();
      long least = Long.MAX_VALUE;
      for (int round = 0; round < MOST_ROUNDS && least > MOST_BYTES; round++) {
        least = Math.min(least, allocatedInARound(playing, serving));
      }
      assertTrue(least <= MOST_BYTES, least + " bytes in the best round");
    }
  }

  private static PerfPlan plan(String line) {
    return PerfCommand.parse(List.of((line + " -m 4096 --server").split(" "))).plan();
  }

  private static Context device(Gid address, int udpPort) {
    return Emulator.device(
            DeviceOptions.of("end", address).withTransport("linux").withUdpPort(udpPort))
        .open();
  }

  private static PerfSide side(Context context, Role role, PerfPlan plan) {
    Agreement agreement = new Agreement(4096, 64, plan.mtu());
    return new PerfSide(
        context, role, plan, agreement, LocalAddress.FIRST, new SplittableRandom(1));
  }

  private long allocatedInARound(Player playing, Player serving) throws InterruptedException {
    long messages = 0;
    long allocated = 0;
    while (messages < PACKETS_OF_A_ROUND) {
      AtomicBoolean over = new AtomicBoolean();
      Round rounds = new Round(System::nanoTime, PATIENCE_NS);
      Thread server =
          Thread.ofPlatform()
              .daemon()
              .start(() -> rounds.play(serving, Long.MAX_VALUE, 0, over::get, Round.Watch.NONE));
      long before = allocatedBehind();
      rounds.play(playing, Long.MAX_VALUE, RUN_NS, () -> false, Round.Watch.NONE);
      allocated += playing.measurement().allocated() + allocatedBehind() - before;
      over.set(true);
      server.join();
      allocated += serving.measurement().allocated();
      messages += playing.measurement().messages();
    }
    return allocated;
  }

  /** The bytes that the devices' own threads have allocated since they began. */
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
