package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.roce4j.device.Device;
import org.roce4j.device.EmulatedContext;
import org.roce4j.device.GidTable;
import org.roce4j.device.PortControl;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/**
 * A device on {@linkplain PlayedPort played ports}. Its background threads run only once a test
 * starts the driver, and look in only when it unparks them.
 */
final class PlayedDevice {
  static final int DEPTH = 200;

  /** 67 ms. */
  private static final int ACK_TIMEOUT = 14;

  static final long ACK_TIMEOUT_NS = 4096L << ACK_TIMEOUT;

  final List<PlayedPort> ports;
  final Device device;
  final DeviceDriver driver;
  final Context context;

  PlayedDevice(boolean anyThread, int engines, int maxTrain, EngineTrace trace) {
    this(anyThread, engines, maxTrain, trace, Long.MAX_VALUE >> 8);
  }

  PlayedDevice(boolean anyThread, int engines, int maxTrain, EngineTrace trace, long lookInNs) {
    ports = Stream.generate(() -> new PlayedPort(anyThread, maxTrain)).limit(engines).toList();
    device =
        new Device(
            Emulator.device(DeviceOptions.of("played", PlayedPort.HERE)),
            DeviceLimits.DEFAULT,
            new GidTable(List.of(PlayedPort.HERE), 0),
            Mtu.MTU_1024,
            new SplittableRandom(1),
            trace,
            engines);
    List<Engine> each = IntStream.range(0, engines).mapToObj(device::engine).toList();
    driver = new DeviceDriver("played", each, ports, lookInNs);
    device.attach(PortControl.NONE, driver.whole(), driver.each());
    context = EmulatedContext.open(device, () -> {});
  }

  PlayedPort port() {
    return ports.getFirst();
  }

  EngineDriver first() {
    return driver.each().getFirst();
  }

  static QueuePair connected(Context context, int engine) {
    return connected(context.createCq(2 * DEPTH, null, null, engine));
  }

  static QueuePair connected(CompletionQueue cq) {
    QueuePair qp =
        cq.context()
            .allocPd()
            .createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(DEPTH, 4, 1, 1, 0)));
    QpBringUp.toRts(
        qp,
        QpBringUp.attributes(AhAttr.roce(PlayedPort.PEER, 0), 17)
            .qpAccessFlags(0)
            .minRnrTimer(1)
            .sqPsn(0)
            .rqPsn(0)
            .timeout(ACK_TIMEOUT));
    return qp;
  }

  /** Posts signaled SENDs without data. */
  void post(QueuePair qp, int count) {
    try (Arena arena = Arena.ofShared()) {
      SendRequestList list = new SendRequestList(arena, count, 1, 0);
      for (int i = 0; i < count; i++) {
        list.add().opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
      }
      assertEquals(0, qp.postSend(list));
    }
  }

  /** Spins until the condition holds, for at most 20 s. */
  static void until(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < 20_000_000_000L, "it does not come about");
      Thread.onSpinWait();
    }
  }

  /** Runs {@code what} to its end on another thread. */
  static void asAnother(Runnable what) {
    Thread other = Thread.ofPlatform().start(what);
    try {
      other.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether the thread ends within that time. */
  static boolean ended(Thread thread, Duration within) {
    try {
      return thread.join(within);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
