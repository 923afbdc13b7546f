package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;

/** Size and limit of a shared receive queue change one without the other. */
class SharedQueueLimitTest {
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final SharedReceiveQueue srq = lone.pd.createSrq(new SrqInitAttr(4, 1));

  @Test
  void anotherSizeLeavesTheLimitArmed() {
    assertEquals(0, srq.query().limit());
    // An armed limit above the fill is told at once, and is 0 then.
    try (RecvRequestList receives = new RecvRequestList(3, 1)) {
      assertEquals(0, srq.postRecv(receives.add().add().add()));
    }
    srq.modify(new SrqAttr(0, 0, 2), SrqAttrMask.LIMIT);
    srq.modify(new SrqAttr(8, 0, 0), SrqAttrMask.MAX_WR);
    assertEquals(2, srq.query().limit());
    srq.modify(new SrqAttr(0, 0, 3), SrqAttrMask.LIMIT);
    assertEquals(8, srq.query().maxWr());
  }
}
