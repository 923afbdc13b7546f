package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;

/** The queues that the library makes for an id. */
class IdQueuesTest {
  private static final InetSocketAddress THERE = new InetSocketAddress("127.0.0.1", 7471);

  private final LoopbackProvider provider = new LoopbackProvider();

  private static SrqInitAttrEx extended(int requests) {
    return new SrqInitAttrEx().srqType(SrqType.XRC).maxWr(requests).maxSge(1);
  }

  /** As with {@code rdma_destroy_srq}: the next queue may need a longer completion queue. */
  @ParameterizedTest
  @CsvSource({"false,false", "true,false", "true,true"})
  void aSharedQueueTakesTheCompletionQueueThatWasMadeForItAlong(boolean target, boolean first) {
    try (RdmaCm cm = RdmaCm.open(provider.context);
        EventChannel channel = cm.createEventChannel();
        CmId id = channel.createId(PortSpace.TCP, QpType.XRC_RECV, null)) {
      id.resolveAddr(null, THERE, 2000);
      channel.getCmEvent(0).ack();
      id.createSrq(extended(4));
      if (target) {
        id.createQp(null, new QpInitAttr().qpType(QpType.XRC_RECV));
      }
      if (first) {
        id.destroyQp();
        assertNotNull(id.recvCq(), "receives complete there");
      }
      id.destroySrq();
      assertNull(id.recvCq());
      id.createSrq(extended(1000));
      assertTrue(id.recvCq().toString().startsWith("CQ of 1000"), id.recvCq()::toString);
    }
    assertEquals(List.of(), provider.verbs.open);
  }
}
