package org.roce4j.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.device.Device;
import org.roce4j.engine.device.DeviceLimits;
import org.roce4j.engine.device.GidTable;
import org.roce4j.engine.device.PortControl;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.Port;
import org.roce4j.port.PortCapabilities;
import org.roce4j.port.SocketProgress;
import org.roce4j.spec.Rule;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/**
 * A thread that waits sleeps in the port until the next timer; when another thread sets an earlier
 * one, it is woken. A clock may show anything, below zero too: {@link System#nanoTime} says so.
 */
@Holds(Rule.ACK_TIMEOUT)
class SleepingLeaderDialogueTest {
  private static final Gid HERE = Gid.parse("10.0.0.1");
  private static final Gid NOBODY = Gid.parse("10.0.0.9");

  @ParameterizedTest
  @ValueSource(longs = {1L << 50, -1L << 50, Long.MAX_VALUE - 30_000_000})
  @DisplayName("whoever sleeps without end is woken when a request starts the ACK timer")
  void isWokenForATimerThatIsSetMeanwhile(long clock) throws InterruptedException {
    StillPort port = new StillPort(clock);
    Device device =
        new Device(
            null,
            DeviceLimits.DEFAULT,
            new GidTable(List.of(HERE), 0),
            Mtu.MTU_1024,
            new SplittableRandom(1),
            EngineTrace.NONE);
    // Never started: no background thread mends what is forgotten here.
    SocketProgress progress = new SocketProgress("still", device.engine(0), port);
    device.attach(new NoGroups(), progress);
    QueuePair qp = inRts(device.openContext(() -> {}));
    AtomicBoolean over = new AtomicBoolean();
    Thread waiting = new Thread(() -> progress.await(over::get, Long.MAX_VALUE));
    waiting.start();
    port.asleep.await();
    int before = port.wakeups.get();
    try (Arena arena = Arena.ofConfined()) {
      assertEquals(0, qp.postSend(new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND)));
    }
    int after = port.wakeups.get();
    over.set(true);
    port.wakeup();
    waiting.join();
    assertTrue(after > before, "nobody woke the thread that sleeps");
  }

  private static QueuePair inRts(Context context) {
    QueuePair qp = context.allocPd().createQp(new QpInitAttr().cq(context.createCq(4)));
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(Mtu.MTU_1024)
            .destQpNum(17)
            .rqPsn(0)
            .maxDestRdAtomic(1)
            .minRnrTimer(1)
            .ahAttr(AhAttr.roce(NOBODY, 0)));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTS)
            .sqPsn(0)
            .timeout(14)
            .retryCnt(7)
            .rnrRetry(7)
            .maxRdAtomic(1));
    return qp;
  }

  /** A port where nothing arrives, and a clock that goes on when it is read. */
  private static final class StillPort implements Port {
    private final AtomicLong clock;
    private final Semaphore woken = new Semaphore(0);
    final CountDownLatch asleep = new CountDownLatch(1);
    final AtomicInteger wakeups = new AtomicInteger();

    StillPort(long clock) {
      this.clock = new AtomicLong(clock);
    }

    @Override
    public PortCapabilities capabilities() {
      return new PortCapabilities(
          "still", true, 1, IdentificationRule.values()[0], true, true, true, false);
    }

    @Override
    public int receive(DatagramSink sink, int budget) {
      return 0;
    }

    @Override
    public void send(Transmit train) {}

    @Override
    public void await(long timeoutNs) {
      asleep.countDown();
      woken.acquireUninterruptibly();
    }

    @Override
    public void wakeup() {
      wakeups.incrementAndGet();
      woken.release();
    }

    @Override
    public long nowNs() {
      return clock.addAndGet(1000);
    }

    @Override
    public Counters counters() {
      throw new UnsupportedOperationException("nothing is counted here");
    }

    @Override
    public void join(long groupHigh, long groupLow) {}

    @Override
    public void leave(long groupHigh, long groupLow) {}

    @Override
    public void close() {}
  }

  private static final class NoGroups implements PortControl {
    @Override
    public void join(long groupHigh, long groupLow) {}

    @Override
    public void leave(long groupHigh, long groupLow) {}

    @Override
    public PortState state() {
      return PortState.ACTIVE;
    }

    @Override
    public Map<String, Long> counters() {
      return Map.of();
    }
  }
}
