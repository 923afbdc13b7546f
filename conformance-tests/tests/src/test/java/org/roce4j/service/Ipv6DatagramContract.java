package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.junit.EmulatedNetwork;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WrOpcode;

/**
 * UD over IPv6 between two queue pairs of one device, because the loopback interface has only one
 * such address.
 */
@Timeout(60)
abstract class Ipv6DatagramContract {
  private static final int QKEY = 0x7777;

  @Test
  void theNetworkHeaderIsThatOfIpv6(Context context, EmulatedNetwork network) {
    End end = new End(context);
    QueuePair sender = end.datagrams(QKEY, null);
    QueuePair receiver = end.datagrams(QKEY, null);
    AddressHandle ah = end.pd.createAh(AhAttr.roce(end.gid(), 0, 33, 0x20));
    end.receive(receiver, 2, 2000);
    end.fill(0, 0x42, 1001);
    end.request(1, WrOpcode.SEND, 0, 1001).ud(ah, receiver.qpNum(), QKEY);
    end.post(sender);

    end.next(1);
    assertEquals(1041, end.next(2).bytes());
    end.assertReceived(2, 40, 0x42, 1001);
    MemorySegment header = end.memory.memory();
    long at = end.receiveAt(2);
    assertEquals(6, GlobalRouteHeader.version(header, at));
    assertEquals(end.gid(), GlobalRouteHeader.sgid(header, at));
    assertEquals(end.gid(), GlobalRouteHeader.dgid(header, at));
    assertEquals(17, GlobalRouteHeader.nextHeader(header, at));
    assertEquals(8 + 12 + 8 + 1004 + 4, GlobalRouteHeader.payloadLength(header, at));
    boolean seesHeaders = !network.transport().equals("netty");
    assertEquals(seesHeaders ? 33 : 64, GlobalRouteHeader.hopLimit(header, at));
    assertEquals(seesHeaders ? 0x20 : 0, GlobalRouteHeader.trafficClass(header, at));
  }
}
