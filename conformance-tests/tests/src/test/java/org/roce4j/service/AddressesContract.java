package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** A port with several GIDs; some are added and removed during use. */
abstract class AddressesContract {
  private static EmulatedDevice device(End end) {
    return (EmulatedDevice) end.context.device();
  }

  /** Another address of the loopback interface. */
  private static Gid another(End end, int which) {
    return Gid.ofIpv4(end.gid().ipv4() ^ which << 22);
  }

  private static void told(End end) {
    AsyncEvent event = end.event();
    assertEquals(EventType.GID_CHANGE, event.type());
    assertEquals(1, event.portNum());
    assertNull(end.context.pollAsyncEvent());
  }

  /** Connects a queue pair from the GID at an index. */
  private static void connect(QueuePair qp, int sgidIndex, Gid to, QueuePair peer) {
    QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(to, sgidIndex), peer.qpNum()));
  }

  /** As {@link #connect}, but the queue pair gives up soon. */
  private static void connectInVain(QueuePair qp, int sgidIndex, Gid to, QueuePair peer) {
    QpBringUp.toRts(
        qp, QpBringUp.attributes(AhAttr.roce(to, sgidIndex), peer.qpNum()).timeout(12).retryCnt(1));
  }

  private static WcStatus sent(End from, QueuePair qp, End to, QueuePair peer) {
    to.receive(peer, 0, 64);
    from.request(1, WrOpcode.SEND, 0, 64);
    from.post(qp);
    return from.next().status();
  }

  @Test
  @Tag("ibv_query_gid")
  @Tag("ibv_query_gid_ex")
  @Tag("ibv_query_gid_table")
  void anAddressMoreIsToldAndUsed(Context a, Context b) {
    End left = new End(a);
    End right = new End(b);
    Gid more = another(left, 1);
    device(left).addAddress(more);
    told(left);
    assertNull(b.pollAsyncEvent());
    assertEquals(more, a.queryGid(1, 1));
    assertEquals(more, a.queryGidEx(1, 1).gid());
    assertEquals(2, a.queryGidTable().size());
    QueuePair one = left.queuePair(QpType.RC, null);
    QueuePair other = right.queuePair(QpType.RC, null);
    connect(one, 1, right.gid(), other);
    connect(other, 0, more, one);
    assertEquals(WcStatus.SUCCESS, sent(left, one, right, other));
    right.next(0);
    assertEquals(WcStatus.SUCCESS, sent(right, other, left, one));
  }

  @Test
  void whatHasARemovedAddressKeepsItAndReachesNobody(Context a, Context b) {
    End left = new End(a);
    End right = new End(b);
    Gid more = another(left, 1);
    device(left).addAddress(more);
    told(left);
    QueuePair one = left.queuePair(QpType.RC, null);
    QueuePair other = right.queuePair(QpType.RC, null);
    connectInVain(one, 1, right.gid(), other);
    connectInVain(other, 0, more, one);
    AddressHandle handle = left.pd.createAh(AhAttr.roce(right.gid(), 1));
    device(left).removeAddress(more);
    told(left);
    assertEquals(Gid.ZERO, a.queryGid(1, 1));
    refused(Errno.ENODATA, () -> a.queryGidEx(1, 1));
    assertEquals(1, a.queryGidTable().size());
    refused(Errno.EINVAL, () -> left.pd.createAh(AhAttr.roce(right.gid(), 1)));
    assertEquals(1, one.query().ahAttr().grh().sgidIndex());
    assertEquals(WcStatus.RETRY_EXC_ERR, sent(left, one, right, other));
    assertEquals(WcStatus.RETRY_EXC_ERR, sent(right, other, left, left.queuePair(QpType.RC, null)));
    // While a queue pair or an address handle uses the index, a new address gets another one.
    device(left).addAddress(another(left, 2));
    assertEquals(another(left, 2), a.queryGid(1, 2));
    one.close();
    handle.close();
    device(left).addAddress(another(left, 3));
    assertEquals(another(left, 3), a.queryGid(1, 1));
  }

  @Test
  void anAddressThatComesBackServesThoseThatHaveIt(Context a, Context b) {
    End left = new End(a);
    End right = new End(b);
    device(left).addAddress(another(left, 1));
    QueuePair one = left.queuePair(QpType.RC, null);
    QueuePair other = right.queuePair(QpType.RC, null);
    connect(one, 1, right.gid(), other);
    connect(other, 0, another(left, 1), one);
    device(left).removeAddress(another(left, 1));
    device(left).addAddress(another(left, 1));
    assertEquals(another(left, 1), a.queryGid(1, 2));
    assertEquals(WcStatus.SUCCESS, sent(left, one, right, other));
  }

  /** An address that a port gets while it is down receives nothing until the port is up. */
  @Test
  void anAddressOfAPortThatIsDownIsDown(Context a, Context b) {
    End left = new End(a);
    End right = new End(b);
    Gid more = another(left, 1);
    device(left).port(false);
    device(left).addAddress(more);
    for (WcStatus expected : List.of(WcStatus.RETRY_EXC_ERR, WcStatus.SUCCESS)) {
      QueuePair one = left.queuePair(QpType.RC, null);
      QueuePair other = right.queuePair(QpType.RC, null);
      connect(one, 1, right.gid(), other);
      if (expected == WcStatus.SUCCESS) {
        connect(other, 0, more, one);
      } else {
        connectInVain(other, 0, more, one);
      }
      assertEquals(expected, sent(right, other, left, one));
      device(left).port(true);
    }
  }

  /** The reason for a failure names the peer's device while it has the address. */
  @Test
  void whoHasAnAddressIsKnownUntilItIsRemoved(Context a, Context b) {
    End left = new End(a);
    End right = new End(b);
    Gid more = another(left, 1);
    device(left).addAddress(more);
    String knows = whyNobodyAnswers(right, more);
    device(left).removeAddress(more);
    String knowsNot = whyNobodyAnswers(right, more);
    assertTrue(knows.contains(a.device().name() + " has no QP"), knows);
    assertTrue(knowsNot.contains("no device of this process has the address"), knowsNot);
  }

  private static String whyNobodyAnswers(End from, Gid to) {
    QueuePair qp = from.queuePair(QpType.RC, null);
    QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(to, 0), 0xabcde).timeout(12).retryCnt(1));
    from.request(1, WrOpcode.SEND, 0, 64);
    from.post(qp);
    try (WorkCompletions failed = new WorkCompletions(1)) {
      Arrival.await(from.cq, failed);
      return from.cq.whyFailed(failed, 0);
    }
  }

  @Test
  void whatCannotBeIsRefusedAndChangesNothing(Context a) {
    End end = new End(a);
    EmulatedDevice device = device(end);
    refused(Errno.EEXIST, () -> device.addAddress(end.gid()));
    refused(Errno.EINVAL, () -> device.addAddress(Gid.ZERO));
    refused(Errno.EINVAL, () -> device.addAddress(null));
    refused(Errno.EADDRNOTAVAIL, () -> device.removeAddress(another(end, 1)));
    refused(Errno.EBUSY, () -> device.removeAddress(end.gid()));
    assertNull(a.pollAsyncEvent());
    assertEquals(1, a.queryGidTable().size());
  }

  @Test
  void anAddressOfAnotherDeviceIsTaken(Context a, Context b) {
    End left = new End(a);
    refused(Errno.EADDRINUSE, () -> device(left).addAddress(new End(b).gid()));
    assertEquals(1, a.queryGidTable().size());
    assertNull(a.pollAsyncEvent());
  }

  @Test
  void groupsStayJoinedThroughAnotherAddress(Context a, Context b) {
    End left = new End(a);
    End right = new End(b);
    Gid group = Gid.parse("239.255.47.17");
    QueuePair member = right.datagrams(7, null);
    member.attachMulticast(group);
    device(right).addAddress(Gid.parse("::1"));
    refused(Errno.EBUSY, () -> device(right).removeAddress(right.gid()));
    Gid old = right.gid();
    Gid heir = another(right, 1);
    device(right).addAddress(heir);
    device(right).removeAddress(old);
    right.receive(member, 0, 104);
    QueuePair sender = left.datagrams(7, null);
    AddressHandle toGroup = left.pd.createAh(AhAttr.roce(group, 0));
    left.request(1, WrOpcode.SEND, 0, 64).ud(toGroup, QueuePair.MULTICAST_QPN, 7);
    left.post(sender);
    left.next(1);
    right.next(0);
    refused(Errno.EBUSY, () -> device(right).removeAddress(heir));
    member.detachMulticast(group);
    device(right).removeAddress(heir);
  }
}
