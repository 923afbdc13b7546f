package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Planted;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;

/** The steps of a turn, their times, and exceptions inside a turn. */
class DutyCycleTest {
  private static final int POSITIVE = 0x1f << 24;

  @AutoClose private final Arena arena = Arena.ofShared();
  private final PlayedDevice played =
      new PlayedDevice(true, 1, Transmit.MAX_SEGMENTS, EngineTrace.NONE);
  private final PlayedPort port = played.port();
  private final Engine engine = played.device.engine(0);
  private final DutyCycle cycle = new DutyCycle(engine, port);
  private final QueuePair qp = PlayedDevice.connected(played.context, 0);

  /** How often the clock was read. */
  private int readings;

  /** The trains that the port was asked to send. */
  private int trains;

  @BeforeEach
  void takeTheEngine() {
    assertTrue(engine.tryTake());
    cycle.run();
    port.whenTimed = () -> readings++;
    port.whenSent = () -> trains++;
  }

  /** Publishes requests, which no thread handles while the engine is taken. */
  private void publish(int count) {
    played.post(qp, count);
  }

  private void acknowledged(int psn) {
    port.arrives(Opcode.RC_ACKNOWLEDGE, qp.qpNum(), psn, POSITIVE | psn + 1 & 0xFF_FFFF);
  }

  private long timerAfter(long ns) {
    return ns + PlayedDevice.ACK_TIMEOUT_NS;
  }

  // ---- time

  /** A packet that arrived before the turn is not as late as the turn. */
  @Test
  void arrivalsHaveTheTimeOfTheirBatch() {
    publish(4);
    cycle.flush();
    port.arrivedNs = 5_000_000;
    acknowledged(0);
    acknowledged(1);
    cycle.run();
    assertEquals(1, port.arrivalsTimed, "once for a batch");
    port.arrivedNs = 10_000_000;
    acknowledged(2);
    cycle.run();
    assertEquals(2, port.arrivalsTimed);
    assertTimesOutAt(timerAfter(10_000_000));
  }

  private void assertTimesOutAt(long ns) {
    port.clock.set(ns - 1);
    cycle.run();
    assertEquals(0, engine.counters().get(Counter.ACK_TIMEOUT));
    port.clock.set(ns);
    cycle.run();
    assertEquals(1, engine.counters().get(Counter.ACK_TIMEOUT));
  }

  @Test
  void everyFourthPollLooksAtTimers() {
    for (int poll = 1; poll <= 8; poll++) {
      cycle.poll();
      assertEquals(poll / 4, readings, "poll " + poll);
      assertEquals(poll, cycle.polls());
    }
  }

  @Test
  void everyOtherTurnLooksAtTimers() {
    cycle.run();
    assertEquals(1, readings);
  }

  /** The timer that is due is that of the turn, not of the turn before. */
  @Test
  void aLostPacketIsSentAgainByTheFourthPoll() {
    publish(1);
    cycle.flush();
    cycle.poll();
    port.clock.addAndGet(PlayedDevice.ACK_TIMEOUT_NS);
    for (int poll = 2; poll <= 4; poll++) {
      assertEquals(1, port.sent.get());
      cycle.poll();
    }
    assertEquals(2, port.sent.get());
    assertEquals(1, engine.counters().get(Counter.ACK_TIMEOUT));
  }

  @Test
  void aPollThatFindsPostedWorkReadsTheClockOnce() {
    publish(1);
    port.clock.addAndGet(7000);
    cycle.poll();
    assertEquals(1, readings);
    assertEquals(1, port.sent.get());
    assertEquals(timerAfter(port.clock.get()), engine.nextTimeout());
  }

  /** What an arrival makes due is sent in the next turn, whose time counts. */
  @Test
  void aPollThatSendsReadsTheClockOnce() {
    publish(2);
    cycle.flush();
    port.arrives(Opcode.RC_ACKNOWLEDGE, qp.qpNum(), 0, Aeth.NAK_SEQUENCE << 24);
    cycle.poll();
    port.clock.addAndGet(7000);
    readings = 0;
    cycle.poll();
    assertEquals(4, port.sent.get(), "both again");
    assertEquals(1, readings);
    assertTimesOutAt(timerAfter(port.clock.get()));
  }

  @Test
  void aTurnThatSendsReadsTheClockOnce() {
    publish(2);
    cycle.flush();
    port.arrives(Opcode.RC_ACKNOWLEDGE, qp.qpNum(), 0, Aeth.NAK_SEQUENCE << 24);
    cycle.poll();
    readings = 0;
    cycle.run();
    assertEquals(4, port.sent.get(), "both again");
    assertEquals(1, readings);
  }

