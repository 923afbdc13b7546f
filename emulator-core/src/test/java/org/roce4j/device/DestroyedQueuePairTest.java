package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** The completions that a queue pair leaves in its completion queues when its life ends. */
class DestroyedQueuePairTest {
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final CompletionQueue sendCq = lone.pd.context().createCq(8);
  private final CompletionQueue recvCq = lone.pd.context().createCq(8);
  private final WorkCompletions polled = new WorkCompletions(Arena.ofAuto(), 8);

  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"RC", "UC"})
  void itsCompletionsLeaveBothQueuesAndThoseOfOthersStay(QpType type) {
    QueuePair gone = failed(type);
    QueuePair other = failed(type);
    gone.close();
    assertOnlyThoseOf(other);
  }

  @Test
  void thoseOfAQueuePairThatIsResetLeaveBothQueues() {
    QueuePair used = failed(QpType.RC);
    QueuePair other = failed(QpType.RC);
    used.modify(new QpAttr().qpState(QpState.RESET));
    QpBringUp.to(QpState.INIT, used, PlayedPeer.attributes(Mtu.MTU_1024));
    assertOnlyThoseOf(other);
  }

  @Test
  void noOtherChangeOfStateTakesThemAway() {
    QueuePair qp = failed(QpType.RC);
    qp.modify(new QpAttr().qpState(QpState.ERR));
    assertOnlyThoseOf(qp);
  }

  private void assertOnlyThoseOf(QueuePair qp) {
    for (CompletionQueue cq : List.of(sendCq, recvCq)) {
      assertEquals(1, cq.poll(polled));
      assertEquals(qp.qpNum(), polled.qpNum(0));
      assertEquals(WcStatus.WR_FLUSH_ERR, polled.status(0));
    }
  }

  /** A queue pair in ERR with one flushed request in each of its completion queues. */
  private QueuePair failed(QpType type) {
    QueuePair qp =
        lone.pd.createQp(
            new QpInitAttr()
                .qpType(type)
                .sendCq(sendCq)
                .recvCq(recvCq)
                .cap(new QpCapabilities(1, 1, 1, 1, 0)));
    QpBringUp.to(QpState.INIT, qp, PlayedPeer.attributes(Mtu.MTU_1024));
    qp.modify(new QpAttr().qpState(QpState.ERR));
    RecvRequestList receives = new RecvRequestList(Arena.ofAuto(), 1, 1);
    receives.add();
    assertEquals(0, qp.postRecv(receives));
    SendRequestList sends = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    sends.add().opcode(WrOpcode.SEND);
    assertEquals(0, qp.postSend(sends));
    lone.engine.handleDoorbells(1000);
    return qp;
  }
}
