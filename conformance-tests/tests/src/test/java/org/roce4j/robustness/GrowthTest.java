package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.emulator.statistics.PublishedStatistics;
import org.roce4j.engine.counter.Counter;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WrOpcode;

/** Closed objects leave nothing behind, and the n-th object is created as fast as the first. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GrowthTest {
  private static final int BATCH = 500;
  private static final int BATCHES = 40;

  /** A walk through all earlier objects would cost some hundred times as much; noise costs less. */
  private static final int MOST_COSTLY = 10;

  private final Gid group =
      Gid.ofIpv4(0xeffe0000 | (int) (ProcessHandle.current().pid() % 4096) << 4 | 1);

  /** An address vector that no other {@code n} has. */
  private static AhAttr vector(int n) {
    Gid peer = Gid.ofIpv4(0x7f000000 | n / (255 * 256) + 1 & 0xffffff);
    return new AhAttr(true, new GlobalRoute(peer, 0, 0, n % 255 + 1, n / 255 % 256), 0, 0, 0, 0, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"fabric", "fabric-4", "linux", "linux-4", "netty"})
  void objectsThatWereClosedAreForgotten(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096)) {
      Census.leavesNothing(
          round -> {
            ProtectionDomain pd = side.context.allocPd();
            CompletionChannel channel = side.context.createCompletionChannel();
            CompletionQueue cq = side.context.createCq(4, null, channel, 0);
            SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1));
            MemoryRegion mr = pd.registerMemory(side.memory(), AccessFlags.LOCAL_WRITE);
            MemoryWindow mw = pd.allocMemoryWindow(MwType.TYPE_2);
            QpInitAttr init = new QpInitAttr().cq(cq).cap(new QpCapabilities(1, 1, 1, 1, 0));
            QueuePair qp = pd.createQp(init.srq(srq));
            qp.close();
            mw.close();
            mr.close();
            srq.close();
            cq.close();
            channel.close();
            pd.close();
          });
    }
  }

  /** A table whose size depends on its past and not on its content is one object all the time. */
  @Test
  void tablesAreNoLargerForWhatTheyHaveHeld() {
    try (AnyNetwork network = new AnyNetwork("fabric");
        RcSide side = new RcSide(network.device(), 4096)) {
      long before = 0;
      for (int i = 0; i < 500_000; i++) {
        if (i == 1000) {
          before = Census.take().bytes();
        }
        side.pd.registerMemory(side.memory(), AccessFlags.LOCAL_WRITE).close();
        side.pd.createAh(vector(i % 1000)).close();
      }
      long more = Census.take().bytes() - before;
      assertTrue(more < 1 << 19, () -> more + " bytes more than at first");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fabric", "fabric-4", "linux"})
  void pathsOfQueuePairsAreForgotten(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096)) {
      QueuePair moved = side.queuePair();
      Census.leavesNothing(
          round -> {
            QueuePair qp = side.queuePair();
            RcSide.connect(qp, vector(2 * round).grh().dgid(), 77, 14, 7);
            connect(qp, QpState.SQD, vector(2 * round));
            qp.close();
            moved.modify(new QpAttr().qpState(QpState.RESET));
            RcSide.connect(moved, Gid.ofIpv4(0x7f100000 + round), 77, 14, 7);
          });
    }
  }

  /** Changes the path of a drained queue pair. */
  private static void connect(QueuePair qp, QpState drained, AhAttr along) {
    qp.modify(new QpAttr().qpState(drained));
    qp.modify(new QpAttr().qpState(drained).ahAttr(along));
  }

  @ParameterizedTest
  @ValueSource(strings = {"fabric", "fabric-4", "linux"})
  void pathsOfAddressHandlesAreForgotten(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096)) {
      Census.leavesNothing(round -> side.pd.createAh(vector(round)).close());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fabric", "fabric-4", "linux"})
  void aNewAddressHandleCostsWhatTheFirstDid(String transport) {
    // Processor time: on a busy machine a batch may wait for a processor longer than it runs.
    ThreadMXBean processor = ManagementFactory.getThreadMXBean();
    long[] costs = new long[BATCHES];
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096)) {
      side.pd.createAh(vector(0)).close();
      for (int batch = 0; batch < BATCHES; batch++) {
        long start = processor.getCurrentThreadCpuTime();
        for (int i = 0; i < BATCH; i++) {
          side.pd.createAh(vector(batch * BATCH + i)).close();
        }
        costs[batch] = processor.getCurrentThreadCpuTime() - start;
      }
    }
    long first = least(costs, 0, BATCHES / 4);
    long last = least(costs, BATCHES - BATCHES / 4, BATCHES);
    assertTrue(
        last < MOST_COSTLY * first, () -> "%d ns, then %d ns for %d".formatted(first, last, BATCH));
  }

  private static long least(long[] costs, int from, int to) {
    return Arrays.stream(costs, from, to).min().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"fabric", "fabric-4", "linux", "linux-4", "netty"})
  void contextsThatWereClosedAreForgotten(String transport) throws IOException {
    try (AnyNetwork network = new AnyNetwork(transport)) {
      RdmaDevice device = network.device();
      try (RcSide other = new RcSide(device, 4096)) {
        Census.leavesNothing(
            round -> {
              try (RcSide side = new RcSide(device, 4096)) {
                RcSide.connect(side.qp, other.gid, other.qp.qpNum(), 14, 7);
                side.pd.createAh(vector(round));
                datagrams(side.pd, side.cq).attachMulticast(group);
              }
            });
        // A thread that waited in the group's socket keeps the socket until it is woken.
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (joined() && System.nanoTime() - end < 0) {
          Thread.onSpinWait();
        }
        assertTrue(!joined(), "the group was not left");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fabric", "linux", "linux-4", "netty"})
  void devicesThatWereClosedAreForgotten(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport)) {
      RdmaDevice device = network.device();
      Census.leavesNothing(round -> device.open().close());
    }
  }

  @Test
  void devicesOfEachAddressAreForgotten() {
    Census.leavesNothing(
        round -> Emulator.device(DeviceOptions.of("fresh", Loopback.fresh())).open().close());
  }

  @Test
  void devicesThatWereUnpluggedAreForgotten() {
    try (FabricDevices devices = new FabricDevices(FabricOptions.of(1))) {
      Census.leavesNothing(
          round -> {
            EmulatedDevice device = devices.device("unplugged", Gid.parse("10.0.0.1"));
            Context context = device.open();
            devices.unplug(device);
            context.close();
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "linux-4", "netty"})
  void statisticsAreWithdrawnWithTheDevice(String transport) throws JMException {
    System.setProperty("roce4j.stats", "on");
    try (AnyNetwork network = new AnyNetwork(transport)) {
      RdmaDevice device = network.device();
      for (int round = 0; round < 2; round++) {
        try (Context context = device.open()) {
          assertEquals(1, published(context.device().name()));
        }
        assertEquals(0, published(device.name()));
      }
    } finally {
      System.clearProperty("roce4j.stats");
    }
  }

  private static int published(String device) throws JMException {
    String name = PublishedStatistics.PATTERN.replace(",*", ",name=\"" + device + "\",*");
    return ManagementFactory.getPlatformMBeanServer().queryNames(new ObjectName(name), null).size();
  }

  private static QueuePair datagrams(ProtectionDomain pd, CompletionQueue cq) {
    QpCapabilities few = new QpCapabilities(4, 4, 1, 1, 0);
    QueuePair qp = pd.createQp(new QpInitAttr().qpType(QpType.UD).cq(cq).cap(few));
    QpBringUp.toRts(qp, QpBringUp.attributes().qkey(1));
    return qp;
  }

  @ParameterizedTest
  @ValueSource(strings = {"fabric", "fabric-4"})
  void nothingComesFromAGroupThatWasLeft(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096);
        RcSide sender = new RcSide(network.device(), 4096)) {
      QueuePair member = datagrams(side.pd, side.cq);
      QueuePair qp = datagrams(sender.pd, sender.cq);
      member.attachMulticast(group);
      member.detachMulticast(group);
      Census.leavesNothing(
          round -> {
            member.attachMulticast(group);
            member.detachMulticast(group);
          });
      sendTo(group, QueuePair.MULTICAST_QPN, sender, qp);
      exchange(side, member, sender, qp); // earlier packets have arrived by then
      assertEquals(1, received(side), "the group was not left");
      member.attachMulticast(group);
      sendTo(group, QueuePair.MULTICAST_QPN, sender, qp);
      exchange(side, member, sender, qp);
      assertEquals(3, received(side));
    }
  }

  private static long received(RcSide side) {
    return side.context.counters().get(Counter.RECEIVED_PACKETS.label());
  }

  private static void exchange(RcSide side, QueuePair member, RcSide sender, QueuePair qp) {
    try (Arena arena = Arena.ofConfined()) {
      RecvRequestList list = new RecvRequestList(arena, 1, 1);
      for (int i = 0; i < 2; i++) {
        assertEquals(0, member.postRecv(list.clear().add().sge(side.mr, 0, 100)));
      }
      sendTo(side.gid, member.qpNum(), sender, qp);
      assertTrue(!side.await(1).isEmpty());
      long most = System.nanoTime() + 10_000_000_000L;
      while (received(side) % 2 == 0 && System.nanoTime() - most < 0) {
        side.poll();
      }
    }
  }

  private static void sendTo(Gid gid, int destQp, RcSide sender, QueuePair qp) {
    try (AddressHandle ah = sender.pd.createAh(AhAttr.roce(gid, 0));
        Arena arena = Arena.ofConfined()) {
      SendRequestList list = new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND);
      list.flags(SendFlags.SIGNALED).sge(sender.mr, 0, 8).ud(ah, destQp, 1);
      assertEquals(0, qp.postSend(list));
      assertEquals(1, sender.await(1).size());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "linux-4", "netty"})
  void theKernelIsToldThatAGroupIsLeft(String transport) throws IOException {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide side = new RcSide(network.device(), 4096)) {
      QueuePair qp = datagrams(side.pd, side.cq);
      Census.leavesNothing(
          round -> {
            qp.attachMulticast(group);
            qp.detachMulticast(group);
          });
      qp.attachMulticast(group);
      assertTrue(joined(), "the kernel does not know");
      qp.detachMulticast(group);
      // A thread that waited in the group's socket keeps the socket until it is woken.
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (joined() && System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
      assertTrue(!joined(), "the group was not left");
    }
  }

  /** Whether a socket of this machine is in the group; never on a fabric. */
  private boolean joined() throws IOException {
    int address = Integer.reverseBytes((int) group.low());
    String listed = String.format("%08X", address).toUpperCase(Locale.ROOT);
    return Files.readString(Path.of("/proc/net/igmp")).contains(listed);
  }
}