  @Test
  void publishedWorkHasTheTimeOfItsTurn() {
    publish(1);
    port.clock.addAndGet(7000);
    cycle.flush();
    assertEquals(timerAfter(port.clock.get()), engine.nextTimeout());
  }

  // ---- receiving

  /** All that has arrived comes before a timer, however many times the port must be asked. */
  @Test
  void aTurnThatIsLateAsksThePortUntilItIsEmpty() {
    publish(3);
    cycle.flush();
    port.clock.addAndGet(2 * PlayedDevice.ACK_TIMEOUT_NS);
    port.mostAtOnce = 1;
    for (int psn = 0; psn < 3; psn++) {
      acknowledged(psn);
    }
    int looks = port.looks.get();
    assertEquals(3, cycle.run());
    assertEquals(5, port.looks.get() - looks, "three, a vain one, and that of every turn");
    assertEquals(0, engine.counters().get(Counter.ACK_TIMEOUT));
  }

  /** The timer runs although packets never cease to arrive. */
  @Test
  void aTurnThatIsLateReceivesABoundedNumber() {
    publish(1);
    cycle.flush();
    port.clock.addAndGet(2 * PlayedDevice.ACK_TIMEOUT_NS);
    port.mostAtOnce = 1;
    for (int i = 0; i < 1000; i++) {
      port.arrives(Opcode.RC_ACKNOWLEDGE, qp.qpNum(), 500, POSITIVE);
    }
    assertEquals(257, cycle.run());
    assertEquals(1, engine.counters().get(Counter.ACK_TIMEOUT));
  }

  @Test
  void aTurnThatIsInTimeAsksThePortOnce() {
    publish(1);
    cycle.flush();
    int looks = port.looks.get();
    cycle.run();
    assertEquals(1, port.looks.get() - looks);
  }

  // ---- sending

  @Test
  void noTrainIsSentWithoutADatagram() {
    cycle.run();
    cycle.poll();
    cycle.flush();
    cycle.post(true);
    cycle.post(false);
    assertEquals(0, trains);
  }

  @Test
  void heldRequestsLeaveInTheNextTurn() {
    publish(1);
    cycle.hold();
    assertEquals(0, port.sent.get());
    cycle.poll();
    assertEquals(1, port.sent.get());
  }

  /** A wait in vain makes the next acknowledgements follow their replies at once. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void theAcknowledgementBehindAReplyLeavesInTheNextPoll(int polls) {
    RecvRequestList receive = new RecvRequestList(arena, 1, 1).add();
    for (int i = 0; i < 2; i++) {
      assertEquals(0, qp.postRecv(receive));
    }
    replyTo(0);
    port.clock.addAndGet(50_000);
    cycle.run();
    cycle.run();
    for (int i = 0; i < polls; i++) {
      cycle.poll();
    }
    int before = port.sent.get();
    replyTo(1);
    assertEquals(before + 1, port.sent.get());
    cycle.poll();
    assertEquals(before + 2, port.sent.get());
  }

  /**
   * Only a reply begins the wait. The packets of an acknowledgement that comes meanwhile do not.
   */
  @Test
  void theWaitOfAnAcknowledgementIsNotBegunAnew() {
    assertEquals(0, qp.postRecv(new RecvRequestList(arena, 1, 1).add()));
    replyTo(0);
    long untilNs = engine.nextTimeout();
    port.clock.addAndGet(5000);
    acknowledged(0);
    cycle.poll();
    cycle.poll();
    assertEquals(untilNs, engine.nextTimeout());
  }

  /** A peer that is told to wait should know it soon. */
  @Test
  void aNegativeAcknowledgementLeavesWithTheReply() {
    replyTo(0);
    assertEquals(2, port.sent.get(), "a SEND, and an RNR NAK");
  }

