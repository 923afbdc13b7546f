package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WorkCompletions;

/** A queue pair of a side with its own completion queue, whose events go to the side's channel. */
final class AnotherQueue {
  final CompletionQueue cq;
  final QueuePair qp;
  private final RecvRequestList request;
  private final WorkCompletions completions;

  /**
   * @param vector completion vector, which selects the engine
   */
  AnotherQueue(RcSide side, int vector) {
    cq = side.context.createCq(16, null, side.channel, vector);
    qp = side.pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(1, 16, 1, 1, 0)));
    request = new RecvRequestList(side.arena, 1, 1).add().sge(side.mr, 0, 64);
    completions = new WorkCompletions(side.arena, 16);
  }

  void receive() {
    assertEquals(0, qp.postRecv(request));
  }

  /** Polls once; returns whether there was a completion. */
  boolean poll() {
    return cq.poll(completions) == 1;
  }
}
