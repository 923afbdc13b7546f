package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.wire.Opcode;

/** A completion in error that finds its completion queue full is lost like any other. */
class LostErrorTest {
  @AutoClose private final Arena arena = Arena.ofShared();
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);

  @Test
  void ofAReceiveWhoseMemoryIsForeign() {
    CompletionQueue cq = lone.pd.context().createCq(1);
    QueuePair qp = lone.pd.createQp(LoneEngine.init(QpType.UC, cq));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
    PlayedPeer peer = new PlayedPeer(lone.engine, qp);
    int psn = 0;
    for (; psn < cq.cqe(); psn++) {
      qp.postRecvOrThrow(new RecvRequestList(arena, 1, 1).add());
      peer.says(0, Opcode.UC_SEND_ONLY, false, psn);
    }
    qp.postRecvOrThrow(new RecvRequestList(arena, 1, 1).add().sge(0, 8, 12345));
    peer.says(0, Opcode.UC_SEND_ONLY, false, psn, 8);
    lone.engine.handleDoorbells(0);
    assertEquals(QpState.ERR, qp.state());
    List<EventType> events = new ArrayList<>();
    for (AsyncEvent event = next(); event != null; event = next()) {
      events.add(event.type());
      event.ack();
    }
    assertEquals(List.of(EventType.CQ_ERR), events);
    WorkCompletions completions = new WorkCompletions(arena, 16);
    assertEquals(cq.cqe(), cq.poll(completions));
    assertEquals(WcStatus.SUCCESS, completions.status(0));
  }

  private AsyncEvent next() {
    return lone.pd.context().pollAsyncEvent();
  }
}