  private void replyTo(int psn) {
    port.arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), psn, 0);
    cycle.poll();
    publish(1);
    cycle.post(true);
  }

  // ---- defects

  /** Each kind of turn sends what was published, and finds the defect in its way. */
  @ParameterizedTest
  @CsvSource({
    "run, EXCEPTION",
    "poll, EXCEPTION",
    "flush, EXCEPTION",
    "reply, EXCEPTION",
    "overdue, EXCEPTION",
    "run, ERROR",
    "poll, ERROR",
    "flush, ERROR",
    "reply, ERROR",
    "overdue, ERROR"
  })
  void aDefectInAnyTurnFailsTheDevice(String turn, Planted defect) {
    publish(1);
    cycle.hold();
    port.clock.addAndGet(1_000_000);
    port.whenSent = defect::raise;
    switch (turn) {
      case "run" -> cycle.run();
      case "poll" -> cycle.poll();
      case "flush" -> cycle.flush();
      case "reply" -> cycle.post(true);
      default -> cycle.hold();
    }
    assertSame(defect.thrown(), engine.failure());
  }

  /** A held request whose deadline has passed leaves with the next one. */
  @Test
  void anOverdueRequestLeavesWhenAnotherIsHeld() {
    publish(1);
    cycle.hold();
    assertEquals(0, port.sent.get());
    port.clock.addAndGet(1_000_000);
    cycle.hold();
    assertEquals(1, port.sent.get());
  }

  @ParameterizedTest
  @EnumSource
  void aDefectWhileRequestsAreHeldFailsTheDevice(Planted defect) {
    port.whenTimed = defect::raise;
    publish(1);
    cycle.hold();
    assertSame(defect.thrown(), engine.failure());
  }

  /** Requests of a failed device are flushed, packets are discarded, and nothing is sent. */
  @Test
  void aFailedDeviceOnlyFlushes() {
    engine.fail(new IllegalStateException("planted"));
    publish(1);
    for (Runnable turn :
        List.<Runnable>of(cycle::run, cycle::poll, cycle::flush, () -> cycle.post(true))) {
      publish(1);
      port.arrives(Opcode.RC_SEND_ONLY, qp.qpNum(), 0, 0);
      turn.run();
      assertFalse(port.hasArrivals());
    }
    cycle.throwFailure(); // no turn has thrown
    assertEquals(0, trains);
    assertEquals(0, port.arrivalsTimed, "somebody reads the packets");
    assertFlushed(5);
  }

  /** What has made the device fail may happen again. */
  @ParameterizedTest
  @EnumSource
  void aDefectAfterTheFailureLeavesNoTurn(Planted defect) {
    engine.fail(new IllegalStateException("planted"));
    for (Runnable turn : List.<Runnable>of(cycle::run, cycle::poll, cycle::flush, cycle::hold)) {
      port.whenAsked = defect::raise;
      turn.run();
      assertNull(port.whenAsked, "it has not asked");
    }
  }

  /** The queue pairs of a device fail together, whichever of its engines has failed. */
  @Test
  void theFailureOfAnotherEngineFlushesAsWell() {
    PlayedDevice two = new PlayedDevice(true, 2, 1, EngineTrace.NONE);
    QueuePair here = PlayedDevice.connected(two.context, 0);
    two.post(here, 1);
    assertEquals(1, two.port().sent.get());
    assertTrue(two.device.engine(1).tryTake());
    two.device.engine(1).fail(new IllegalStateException("planted"));
    assertTrue(two.device.engine(0).tryTake());
    new DutyCycle(two.device.engine(0), two.port()).run();
    try (WorkCompletions polled = new WorkCompletions(2)) {
      assertEquals(1, here.sendCq().poll(polled));
      assertEquals(WcStatus.WR_FLUSH_ERR, polled.status(0));
    }
  }

  private void assertFlushed(int requests) {
    try (WorkCompletions polled = new WorkCompletions(10)) {
      assertEquals(requests, qp.sendCq().poll(polled));
      for (int i = 0; i < requests; i++) {
        assertEquals(WcStatus.WR_FLUSH_ERR, polled.status(i));
      }
    }
  }

  /** The thread that causes it on a virtual network finds it, once. */
  @Test
  void theExceptionOfATurnIsThrownOnce() {
    IllegalStateException defect = new IllegalStateException("of a port");
    port.whenAsked =
        () -> {
          throw defect;
        };
    assertEquals(0, cycle.run());
    assertSame(defect, engine.failure());
    assertSame(defect, assertThrows(IllegalStateException.class, cycle::throwFailure));
    cycle.throwFailure();
  }

  @Test
  void anErrorOfATurnIsThrownAsItIs() {
    AssertionError defect = new AssertionError("of a port");
    port.whenAsked =
        () -> {
          throw defect;
        };
    cycle.run();
    assertSame(defect, assertThrows(AssertionError.class, cycle::throwFailure));
  }
}
