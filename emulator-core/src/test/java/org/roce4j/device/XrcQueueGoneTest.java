package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.fabric.FabricFilter;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.WcStatus;

/** An XRC shared receive queue is destroyed while a message to it is under way. */
class XrcQueueGoneTest {
  private final XrcRig rig = new XrcRig(1);

  @AfterEach
  void close() {
    rig.close();
  }

  /**
   * Two shared receive queues complete into one completion queue, which must not get completions of
   * the destroyed one.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aMessageUnderWayEndsWithItsQueue(boolean another) {
    XrcRig.Receiver there = rig.receiver();
    SharedReceiveQueue second = rig.far.createSrq(there.attr(rig.xrcd));
    QueuePair target = rig.target();
    QueuePair qp = rig.connected(target);
    there.post(1, 0, 4096);
    rig.devices.fabric().filter((from, to, buffer, at, length, n) -> drop(to, n > 2));
    qp.postSendOrThrow(rig.send(1, there.srq.srqNum(), 1000)); // four packets
    for (int i = 0; i < 8; i++) {
      assertEquals(0, there.cq.poll(rig.last()));
    }
    there.srq.close();
    rig.devices.fabric().filter(null);
    if (another) {
      assertEquals(WcStatus.REM_INV_REQ_ERR, rig.next(rig.nearCq).status(0));
    } else {
      target.modify(new QpAttr().qpState(QpState.ERR));
    }
    assertTrue(rig.nothing(there.cq), "what was posted to it completes no more");
    second.close();
  }

  private static List<FaultAction> drop(Gid to, boolean late) {
    return late && to.equals(XrcRig.FAR) ? FabricFilter.DROP : FabricFilter.PASS;
  }
}
