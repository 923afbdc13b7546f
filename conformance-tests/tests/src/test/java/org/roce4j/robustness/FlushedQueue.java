package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WorkCompletions;

/**
 * A queue pair in ERR with its own completion queue: posted requests are flushed at once, so it
 * delivers a completion and an event without a peer.
 */
final class FlushedQueue {
  final CompletionQueue cq;
  private final RcSide side;
  private final QueuePair qp;
  private final RecvRequestList request;
  private final WorkCompletions completions;

  /** Creates it; its events go to the side's channel. */
  FlushedQueue(RcSide side) {
    this.side = side;
    cq = side.context.createCq(16, null, side.channel, 0);
    qp = side.pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(1, 16, 1, 1, 0)));
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
    qp.modify(new QpAttr().qpState(QpState.ERR));
    request = new RecvRequestList(side.arena, 1, 1).add();
    completions = new WorkCompletions(side.arena, 16);
  }

  /** Causes a completion; the event comes soon. */
  void announce() {
    cq.requestNotification(false);
    assertEquals(0, qp.postRecv(request));
  }

  /** As {@link #announce}, but the event is there on return, and its completion is polled. */
  void announced() {
    announce();
    Poll.until(() -> cq.poll(completions) == 1);
    side.context.allocPd().close(); // this verb owns the engines, so the turn that flushed is over
  }
}
