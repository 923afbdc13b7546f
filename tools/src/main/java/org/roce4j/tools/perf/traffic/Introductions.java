package org.roce4j.tools.perf.traffic;

import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.cm.UdParam;

/**
 * The first datagram of each queue pair of a latency test that rdma_cm connects: its immediate data
 * is the sender's number, so that the server can answer. Used by one thread.
 */
public final class Introductions {
  private static final int GRH = 40;

  /** The C programs send four bytes. */
  private static final int BYTES = 4;

  private final PerfSide side;
  private final WorkCompletions completion;
  private int outstanding;

  Introductions(PerfSide side) {
    this.side = side;
    completion = new WorkCompletions(side.arena(), 1);
  }

  /** Posts the receive of a queue pair that is ready to receive. */
  public void expect(QueuePair qp) {
    RecvRequestList receive = new RecvRequestList(side.arena(), 1, 1);
    receive.add().sge(side.memory().iova() + place(qp), GRH + BYTES, side.memory().lkey());
    side.demandPosted("receive", qp.postRecv(receive));
    outstanding++;
  }

  /** Sends the number of a queue pair to the peer, whose address rdma_cm has given. */
  public void send(QueuePair qp) {
    PerfLane lane = lane(qp.qpNum());
    SendRequestList request = new SendRequestList(side.arena(), 1, 1, 0);
    request.add().opcode(WrOpcode.SEND_WITH_IMM).immediate(qp.qpNum()).flags(SendFlags.SIGNALED);
    request
        .sge(side.memory().iova() + place(qp), BYTES, side.memory().lkey())
        .ud(lane.route(), lane.peerQpn(), lane.peerQkey());
    side.demandPosted("send", qp.postSend(request));
    outstanding++;
  }

  /** Whether all have been sent, or received. */
  public boolean isComplete() {
    while (outstanding > 0 && side.cq().pollOrThrow(completion) > 0) {
      if (completion.status(0) != WcStatus.SUCCESS) {
        throw ToolFailure.atRunTime("the first datagram: " + completion.toString(0));
      }
      if (!side.client()) {
        learn();
      }
      outstanding--;
    }
    return outstanding == 0;
  }

  private void learn() {
    PerfLane lane = lane(completion.qpNum(0));
    lane.reached(side.wayBack(completion, place(lane.qp)), completion.immediate(0), UdParam.QKEY);
  }

  private PerfLane lane(int qpNum) {
    return side.lanes().stream().filter(each -> each.qp.qpNum() == qpNum).findFirst().orElseThrow();
  }

  private long place(QueuePair qp) {
    return side.layout().receiveOffset(lane(qp.qpNum()).index, 0);
  }
}
