package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.fabric.FabricCapture;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.capture.CaptureExtent;
import org.roce4j.wire.capture.CaptureReader;
import org.roce4j.wire.capture.CapturedFrame;

/** The messages to a program that waits in vain. */
@Timeout(60)
@SuppressWarnings("try") // the detector needs no call
class SilenceDetectorTest {
  /** More than any virtual time of these tests takes. */
  private static final int POLLS = 100_000_000;

  private static final Gid NEAR = Gid.parse("10.0.0.1");
  private static final Gid FAR = Gid.parse("10.0.0.2");

  @AutoClose private final Arena arena = Arena.ofShared();
  @AutoClose private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  private final List<EmulatedDevice> devices =
      List.of(network.device("roce0", NEAR), network.device("roce1", FAR));
  private final Context context = devices.getFirst().open();
  private final CompletionChannel channel = context.createCompletionChannel();
  private final CompletionQueue cq = context.createCq(4, null, channel, 0);
  private final QueuePair qp = context.allocPd().createQp(new QpInitAttr().cq(cq));
  private final WorkCompletions done = new WorkCompletions(arena, 4);
  private final BlockingQueue<String> told = new ArrayBlockingQueue<>(100);

  /** Sends to a peer without a receive, with RNR retries without limit. */
  private void sendToNobody() {
    Context there = devices.getLast().open();
    CompletionQueue theirs = there.createCq(4);
    QueuePair peer = there.allocPd().createQp(new QpInitAttr().cq(theirs));
    QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(FAR, 0), peer.qpNum()));
    QpBringUp.toRts(peer, QpBringUp.attributes(AhAttr.roce(NEAR, 0), qp.qpNum()));
    qp.postSendOrThrow(
        new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED));
  }

  private SilenceDetector detector(Thread watched) {
    return new SilenceDetector(devices, watched, told::add, 5);
  }

  /** The first message that contains these words. */
  private String pollUntilTold(String words) {
    while (true) {
      assertEquals(0, cq.pollOrThrow(done));
      String line = told.poll();
      if (line != null && line.contains(words)) {
        return line;
      }
    }
  }

  @Test
  void aForgottenReceiveIsNamedWithThePollThatWaitsForIt() {
    sendToNobody();
    try (SilenceDetector detector = detector(Thread.currentThread())) {
      String line = pollUntilTold("RNR NAKs");
      assertTrue(
          line.matches(
              "nothing has completed for \\d s: QP 0x\\w+ RC RTS on roce1 has no receive posted;"
                  + " [\\d,]+ RNR NAKs went to QP 0x\\w+ RC RTS on roce0; thread .* is in .*,"
                  + " called at .*"),
          line);
    }
  }

  @Test
  void aPollWhereNothingIsOutstandingIsNamed() {
    try (SilenceDetector detector = detector(Thread.currentThread())) {
      String line = pollUntilTold("thread ");
      assertTrue(line.contains(": no queue pair has a send outstanding; thread "), line);
    }
  }

  @Test
  void anEventThatNobodyAcknowledgesIsNamedWithTheCloseThatWaitsForIt() throws Exception {
    cq.requestNotification(false);
    sendToNobody();
    qp.modify(new QpAttr().qpState(QpState.ERR));
    assertEquals(cq, channel.getCqEvent(0));
    qp.close();
    CompletableFuture<Void> other = CompletableFuture.runAsync(() -> awaitThenAcknowledge());
    try (SilenceDetector detector = detector(Thread.currentThread())) {
      cq.close();
    }
    other.get();
  }

  private void awaitThenAcknowledge() {
    try {
      String line = told.take();
      cq.ackEvents(1);
      assertTrue(
          line.contains("waits in close on " + cq + ", which has an event that is not ack"), line);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aProgramThatIsBusyWithSomethingElseIsNotSpokenTo() throws InterruptedException {
    Thread busy = Thread.ofPlatform().daemon().start(() -> {});
    busy.join();
    try (SilenceDetector detector = detector(busy)) {
      assertNull(told.poll(100, TimeUnit.MILLISECONDS));
    }
  }

  /** The watched thread may have ended, or sleep in the program's code. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anotherThreadThatWaitsIsNamedAlone(boolean ended) throws InterruptedException {
    CountDownLatch goesOn = new CountDownLatch(ended ? 0 : 1);
    Thread watched = Thread.ofPlatform().daemon().start(() -> await(goesOn));
    if (ended) {
      watched.join();
    }
    Thread waits =
        Thread.ofPlatform()
            .daemon()
            .start(() -> assertThrows(VerbsException.class, channel::getCqEvent));
    try (SilenceDetector detector = detector(watched)) {
      String line = told.poll(20, TimeUnit.SECONDS);
      assertNotNull(line, "nothing was told");
      assertTrue(line.contains(": no queue pair has a send outstanding; thread "), line);
      assertFalse(line.contains(" is in "), line);
    }
    goesOn.countDown();
    waits.interrupt();
    assertTrue(waits.join(Duration.ofSeconds(20)), "it still waits");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void itsThreadEndsWithIt() throws InterruptedException {
    detector(Thread.currentThread()).close();
    for (Thread each : Thread.getAllStackTraces().keySet()) {
      if (each.getName().equals("roce4j-silence")) {
        assertTrue(each.join(Duration.ofSeconds(20)), "it still looks");
      }
    }
  }

  @Test
  void virtualTimeEndsWithWordsAboutWhatGoesOn() {
    network
        .fabric()
        .endOfTime(
            1_000_000_000L, Long.MAX_VALUE, () -> SilenceDetector.situation(devices).toString());
    sendToNobody();
    VerbsException e =
        refused(
            Errno.ETIMEDOUT,
            () -> {
              for (int polls = 0; cq.pollOrThrow(done) == 0; polls++) {
                assertTrue(polls < POLLS, "nothing completed");
                Thread.onSpinWait();
              }
            });
    assertTrue(e.remedy().startsWith("the virtual time of this network, 1 s, is used up: [QP 0x"));
    assertTrue(e.remedy().contains(" has no receive posted; "), e::remedy);
  }

  /** A limit is of virtual time: the rounds of a sender beside it only cost real time. */
  @Test
  void aWaitBesideEndlessRetriesEndsAtItsVirtualTime() {
    sendToNobody();
    long before = network.fabric().nowNs();
    assertNull(channel.getCqEvent(2_000_000_000L));
    assertEquals(before + 2_000_000_000L, network.fabric().nowNs());
    assertTrue(network.fabric().counts().carried() < 10_000, "more than two for each RNR timer");
  }

  @Test
  void aWaitBesideEndlessRetriesEndsWithTheDatagramsOfTheNetwork() {
    network
        .fabric()
        .endOfTime(Long.MAX_VALUE, 1000, () -> SilenceDetector.situation(devices).toString());
    sendToNobody();
    VerbsException e = refused(Errno.ETIMEDOUT, channel::getCqEvent);
    assertTrue(
        e.remedy().startsWith("the datagrams of this network, 1,000, are used up: [QP 0x"),
        e::remedy);
    assertTrue(e.remedy().contains(" has no receive posted; "), e::remedy);
    assertEquals(1001, network.fabric().counts().carried(), 1);
  }

  @Test
  void aCaptureKeepsTheFirstAndTheLastPackets(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("bounded.pcapng");
    network.fabric().endOfTime(100_000_000L, Long.MAX_VALUE, () -> "");
    FabricCapture capture = network.fabric().capture(file, new CaptureExtent(3, 2));
    sendToNobody();
    assertThrows(VerbsException.class, () -> pollUntilTold("none"));
    capture.close();
    List<CapturedFrame> frames = new ArrayList<>();
    try (CaptureReader reader = CaptureReader.open(file)) {
      for (CapturedFrame next = reader.next(); next != null; next = reader.next()) {
        frames.add(next);
      }
    }
    assertEquals(5, frames.size());
    assertTrue(capture.leftOut() > 10);
    assertEquals(
        capture.leftOut() + " packets before this one are left out", frames.get(3).comment());
  }

  /** And again from the beginning after each completion. */
  @Test
  void theLineComesAfterEightLooksAndThenAfterTwiceAsManyEachTime() {
    SilenceDetector.Quiet quiet = new SilenceDetector.Quiet();
    for (long completed = 0; completed < 3; completed++) {
      List<Integer> lines = new ArrayList<>();
      for (int look = 0; look < 100; look++) {
        if (quiet.isLongAfter(completed)) {
          lines.add(look);
        }
      }
      assertEquals(List.of(8, 16, 32, 64), lines);
    }
  }
}
