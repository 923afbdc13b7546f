package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;

/** A hook is called when it is set if an event is waiting, and not otherwise. */
class LateHookTest {
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final Context context = lone.pd.context();
  private final CompletionChannel channel = context.createCompletionChannel();
  private final CompletionQueue cq = context.createCq(8, null, channel, 0);
  private final AtomicInteger calls = new AtomicInteger();

  private QueuePair queuePair(SharedReceiveQueue srq) {
    QueuePair qp = lone.pd.createQp(LoneEngine.init(QpType.RC, cq).srq(srq));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
    return qp;
  }

  @Test
  void ofTheContext() {
    context.onAsyncEvent(calls::incrementAndGet);
    assertEquals(0, calls.get());
    context.onAsyncEvent(null);
    queuePair(lone.pd.createSrq(new SrqInitAttr(4, 1))).modify(new QpAttr().qpState(QpState.ERR));
    context.onAsyncEvent(null);
    assertEquals(0, calls.get());
    context.onAsyncEvent(calls::incrementAndGet);
    assertEquals(1, calls.get());
    context.pollAsyncEvent().ack();
    context.onAsyncEvent(calls::incrementAndGet);
    assertEquals(1, calls.get());
  }

  @Test
  void ofAChannel() {
    channel.onEvent(calls::incrementAndGet);
    assertEquals(0, calls.get());
    channel.onEvent(null);
    cq.requestNotification(false);
    QueuePair qp = queuePair(null);
    try (RecvRequestList receives = new RecvRequestList(1, 1)) {
      assertEquals(0, qp.postRecv(receives.add()));
    }
    qp.modify(new QpAttr().qpState(QpState.ERR));
    channel.onEvent(null);
    assertEquals(0, calls.get());
    channel.onEvent(calls::incrementAndGet);
    assertEquals(1, calls.get());
    assertEquals(cq, channel.getCqEvent(0));
    cq.ackEvents(1);
    channel.onEvent(calls::incrementAndGet);
    assertEquals(1, calls.get());
  }

  @Test
  void ofWhatIsClosedItCanBeTakenBackAlone() {
    channel.onEvent(calls::incrementAndGet);
    context.onAsyncEvent(calls::incrementAndGet);
    context.close();
    channel.onEvent(null);
    context.onAsyncEvent(null);
    assertEquals(Errno.EINVAL, refused(() -> channel.onEvent(calls::incrementAndGet)));
    assertEquals(Errno.ENODEV, refused(() -> context.onAsyncEvent(calls::incrementAndGet)));
    assertEquals(0, calls.get());
  }

  private static Errno refused(Executable call) {
    return assertThrows(VerbsException.class, call).errno();
  }
}
