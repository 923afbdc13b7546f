package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.device.WaitingThreads;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;

/** An exception inside the engine fails its device as a whole, and no thread hangs. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineFailureTest {
  private static final int BYTES = 4096;

  private final Logger logger = Logger.getLogger("org.roce4j");
  private final BlockingQueue<LogRecord> logged = new LinkedBlockingQueue<>();
  private final Handler collector =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          logged.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  /** A defect: throws whenever a packet is dropped. */
  private record Defect(boolean error) implements EngineTrace {
    @Override
    public void dropped(int qpNum, int psn, Counter reason) {
      if (error) {
        throw new AssertionError("planted");
      }
      throw new IllegalStateException("planted");
    }
  }

  @BeforeEach
  void collectLines() {
    logger.addHandler(collector);
    logger.setUseParentHandlers(false);
  }

  @AfterEach
  void collectNoMore() {
    logger.removeHandler(collector);
    logger.setUseParentHandlers(true);
  }

  @ParameterizedTest
  @CsvSource({"linux,1,true", "linux,1,false", "linux,4,true", "netty,1,true", "netty,1,false"})
  void failsTheDeviceAndReleasesAllThatWait(String transport, int engines, boolean error)
      throws Exception {
    Gid address = Loopback.fresh();
    DeviceOptions options =
        DeviceOptions.of("faulty", address)
            .withTransport(transport)
            .withEngines(engines)
            .withTrace(new Defect(error));
    // The first engine fails; the queue pairs live on the last.
    EmulatedDevice device = Emulator.device(options);
    try (RcSide side = new RcSide(device.open(), BYTES, engines - 1)) {
      RcSide.connect(side.qp, Loopback.fresh(), 77, 14, 7);
      side.receive(1, 0, 100);
      side.receive(2, 100, 100);
      side.cq.requestNotification(false);
      CompletableFuture<AsyncEvent> event =
          CompletableFuture.supplyAsync(side.context::getAsyncEvent);
      CompletableFuture<?> completion = CompletableFuture.supplyAsync(side.channel::getCqEvent);

      sendGarbage(address);
      AsyncEvent fatal = event.get(20, TimeUnit.SECONDS);
      assertEquals(EventType.DEVICE_FATAL, fatal.type());
      fatal.ack();
      assertEquals(side.cq, completion.get(20, TimeUnit.SECONDS));
      side.cq.ackEvents(1);

      assertEquals(QpState.ERR, side.qp.state());
      assertEquals(List.of(1L, 2L), flushed(side, 2));
      assertEquals(0, side.send(3, 0, 64), "a request is taken, and flushed");
      assertEquals(List.of(3L), flushed(side, 1));
      everyOtherCallIsRefused(device, side, address);
      assertLogged();
      side.qp.close();
      side.mr.close();
    }
    assertTrue(logged.isEmpty(), "it is logged once");
    device.open().close(); // It starts again.
    Emulator.device(options).open().close(); // The address is free.
  }

  /** The engine's thread logs after it has released the waiting threads. */
  private void assertLogged() throws InterruptedException {
    LogRecord line = logged.poll(20, TimeUnit.SECONDS);
    assertNotNull(line, "it is not logged");
    assertTrue(line.getMessage().contains("the device faulty has failed"));
    assertEquals("planted", line.getThrown().getMessage());
  }

  private void everyOtherCallIsRefused(EmulatedDevice device, RcSide side, Gid address) {
    refused(side.context::getAsyncEvent);
    refused(side.channel::getCqEvent);
    refused(side.context::allocPd);
    refused(device::open);
    refused(() -> side.context.createCq(1));
    refused(side::queuePair);
    refused(() -> RcSide.connect(side.qp, address, 77, 14, 7));
  }

  /**
   * Threads that wait for another engine than the failing one: nothing completes, and no periodic
   * check comes.
   */
  @ParameterizedTest
  @CsvSource({"linux,1", "linux,4", "netty,1"})
  void wakesThoseThatWaitForNothingThatItDelivers(String transport, int engines) throws Exception {
    try (UnattendedDevice device = new UnattendedDevice(transport, engines)) {
      List<Thread> waiting = new ArrayList<>();
      List<VerbsException> refusals = Collections.synchronizedList(new ArrayList<>());
      for (int vector = 0; vector < engines; vector++) {
        RcSide side = new RcSide(device.open(), BYTES, vector);
        Runnable waits =
            () -> refusals.add(assertThrows(VerbsException.class, side.channel::getCqEvent));
        waiting.add(Thread.ofPlatform().daemon().start(waits));
      }
      Poll.until(() -> WaitingThreads.now().size() >= engines);
      device.fail(0, new AssertionError("planted"));
      for (Thread thread : waiting) {
        thread.join(20_000);
        assertFalse(thread.isAlive(), "nobody woke the thread");
      }
      assertEquals(engines, refusals.size());
      refusals.forEach(refusal -> assertEquals(Errno.ENODEV, refusal.errno()));
    }
  }

  /** There is no other thread to report it; the test gets it where it has caused it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void isThrownOnceAtTheThreadWhoseTurnItWasOnAVirtualNetwork(boolean error) {
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1))) {
      Gid address = Gid.parse("10.0.0.2");
      DeviceOptions faulty = network.options("faulty", address).withTrace(new Defect(error));
      RcSide side = new RcSide(network.device(faulty).open(), BYTES);
      RcSide.connect(side.qp, Gid.parse("10.0.0.9"), 77, 14, 7);
      side.receive(1, 0, 100);
      RcSide sender = new RcSide(network.device("sound", Gid.parse("10.0.0.1")).open(), BYTES);
      RcSide.connect(sender.qp, address, side.qp.qpNum() ^ 1, 14, 0);
      sender.send(1, 0, 64);
      Throwable thrown = assertThrows(Throwable.class, () -> sender.await(1));
      assertEquals("planted", thrown.getMessage());
      assertEquals(List.of(1L), flushed(side, 1));
      assertEquals(WcStatus.RETRY_EXC_ERR, sender.await(1).getFirst().status());
      refused(side.context::allocPd);
    }
  }

  private static void sendGarbage(Gid address) throws Exception {
    InetAddress target = address.toInetAddress();
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(new DatagramPacket(new byte[64], 64, target, PortOptions.ROCE_UDP_PORT));
    }
  }

  /** The wr_ids of the next completions, which are all flushed. */
  private static List<Long> flushed(RcSide side, int count) {
    List<RcSide.Completion> all = side.await(count);
    all.forEach(each -> assertEquals(WcStatus.WR_FLUSH_ERR, each.status()));
    return all.stream().map(RcSide.Completion::wrId).toList();
  }

  private static void refused(Runnable verb) {
    VerbsException refusal = assertThrows(VerbsException.class, verb::run);
    assertEquals(Errno.ENODEV, refusal.errno());
    assertTrue(refusal.remedy().contains("open it again"), refusal.remedy());
  }
}
