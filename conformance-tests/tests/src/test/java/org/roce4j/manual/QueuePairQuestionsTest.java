package org.roce4j.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.manual.AnswerSteps.refused;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.junit.Completion;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Chapter 6.2: queue pairs. */
@DisplayName("Queue pairs")
@EmulatedRdma
@Timeout(60)
class QueuePairQuestionsTest {
  private static final Gid GROUP = Gid.parse("239.1.2.3");

  private AnswerSteps.Ends ends;
  private RdmaEnd near;
  private RdmaEnd far;

  @BeforeEach
  void open(Context a, Context b) {
    ends = AnswerSteps.Ends.of(a, b, QpType.RC);
    near = ends.near();
    far = ends.far();
  }

  @AfterEach
  void close() {
    near.context().close();
    far.context().close();
  }

  private QueuePair create(QpType type, QpCapabilities cap) {
    return near.pd().createQp(new QpInitAttr().qpType(type).cq(near.cq()).cap(cap));
  }

  @DisplayName("What is a QP good for? (it sends and receives)")
  @Test
  void sendsAndReceives() {
    ends.work();
    near.postReceive(1, 0, 64);
    far.postSend(2, 0, 64);
    assertEquals(1, near.next().succeeded().wrId());
  }

  @DisplayName("Is a QP the same as a socket? (a resource of the device with a number of its own)")
  @Test
  void numbers() {
    Set<Integer> numbers = new HashSet<>();
    try (Context process = near.context().device().open()) {
      RdmaEnd end = new RdmaEnd(process, QpType.RC);
      for (int i = 0; i < 50; i++) {
        numbers.add(near.createQp(QpType.RC, null).qpNum());
        numbers.add(end.createQp(QpType.UD, null).qpNum());
      }
    }
    assertEquals(100, numbers.size());
  }

  @DisplayName("May several QPs have one SRQ?")
  @Test
  void oneSrq() {
    SharedReceiveQueue srq = AnswerSteps.srq(far, 4);
    takes(srq, QpType.RC);
    takes(srq, QpType.RC);
  }

