package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WcStatus;

/** An event of each kind of object calls the hook of its context. */
class AsyncHooksTest {
  private final XrcRig rig = new XrcRig(1);
  private final AtomicInteger calls = new AtomicInteger();

  @BeforeEach
  void listen() {
    rig.far.onAsyncEvent(calls::incrementAndGet);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void ofASharedQueueBelowItsLimit() {
    SharedReceiveQueue srq = rig.far.allocPd().createSrq(new SrqInitAttr(4, 1));
    srq.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT);
    assertEquals(1, calls.get());
  }

  @Test
  void ofASharedQueueThatFails() {
    rig.farDevice.fail(rig.far.allocPd().createSrq(new SrqInitAttr(4, 1)));
    assertEquals(1, calls.get());
  }

  @Test
  void ofAnXrcTarget() {
    XrcRig.Receiver there = rig.receiver();
    there.post(1, 0, 100);
    QueuePair initiator = rig.connected(rig.target());
    assertEquals(WcStatus.SUCCESS, rig.status(initiator, rig.send(1, there.srq.srqNum(), 10)));
    assertEquals(1, calls.get(), "the connection is established");
  }
}
