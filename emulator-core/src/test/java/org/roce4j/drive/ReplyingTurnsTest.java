package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Ecn;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.wire.Opcode;

/** The post of a thread that polls: the peer waits for its train. */
class ReplyingTurnsTest {
  private static final int SENDING_NS = 3000;

  @AutoClose private final Arena arena = Arena.ofShared();
  private PlayedDevice played;
  private PlayedPort port;
  private QueuePair qp;

  /** How often the clock was read before the train left. */
  private final AtomicInteger readings = new AtomicInteger();

  private Runnable whenPolledAgain = () -> {};

  private void connect(int engines) {
    played = new PlayedDevice(true, engines, 8, EngineTrace.NONE);
    port = played.port();
    qp = PlayedDevice.connected(played.context, 0);
    RecvRequestList receive = new RecvRequestList(arena, 1, 1).add();
    for (int i = 0; i < 4; i++) {
      assertEquals(0, qp.postRecv(receive));
    }
    played.first().doorbell();
  }

  /** Polls twice, then posts; sending takes {@link #SENDING_NS}. Counts readings of the clock. */
  private int readingsBeforeTheTrain() {
    played.first().advance();
    whenPolledAgain.run();
    played.first().advance();
    int[] before = {-1};
    readings.set(0);
    port.whenTimed = readings::incrementAndGet;
    port.whenSent =
        () -> {
          before[0] = readings.get();
          port.clock.addAndGet(SENDING_NS);
          port.whenSent = () -> {};
        };
    played.post(qp, 1);
    port.whenTimed = null;
    return before[0];
  }

  private long timerNs() {
    return played.device.engine(0).nextTimeout();
  }

  @Test
  void theTrainLeavesBeforeTheClockIsReadAndTimersStartWhenItHasLeft() {
    connect(1);
    long beforeNs = port.clock.get();
    assertEquals(0, readingsBeforeTheTrain());
    assertEquals(beforeNs + SENDING_NS + PlayedDevice.ACK_TIMEOUT_NS, timerNs());
  }

  /** 10 us from the end of the system call, not from its beginning. */
  @Test
  void theWaitOfAnAcknowledgementBeginsWhenTheReplyHasLeft() {
    connect(1);
    whenPolledAgain = () -> port.arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), 0, 0);
    long beforeNs = port.clock.get();
    assertEquals(0, readingsBeforeTheTrain());
    assertEquals(1, port.sent.get());
    assertEquals(beforeNs + SENDING_NS + 10_000, timerNs());
  }

  @Test
  void aThreadThatDoesNotPollReadsTheClockFirst() {
    connect(1);
    port.whenTimed = readings::incrementAndGet;
    port.whenSent = () -> assertEquals(1, readings.get());
    played.post(qp, 1);
    assertEquals(1, port.sent.get());
    assertNull(played.device.engine(0).failure());
  }

  /** A rate is about the time at which packets leave. */
  @Test
  void theClockIsReadFirstOnceAQueuePairHasARate() {
    connect(1);
    QueuePair other = PlayedDevice.connected(played.context, 0);
    other.modifyRateLimit(new QpRateLimitAttr(1000));
    assertEquals(1, readingsBeforeTheTrain());
  }

  /** Notifications of congestion leave at intervals. */
  @Test
  void theClockIsReadFirstOnceAPathMarksPackets() {
    connect(1);
    port.marks = Ecn.marked(0);
    port.arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), 0, 0);
    assertEquals(1, readingsBeforeTheTrain());
  }

  /** Datagrams of other engines arrive with the work that was posted. */
  @Test
  void theClockIsReadFirstBesideOtherEngines() {
    connect(2);
    assertEquals(1, readingsBeforeTheTrain());
  }

  @Test
  void requestsThatDoNotFitTheTrainFollowInOthers() {
    connect(1);
    played.first().advance();
    played.first().advance();
    played.post(qp, 20);
    assertEquals(20, port.sent.get());
  }

  @Test
  void aDefectOfThePortFailsTheDevice() {
    connect(1);
    played.first().advance();
    played.first().advance();
    IllegalStateException defect = new IllegalStateException("of a port");
    port.whenSent =
        () -> {
          throw defect;
        };
    played.post(qp, 1);
    assertSame(defect, played.device.engine(0).failure());
  }
}
