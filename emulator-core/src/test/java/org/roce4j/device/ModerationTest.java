package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WorkCompletions;

/**
 * An event that moderation holds back, and the changes of its queue in the meantime: the event
 * comes once, at once or when its time has come, and never after the queue is destroyed.
 */
class ModerationTest {
  private static final int PERIOD_US = 50_000;

  /** A change while the event is held, and the events at once, after the period, and later. */
  enum Meanwhile {
    NOTHING(test -> {}, 0, 1),
    POLLED(test -> assertEquals(1, test.cq.poll(new WorkCompletions(test.arena, 4))), 0, 1),
    SECOND_COMPLETION(test -> test.complete(), 0, 1),
    ENOUGH_COMPLETIONS(
        test -> {
          test.complete();
          test.complete();
        },
        1,
        0),
    OFF(test -> test.cq.modify(CqModeration.OFF), 1, 0),
    LONGER(test -> test.cq.modify(new CqModeration(3, 60_000)), 1, 0),
    RESIZED(test -> test.cq.resize(64), 0, 1),
    QUEUE_PAIR_GONE(test -> test.qp.close(), 0, 1),
    QUEUE_GONE(
        test -> {
          test.qp.close();
          test.cq.close();
        },
        0,
        0);

    private final Consumer<ModerationTest> verb;
    private final int atOnce;
    private final int inTime;

    Meanwhile(Consumer<ModerationTest> verb, int atOnce, int inTime) {
      this.verb = verb;
      this.atOnce = atOnce;
      this.inTime = inTime;
    }
  }

  /** The test's clock. */
  private final class Clock extends Progress.Idle {
    @Override
    public long nowNs() {
      return nowNs;
    }
  }

  @AutoClose private final Arena arena = Arena.ofShared();
  private final Device device = LoneEngine.ofEngines(2, PlayedPeer.HERE);
  private long nowNs = 1_000_000;
  private final Engine engine;
  private final CompletionChannel channel;
  private final CompletionQueue cq;
  private final CompletionQueue sends;
  private final ProtectionDomain pd;
  private QueuePair qp;

  ModerationTest() {
    device.attach(PortControl.NONE, new Clock(), List.of(new Clock(), new Clock()));
    engine = device.engine(1); // the vector of the tested queue names the other engine
    Context context = EmulatedContext.open(device, () -> {});
    channel = context.createCompletionChannel();
    cq = context.createCq(16, null, channel, 0);
    sends = context.createCq(4, null, null, 1);
    pd = context.allocPd();
    qp = flushing();
  }

  private QueuePair flushing() {
    QueuePair made =
        pd.createQp(
            new QpInitAttr().sendCq(sends).recvCq(cq).cap(new QpCapabilities(1, 4, 1, 1, 0)));
    made.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
    made.modify(new QpAttr().qpState(QpState.ERR));
    return made;
  }

  private void complete() {
    assertEquals(0, qp.postRecv(new RecvRequestList(arena, 1, 0).add()));
    engine.handleDoorbells(nowNs);
    engine.pollTransmit(nowNs, new Transmit(ByteBuffer.allocateDirect(64), 1));
  }

  private int events() {
    int count = 0;
    while (channel.getCqEvent(0) != null) {
      count++;
    }
    return count;
  }

  @ParameterizedTest
  @EnumSource
  void anEventThatIsHeldComesOnce(Meanwhile meanwhile) {
    cq.modify(new CqModeration(3, PERIOD_US));
    cq.requestNotification(false);
    complete();
    assertNull(channel.getCqEvent(0));
    assertEquals(nowNs + PERIOD_US * 1000L, engine.nextTimeout());
    meanwhile.verb.accept(this);
    assertEquals(meanwhile.atOnce, events(), "at once");
    nowNs += PERIOD_US * 1000L;
    engine.handleTimeout(nowNs);
    assertEquals(meanwhile.inTime, events(), "in time");
    nowNs += 10 * PERIOD_US * 1000L;
    engine.handleTimeout(nowNs);
    assertEquals(0, events(), "later");
    assertEquals(Deadlines.NEVER, engine.nextTimeout());
    if (meanwhile != Meanwhile.QUEUE_GONE) {
      cq.ackEvents(1);
      qp.close();
      cq.close();
    }
    channel.close();
  }

  /** A round ends by its count (c) or by its time (t), and what it held counts for no later one. */
  @ParameterizedTest
  @ValueSource(strings = {"cc", "tt", "ct", "tc", "cct", "ctc", "tcc", "ttc", "tct", "ctt"})
  void eachRoundBeginsAnew(String rounds) {
    for (int count = 2; count <= 4; count++) {
      cq.modify(new CqModeration(count, PERIOD_US));
      for (char end : rounds.toCharArray()) {
        cq.requestNotification(false);
        for (int held = 1; held < count; held++) {
          complete();
          assertEquals(0, events(), held + " of " + count);
        }
        assertEquals(nowNs + PERIOD_US * 1000L, engine.nextTimeout());
        if (end == 'c') {
          complete();
          assertEquals(1, events(), "at once");
        }
        nowNs += PERIOD_US * 1000L;
        engine.handleTimeout(nowNs);
        assertEquals(end == 'c' ? 0 : 1, events(), "in time");
        assertEquals(end == 'c' ? count : count - 1, cq.poll(new WorkCompletions(arena, 8)));
        cq.ackEvents(1);
      }
    }
  }

  /** The time of the round before, which ended by its count, is no end of this one. */
  @Test
  void aRoundThatBeginsBeforeThePeriodIsOverLastsAsLongAsAnother() {
    cq.modify(new CqModeration(2, PERIOD_US));
    cq.requestNotification(false);
    complete();
    complete();
    assertEquals(1, events(), "by its count");
    nowNs += PERIOD_US * 1000L / 2;
    cq.requestNotification(false);
    complete();
    nowNs += PERIOD_US * 1000L / 2;
    engine.handleTimeout(nowNs);
    assertEquals(0, events(), "too early");
    nowNs += PERIOD_US * 1000L / 2;
    engine.handleTimeout(nowNs);
    assertEquals(1, events(), "in time");
    cq.ackEvents(2);
  }
}
