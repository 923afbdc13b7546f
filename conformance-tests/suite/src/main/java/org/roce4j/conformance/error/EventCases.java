package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.RTS;
import static org.roce4j.verbs.QpState.SQD;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Objects are destroyed while their delivered events are not acknowledged. */
final class EventCases extends Cases {
  private static final String SOURCE = "verbs-tables 7.1";
  private static final long A_WHILE_MS = 50;
  private static final long PATIENCE_MS = 30_000;

  @Override
  void collect() {
    waits(
        "CQ_COMPLETION",
        "destroy_cq, while an event of its completion channel is not acknowledged",
        bench -> {
          Station near = bench.near();
          CompletionChannel channel = near.context().createCompletionChannel();
          CompletionQueue cq = near.context().createCq(4, null, channel, 0);
          QueuePair qp = near.pd().createQp(near.qpInit(QpType.RC).cq(cq));
          bench.bring(near, qp, RTS, bench.values());
          cq.requestNotification(false);
          near.postReceives(qp, 1, BYTES);
          qp.modify(new QpAttr().qpState(QpState.ERR));
          Expect.that(channel.getCqEvent(Bench.SOON_NS) == cq, "another completion queue");
          qp.close();
          destroyWaits(cq::close, () -> cq.ackEvents(1));
        });
    waits(
        "CQ_ASYNC",
        "destroy_cq, while a CQ_ERR of it is not acknowledged",
        bench -> {
          Station near = bench.near();
          CompletionQueue cq = near.context().createCq(1);
          QueuePair qp = near.pd().createQp(near.qpInit(QpType.RC).cq(cq));
          bench.bring(near, qp, RTS, bench.values());
          near.postReceives(qp, cq.cqe() + 1, BYTES);
          qp.modify(new QpAttr().qpState(QpState.ERR));
          AsyncEvent event = delivered(bench);
          qp.close();
          destroyWaits(cq::close, event::ack);
        });
    waits(
        "QP",
        "destroy_qp, while an event of it is not acknowledged",
        bench -> {
          QueuePair qp = bench.near(QpType.RC, RTS);
          qp.modify(new QpAttr().qpState(SQD).enSqdAsyncNotify(true));
          AsyncEvent event = delivered(bench);
          destroyWaits(qp::close, event::ack);
        });
    waits(
        "SRQ",
        "destroy_srq, while an event of it is not acknowledged",
        bench -> {
          Station near = bench.near();
          SharedReceiveQueue srq = near.pd().createSrq(new SrqInitAttr(4, 1));
          QueuePair receiver = near.pd().createQp(near.qpInit(QpType.RC).srq(srq));
          QueuePair sender = bench.far().qp(QpType.RC);
          bench.connect(receiver, sender, Bench.attributes(), Bench.attributes());
          Expect.posts(srq, near.receive(100).sge(near.region(), 0, BYTES));
          srq.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT);
          Station far = bench.far();
          Expect.posts(sender, far.send(1, WrOpcode.SEND).sge(far.region(), 0, BYTES));
          bench.completes(near, 100, WcStatus.SUCCESS);
          bench.completes(far, 1, WcStatus.SUCCESS);
          AsyncEvent event = delivered(bench);
          receiver.close();
          destroyWaits(srq::close, event::ack);
        });
    waits(
        "DISCARDED",
        "destroy_qp, while an event of it has not been delivered: no wait, and nobody gets it",
        bench -> {
          QueuePair qp = bench.near(QpType.RC, RTS);
          qp.modify(new QpAttr().qpState(SQD).enSqdAsyncNotify(true));
          qp.close();
          bench.noEvent(bench.near());
        });
  }

  private interface Story {
    void play(Bench bench);
  }

  private void waits(String id, String cause, Story story) {
    add(
        ErrorCase.of(
                Chapter.EVENTS,
                "EVENT-" + id,
                SOURCE,
                cause,
                bench -> {
                  story.play(bench);
                  return null;
                })
            .requester(null, null)
            .responder(null, null));
  }

  private static AsyncEvent delivered(Bench bench) {
    AsyncEvent[] found = new AsyncEvent[1];
    bench
        .link()
        .await(() -> (found[0] = bench.near().context().pollAsyncEvent()) != null, Bench.SOON_NS);
    Expect.that(found[0] != null, "no asynchronous event came");
    return found[0];
  }

  /** The call returns when the event is acknowledged, and not before. */
  private static void destroyWaits(Runnable destroy, Runnable acknowledge) {
    CompletableFuture<Void> destroyed = CompletableFuture.runAsync(destroy);
    Expect.that(!isDone(destroyed, A_WHILE_MS), "destroyed, although an event is not acknowledged");
    acknowledge.run();
    Expect.that(
        isDone(destroyed, PATIENCE_MS), "not destroyed, although the event was acknowledged");
  }

  private static boolean isDone(CompletableFuture<Void> destroyed, long timeoutMs) {
    try {
      destroyed.get(timeoutMs, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError("destroying failed", e);
    }
  }
}
