package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.Thread.State;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WorkCompletions;

/** Threads poll one queue and wait for its events, while a plan breaks it. */
class PollBesideEventTest {
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final WorkCompletions completions = new WorkCompletions(4);
  private Runnable amidPoll;

  /** The clock of the plan, which a poll reads while it holds its queue. */
  private long clock() {
    Runnable once = amidPoll;
    if (once != null) {
      amidPoll = null;
      once.run();
    }
    return 0;
  }

  @Test
  void anEventThatComesAmidAPollHoldsUpNeither() throws InterruptedException {
    Context context =
        FaultyDevice.around(
                devices.device("faulty", Gid.parse("10.0.0.1")),
                VerbsFaults.parse("cq-overflow nth=1"),
                this::clock)
            .open();
    CompletionChannel channel = context.createCompletionChannel();
    CompletionQueue cq = context.createCq(4, null, channel, 0);
    QueuePair qp =
        context
            .allocPd()
            .createQp(
                new QpInitAttr().qpType(QpType.UD).cq(cq).cap(new QpCapabilities(1, 4, 1, 1, 0)));
    QpBringUp.toRts(qp, QpBringUp.attributes());
    qp.modify(new QpAttr().qpState(QpState.ERR));
    AtomicInteger polled = new AtomicInteger();
    post(qp);
    cq.requestNotification(false);
    Thread waiting = daemon(channel::getCqEvent);
    until(() -> waiting.getState() != State.RUNNABLE);
    Thread polling =
        daemon(
            () -> {
              amidPoll =
                  () -> {
                    post(qp);
                    until(() -> waiting.getState() == State.BLOCKED || !waiting.isAlive());
                  };
              polled.set(cq.poll(completions));
            });
    for (Thread each : new Thread[] {polling, waiting}) {
      each.join(TimeUnit.NANOSECONDS.toMillis(2 * PATIENCE_NS));
      assertFalse(each.isAlive(), () -> each.getName() + " hangs");
    }
    assertEquals(-Errno.EIO.number(), polled.get());
  }

  private static void post(QueuePair qp) {
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      list.add().wrId(7);
      assertEquals(0, qp.postRecv(list));
    }
  }

  private static Thread daemon(Runnable task) {
    return Thread.ofPlatform().daemon().start(task);
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE_NS;
    while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
      Thread.yield();
    }
  }
}
