package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.bench.Expect.refused;

import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.junit.Completion;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Two groups, a sender on the left device, members on both. */
@Timeout(60)
abstract class MulticastContract {
  private static final int QKEY = 0x11111111;
  private static final int GRH = GlobalRouteHeader.SIZE;
  private static final int BYTES = 200;

  /** Groups of this process alone, so that parallel builds do not share them. */
  private static final int GROUPS = 0xefff0000 | (int) (ProcessHandle.current().pid() % 4096) << 4;

  private final Gid red = Gid.ofIpv4(GROUPS | 1);
  private final Gid blue = Gid.ofIpv4(GROUPS | 2);
  private End left;
  private End right;
  private QueuePair sender;
  private QueuePair reds;
  private QueuePair both;

  @BeforeEach
  void open(Context first, Context second) {
    left = new End(first);
    right = new End(second);
    sender = left.datagrams(QKEY, null);
    reds = right.datagrams(QKEY, null);
    both = right.datagrams(QKEY, null);
    reds.attachMulticast(red);
    both.attachMulticast(red);
    both.attachMulticast(blue);
  }

  private void send(long wrId, int value, Gid group) {
    left.fill(0, value, BYTES);
    left.request(wrId, WrOpcode.SEND, 0, BYTES)
        .ud(left.pd.createAh(AhAttr.roce(group, 0)), QueuePair.MULTICAST_QPN, QKEY);
    left.post(sender);
    left.next(wrId);
  }

  private void assertReceived(Completion received, QueuePair by, int value, Gid group) {
    int piece = (int) received.wrId();
    assertEquals(by.qpNum(), received.qpNum());
    assertEquals(sender.qpNum(), received.sourceQp());
    assertEquals(GRH + BYTES, received.bytes());
    right.assertReceived(piece, GRH, value, BYTES);
    long at = right.receiveAt(piece);
    assertEquals(group, GlobalRouteHeader.dgid(right.memory.memory(), at));
    assertEquals(left.gid(), GlobalRouteHeader.sgid(right.memory.memory(), at));
  }

  @Test
  void eachMemberReceivesWhatIsSentToItsGroupsAndNothingElse() {
    right.receive(reds, 0, GRH + BYTES);
    right.receive(reds, 1, GRH + BYTES);
    right.receive(both, 2, GRH + BYTES);
    right.receive(both, 3, GRH + BYTES);

    send(1, 1, red);
    assertReceived(right.next(0), reds, 1, red);
    assertReceived(right.next(2), both, 1, red);

    send(2, 2, blue);
    assertReceived(right.next(3), both, 2, blue);
    right.assertNothing();
  }

  @Test
  void aSenderThatIsAMemberReceivesItsOwnDatagram() {
    sender.attachMulticast(blue);
    left.receive(sender, 4, GRH + BYTES);
    right.receive(both, 2, GRH + BYTES);

    left.fill(0, 9, BYTES);
    left.request(1, WrOpcode.SEND, 0, BYTES)
        .ud(left.pd.createAh(AhAttr.roce(blue, 0)), QueuePair.MULTICAST_QPN, QKEY);
    left.post(sender);

    assertReceived(right.next(2), both, 9, blue);
    left.next(1);
    left.next(4);
    left.assertReceived(4, GRH, 9, BYTES);
    sender.detachMulticast(blue);
  }

  @Test
  @Tag("ibv_create_qp_ex")
  void aMemberThatIsDeafToItselfReceivesWhatOthersSend() {
    QueuePair deaf =
        left.pd.createQp(
            new QpInitAttr()
                .qpType(QpType.UD)
                .cq(left.cq)
                .cap(new QpCapabilities(4, 4, 1, 1, 0))
                .createFlags(QpCreateFlags.BLOCK_SELF_MCAST_LB));
    QpBringUp.toRts(deaf, QpBringUp.attributes().qkey(QKEY));
    QueuePair neighbour = left.datagrams(QKEY, null);
    deaf.attachMulticast(blue);
    neighbour.attachMulticast(blue);
    left.receive(deaf, 4, GRH + BYTES);
    left.receive(neighbour, 5, GRH + BYTES);
    left.receive(neighbour, 6, GRH + BYTES);
    right.receive(both, 2, GRH + BYTES);
    right.receive(both, 3, GRH + BYTES);

    left.fill(0, 9, BYTES);
    left.request(1, WrOpcode.SEND, 0, BYTES)
        .ud(left.pd.createAh(AhAttr.roce(blue, 0)), QueuePair.MULTICAST_QPN, QKEY);
    left.post(deaf);
    right.next(2);
    assertEquals(Set.of(1L, 5L), Set.of(left.next().wrId(), left.next().wrId()));
    left.assertNothing();

    left.post(sender);
    right.next(3);
    assertEquals(
        Set.of(1L, 4L, 6L), Set.of(left.next().wrId(), left.next().wrId(), left.next().wrId()));
  }

  @Test
  void whoHasLeftReceivesNothingMore() {
    right.receive(reds, 0, GRH + BYTES);
    right.receive(both, 2, GRH + BYTES);
    both.detachMulticast(red);
    send(1, 1, red);
    assertReceived(right.next(0), reds, 1, red);
    send(2, 2, blue);
    assertReceived(right.next(2), both, 2, blue);
    right.assertNothing();
  }

  @Test
  void aMemberWithAnotherQueueKeyIsPassedOver() {
    QueuePair other = right.datagrams(QKEY + 1, null);
    other.attachMulticast(red);
    right.receive(other, 5, GRH + BYTES);
    right.receive(reds, 0, GRH + BYTES);
    right.receive(both, 2, GRH + BYTES);
    send(1, 1, red);
    right.next(0);
    right.next(2);
    right.assertNothing();
    assertEquals(1, right.counter("bad_qkey"));
  }

  @Test
  @Tag("ibv_attach_mcast")
  @Tag("ibv_detach_mcast")
  void attachingTwiceIsOnceAndWhatIsNotAttachedCannotBeDetached() {
    reds.attachMulticast(red);
    right.receive(reds, 0, GRH + BYTES);
    right.receive(reds, 1, GRH + BYTES);
    right.receive(both, 2, GRH + BYTES);
    send(1, 1, red);
    right.next(0);
    right.next(2);
    right.assertNothing();
    reds.detachMulticast(red);
    refused(Errno.EINVAL, () -> reds.detachMulticast(red));
  }

  @Test
  void noAddressHandleIsMadeFromADatagramToAGroup() {
    right.receive(both, 2, GRH + BYTES);
    send(1, 1, blue);
    try (WorkCompletions completions = new WorkCompletions(1)) {
      Arrival.await(right.cq, completions);
      refused(
          Errno.EINVAL,
          () ->
              right.pd.createAhFromWc(
                  completions, 0, right.memory.memory(), right.receiveAt(2), 1));
    }
  }
}