  @DisplayName("QPs of which transport type may have an SRQ? (here UC too)")
  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"RC", "UC", "UD"})
  void typesWithSrq(QpType type) {
    takes(AnswerSteps.srq(far, 4), type);
  }

  /** A new queue pair of the far end receives with a request of the shared queue. */
  private void takes(SharedReceiveQueue srq, QpType type) {
    QueuePair[] pair = AnswerSteps.sharing(near, far, srq, type);
    srq.postRecvOrThrow(far.receive(5, 4096, 104));
    SendRequestList send = near.request(6, WrOpcode.SEND, 0, 64);
    if (type == QpType.UD) {
      send.ud(near.pd().createAh(AhAttr.roce(far.gid(), 0)), pair[1].qpNum(), QpBringUp.QKEY);
    }
    pair[0].postSendOrThrow(send);
    Completion received = far.next().succeeded();
    assertEquals(5, received.wrId());
    assertEquals(pair[1].qpNum(), received.qpNum());
    near.next().succeeded();
  }

  @DisplayName(
      "A QP has an SRQ: do I set attributes of the receive queue? (they are not looked at)")
  @Test
  void receiveAttributes() {
    SharedReceiveQueue srq = AnswerSteps.srq(near, 4);
    int beyond = near.context().queryDevice().maxQpWr() + 1;
    QueuePair qp =
        near.pd()
            .createQp(
                new QpInitAttr().cq(near.cq()).srq(srq).cap(new QpCapabilities(1, beyond, 1, 1)));
    assertEquals(0, qp.cap().maxRecvWr());
    assertEquals(Errno.EINVAL.number(), qp.postRecv(near.receive(1, 0, 64)));
  }

  @DisplayName("May send and receive queue have the same CQ?")
  @Test
  void sameCq() {
    assertSame(near.qp().sendCq(), near.qp().recvCq());
    ends.work();
    near.postReceive(1, 0, 64);
    far.postSend(2, 0, 64);
    assertEquals(1, near.next().succeeded().wrId(), "the send's completion came the same way");
  }

  @DisplayName("May send and receive queue have different CQs?")
  @Test
  void differentCqs() {
    CompletionQueue other = near.context().createCq(4);
    QueuePair qp = near.pd().createQp(new QpInitAttr().sendCq(near.cq()).recvCq(other));
    QpBringUp.toRts(qp, RdmaEnd.toward(qp));
    qp.postRecvOrThrow(near.receive(1, 0, 64));
    qp.postSendOrThrow(near.request(2, WrOpcode.SEND, 128, 64));
    assertEquals(2, near.next().succeeded().wrId());
    try (WorkCompletions received = new WorkCompletions(2)) {
      assertEquals(1, other.pollOrThrow(received));
      assertEquals(1, received.wrId(0));
    }
  }

  @DisplayName("How do I know how much may be sent inline? (here the QP tells)")
  @Test
  void inline() {
    QueuePair qp = create(QpType.RC, new QpCapabilities(1, 1, 1, 1, 100));
    assertTrue(qp.cap().maxInlineData() >= 100);
    QpBringUp.toRts(qp, RdmaEnd.toward(far.qp()));
    assertEquals(0, sentInline(qp, qp.cap().maxInlineData()));
    assertEquals(Errno.EINVAL.number(), sentInline(qp, qp.cap().maxInlineData() + 1));
    int most = near.context().queryDevice().maxInlineData();
    refused(Errno.EINVAL, () -> create(QpType.RC, new QpCapabilities(1, 1, 1, 1, most + 1)));
  }

  private static int sentInline(QueuePair qp, int bytes) {
    try (SendRequestList list = new SendRequestList(1, 1, bytes)) {
      return qp.postSend(
          list.add().opcode(WrOpcode.SEND).inline(MemorySegment.ofArray(new byte[bytes])));
    }
  }

  @DisplayName(
      "A QP of type X could be made, of type Y not: why? (here the limits are those of all)")
  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"RC", "UC", "UD"})
  void limitsOfTypes(QpType type) {
    DeviceAttr limits = near.context().queryDevice();
    QueuePair qp = create(type, new QpCapabilities(limits.maxQpWr(), 1, limits.maxSge(), 1));
    assertTrue(qp.cap().maxSendWr() >= limits.maxQpWr());
    assertTrue(qp.cap().maxSendSge() >= limits.maxSge());
  }

  @DisplayName("The device says max_qp_wr is X, and a QP of X fails: why? (here it does not)")
  @Test
  void limitsOfQueues() {
    DeviceAttr limits = near.context().queryDevice();
    int most = limits.maxQpWr();
    create(QpType.RC, new QpCapabilities(most, most, limits.maxSge(), limits.maxSge()));
    refused(Errno.EINVAL, () -> create(QpType.RC, new QpCapabilities(most + 1, 1, 1, 1)));
  }

  @DisplayName("May I keep values of ibv_query_qp()? (most change by ibv_modify_qp() alone)")
  @Test
  void kept() {
    QpAttr before = near.qp().query();
    ends.work();
    QpAttr after = near.qp().query();
    assertEquals(before.cap(), after.cap());
    assertEquals(before.destQpNum(), after.destQpNum());
    assertEquals(before.ahAttr(), after.ahAttr());
    assertEquals(before.pathMtu(), after.pathMtu());
    assertEquals(before.retryCnt(), after.retryCnt());
    assertEquals(before.qpAccessFlags(), after.qpAccessFlags());
    near.qp().modify(new QpAttr().qpState(QpState.ERR));
    assertEquals(QpState.ERR, near.qp().query().qpState());
  }

  @DisplayName("Can I say exactly which attributes ibv_query_qp() tells? (the mask is the least)")
  @Test
  void mask() {
    QpAttr state = near.qp().query(QpAttrMask.STATE);
    assertEquals(QpState.RTS, state.qpState());
    assertTrue((state.mask() & QpAttrMask.STATE) != 0);
  }

  @DisplayName("Are all attributes of a QP valid? (that depends on its state)")
  @Test
  void valid() {
    QueuePair qp = near.createQp(QpType.RC, null);
    assertEquals(0, qp.query().destQpNum());
    QpBringUp.toRts(qp, RdmaEnd.toward(far.qp()));
    assertEquals(far.qp().qpNum(), qp.query().destQpNum());
  }

  @DisplayName("How do I get the state of a QP?")
  @Test
  void state() {
    QueuePair qp = near.createQp(QpType.RC, null);
    for (QpState state : new QpState[] {QpState.RESET, QpState.INIT, QpState.RTR, QpState.RTS}) {
      if (state != QpState.RESET) {
        QpBringUp.to(state, qp, RdmaEnd.toward(far.qp()));
      }
      assertEquals(state, qp.query(QpAttrMask.STATE).qpState());
      assertEquals(state, qp.state());
    }
  }

  @DisplayName("Why must I call ibv_modify_qp()? (before that a QP neither sends nor receives)")
  @Test
  void why() {
    QueuePair qp = near.createQp(QpType.RC, null);
    assertEquals(Errno.EINVAL.number(), qp.postSend(near.request(1, WrOpcode.SEND, 0, 64)));
    assertEquals(Errno.EINVAL.number(), qp.postRecv(near.receive(1, 0, 64)));
  }

  @DisplayName("May a QP stay in RTR? (yes, if it only receives)")
  @Test
  void receiver() {
    QueuePair receiver = far.createQp(QpType.RC, null);
    QueuePair sender = near.createQp(QpType.RC, null);
    QpBringUp.to(QpState.RTR, receiver, RdmaEnd.toward(sender));
    QpBringUp.toRts(sender, RdmaEnd.toward(receiver));
    receiver.postRecvOrThrow(far.receive(1, 0, 64));
    sender.postSendOrThrow(near.request(2, WrOpcode.SEND, 0, 64));
    assertEquals(receiver.qpNum(), far.next().succeeded().qpNum());
    assertEquals(QpState.RTR, receiver.state());
    assertEquals(Errno.EINVAL.number(), receiver.postSend(far.request(1, WrOpcode.SEND, 0, 64)));
  }

  @DisplayName("ibv_modify_qp() failed: what are the attributes now?")
  @Test
  void modifyFailed() {
    String before = near.qp().query().toString();
    refused(Errno.EINVAL, () -> near.qp().modify(new QpAttr().minRnrTimer(32)));
    refused(Errno.EINVAL, () -> near.qp().modify(new QpAttr().qpState(QpState.INIT)));
    assertEquals(before, near.qp().query().toString());
    ends.work();
  }

  @DisplayName("INIT to RTR fails on RoCE: why? (the path needs a GRH)")
  @Test
  void grh() {
    QueuePair qp = near.createQp(QpType.RC, null);
    QpAttr attr = RdmaEnd.toward(far.qp()).ahAttr(new AhAttr(false, null, 1, 0, 0, 0, 1));
    String message = refused(Errno.EINVAL, () -> QpBringUp.toRts(qp, attr));
    assertTrue(message.contains("grh"), message);
    assertEquals(QpState.INIT, qp.state());
    refused(Errno.EINVAL, () -> near.pd().createAh(attr.ahAttr()));
  }

  @DisplayName("ibv_destroy_qp() failed: what of its multicast groups?")
  @Test
  void groups() {
    QueuePair qp = near.createQp(QpType.UD, null);
    qp.attachMulticast(GROUP);
    QpBringUp.toRts(qp, QpBringUp.attributes());
    refused(Errno.EBUSY, qp::close);
    qp.postRecvOrThrow(near.receive(7, 0, GlobalRouteHeader.SIZE + 64));
    QueuePair sender = far.createQp(QpType.UD, null);
    QpBringUp.toRts(sender, QpBringUp.attributes());
    AddressHandle group = far.pd().createAh(AhAttr.roce(GROUP, 0));
    sender.postSendOrThrow(
        far.request(8, WrOpcode.SEND, 0, 64).ud(group, QueuePair.MULTICAST_QPN, QpBringUp.QKEY));
    assertEquals(7, near.next().succeeded().wrId(), "its group is heard");
    qp.detachMulticast(GROUP);
    qp.close();
  }

  @DisplayName("ibv_destroy_qp() failed: can I know because of which groups? (no)")
  @Test
  void whichGroups() {
    QueuePair qp = near.createQp(QpType.UD, null);
    qp.attachMulticast(GROUP);
    String message = refused(Errno.EBUSY, qp::close);
    assertTrue(message.contains("multicast"), message);
  }

  @DisplayName("May I destroy a QP that has outstanding requests?")
  @Test
  void destroyFilled() {
    for (int i = 0; i < 10; i++) {
      near.postReceive(i, 0, 64);
      near.postSend(i, 0, 64);
    }
    near.qp().close();
    try (WorkCompletions any = new WorkCompletions(1)) {
      assertEquals(0, near.cq().poll(any), "they do not complete any more");
    }
  }

  @DisplayName("May I destroy a QP in any state?")
  @ParameterizedTest
  @EnumSource(
      value = QpState.class,
      names = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"})
  void destroyInState(QpState state) {
    QueuePair qp = near.createQp(QpType.UC, null);
    QpState first = state.value() <= QpState.RTS.value() ? state : QpState.RTS;
    if (first != QpState.RESET) {
      QpBringUp.to(first, qp, RdmaEnd.toward(far.qp()));
    }
    switch (state) {
      case SQD, ERR -> qp.modify(new QpAttr().qpState(state));
      case SQE -> {
        qp.postSendOrThrow(near.request(1, WrOpcode.SEND, 0, 0).sge(near.region().address(), 8, 0));
        near.next();
      }
      default -> {}
    }
    assertEquals(state, qp.state());
    qp.close();
  }

  @DisplayName("ibv_destroy_qp() does not return: why? (an event of it is not acknowledged)")
  @Test
  void destroyWaits() {
    AnswerSteps.drain(near.qp());
    AsyncEvent event = AnswerSteps.event(near, EventType.SQ_DRAINED);
    AnswerSteps.returnsAfter(event::ack, near.qp()::close);
  }
}
