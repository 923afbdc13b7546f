package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.roce4j.device.Refusals.refused;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WrOpcode;

/** A closed object cannot be used by a verb and gets no events; closing it twice closes it once. */
class ClosedArgumentTest {
  private final LoneEngine lone = new LoneEngine(Gid.parse("10.0.0.1"), Mtu.MTU_1024);
  private final ProtectionDomain pd = lone.pd;
  private final Context context = pd.context();
  private final CompletionQueue cq = context.createCq(4);

  private static void refuses(Executable verb) {
    refused(Errno.EINVAL, verb);
  }

  private QpInitAttr queuePair() {
    return new QpInitAttr().cq(cq).cap(new QpCapabilities(1, 1, 1, 1));
  }

  @Test
  void aCompletionQueueTakesNoClosedChannel() {
    CompletionChannel closed = context.createCompletionChannel();
    closed.close();
    refuses(() -> context.createCq(4, null, closed, 0));
  }

  @Test
  void aQueuePairTakesNoClosedQueue() {
    CompletionQueue closed = context.createCq(4);
    closed.close();
    refuses(() -> pd.createQp(queuePair().sendCq(closed)));
    refuses(() -> pd.createQp(queuePair().recvCq(closed)));
    SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(1, 1));
    srq.close();
    refuses(() -> pd.createQp(queuePair().srq(srq)));
  }

  @Test
  void nothingIsPostedToAClosedQueuePair() {
    QueuePair qp = inError();
    qp.close();
    try (SendRequestList sends = new SendRequestList(1, 1, 0);
        RecvRequestList receives = new RecvRequestList(1, 1)) {
      assertEquals(Errno.EINVAL.number(), qp.postSend(sends.add().opcode(WrOpcode.SEND)));
      assertEquals(Errno.EINVAL.number(), qp.postRecv(receives.add()));
    }
  }

  @Test
  void aClosedCompletionQueueHasNoEventsAnyMore() {
    CompletionChannel channel = context.createCompletionChannel();
    CompletionQueue announcing = context.createCq(4, null, channel, 0);
    announcing.requestNotification(false);
    QueuePair qp = inError(queuePair().cq(announcing));
    try (SendRequestList sends = new SendRequestList(1, 1, 0)) {
      assertEquals(0, qp.postSend(sends.add().opcode(WrOpcode.SEND)));
    }
    lone.engine.handleDoorbells(0);
    qp.close();
    announcing.close();
    assertNull(channel.getCqEvent(0));
  }

  @Test
  void aContextThatIsClosedTwiceIsGivenUpOnce() {
    int[] closed = new int[1];
    Context other = EmulatedContext.open(((EmulatedProtectionDomain) pd).device, () -> closed[0]++);
    other.close();
    other.close();
    assertEquals(1, closed[0]);
  }

  private QueuePair inError() {
    return inError(queuePair());
  }

  private QueuePair inError(QpInitAttr init) {
    QueuePair qp = pd.createQp(init);
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
    qp.modify(new QpAttr().qpState(QpState.ERR));
    return qp;
  }
}
