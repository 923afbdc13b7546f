package org.roce4j.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.manual.AnswerSteps.refused;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.junit.Completion;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.service.Arrival;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Chapter 6.4: address handles. */
@DisplayName("Address handles")
@EmulatedRdma
@Timeout(60)
class AddressQuestionsTest {
  private static final Gid GROUP = Gid.parse("239.1.2.3");
  private static final int HEADER = 40;

  private RdmaEnd near;
  private RdmaEnd far;

  @BeforeEach
  void open(Context a, Context b) {
    near = new RdmaEnd(a, QpType.UD);
    far = new RdmaEnd(b, QpType.UD);
    RdmaEnd.connect(near, far, attr -> {});
  }

  @AfterEach
  void close() {
    near.context().close();
    far.context().close();
  }

  private SendRequestList datagram(AddressHandle there) {
    return near.request(1, WrOpcode.SEND, 0, 8).ud(there, far.qp().qpNum(), QpBringUp.QKEY);
  }

  private AddressHandle there() {
    return near.pd().createAh(AhAttr.roce(far.gid(), 0));
  }

  /** The completion of a datagram to a GID; its network header is at 4096. */
  private WorkCompletions received(Gid to, int qpn) {
    far.postReceive(7, 4096, HEADER + 8);
    AddressHandle there = near.pd().createAh(AhAttr.roce(to, 0));
    near.qp().postSendOrThrow(near.request(1, WrOpcode.SEND, 0, 8).ud(there, qpn, QpBringUp.QKEY));
    WorkCompletions completions = new WorkCompletions(1);
    Arrival.await(far.cq(), completions);
    return completions;
  }

  @DisplayName("What is an AH good for? (it tells a UD send the way)")
  @Test
  void way() {
    far.postReceive(1, 4096, HEADER + 8);
    near.qp().postSendOrThrow(datagram(there()));
    assertEquals(HEADER + 8, far.next().succeeded().bytes());
  }

  @DisplayName("May several QPs use one AH? (those of its PD)")
  @Test
  void severalQueuePairs() {
    AddressHandle there = there();
    for (QueuePair qp : List.of(near.qp(), near.createQp(QpType.UD, null))) {
      QpBringUp.toRts(qp, QpBringUp.attributes());
      far.postReceive(1, 4096, HEADER + 8);
      qp.postSendOrThrow(datagram(there));
      assertEquals(qp.qpNum(), far.next().succeeded().sourceQp());
    }
    AddressHandle foreign = near.context().allocPd().createAh(AhAttr.roce(far.gid(), 0));
    assertEquals(Errno.EINVAL.number(), near.qp().postSend(datagram(foreign)));
  }

  @DisplayName("Where do I get what an AH needs? (from elsewhere, or from a completion)")
  @Test
  void where() {
    try (WorkCompletions completions = received(far.gid(), far.qp().qpNum())) {
      AhAttr back = far.context().initAhFromWc(1, completions, 0, far.memory(), 4096);
      assertEquals(near.gid(), back.grh().dgid());
    }
  }

  @DisplayName("Can any completion fill AH attributes? (not one of a multicast message)")
  @Test
  void multicast() {
    far.qp().attachMulticast(GROUP);
    try (WorkCompletions completions = received(GROUP, 0xffffff)) {
      refused(
          Errno.EINVAL, () -> far.context().initAhFromWc(1, completions, 0, far.memory(), 4096));
      refused(Errno.EINVAL, () -> far.pd().createAhFromWc(completions, 0, far.memory(), 4096, 1));
    }
  }

  @DisplayName("Can any completion fill AH attributes? (not without the GRH that it came with)")
  @Test
  void header() {
    try (WorkCompletions completions = received(far.gid(), far.qp().qpNum())) {
      assertTrue((completions.flags(0) & WcFlags.GRH) != 0);
      refused(Errno.EINVAL, () -> far.context().initAhFromWc(1, completions, 0, null, 0));
      refused(Errno.EINVAL, () -> far.pd().createAhFromWc(completions, 0, null, 0, 1));
    }
  }

  @DisplayName("Can any completion fill AH attributes? (not one that failed)")
  @Test
  void failed() {
    far.postReceive(7, 4096, HEADER + 8);
    far.qp().modify(new QpAttr().qpState(QpState.ERR));
    try (WorkCompletions completions = new WorkCompletions(1)) {
      assertEquals(1, far.cq().pollOrThrow(completions));
      assertEquals(WcStatus.WR_FLUSH_ERR, completions.status(0));
      refused(Errno.EINVAL, () -> far.pd().createAhFromWc(completions, 0, far.memory(), 4096, 1));
      refused(
          Errno.EINVAL, () -> far.context().initAhFromWc(1, completions, 0, far.memory(), 4096));
    }
  }

  @DisplayName("Can any completion make an AH? (one with a GRH, of a unicast message)")
  @Test
  void handleFromCompletion() {
    try (WorkCompletions completions = received(far.gid(), far.qp().qpNum());
        AddressHandle back = far.pd().createAhFromWc(completions, 0, far.memory(), 4096, 1)) {
      near.next().succeeded();
      near.postReceive(9, 4096, HEADER + 8);
      far.qp()
          .postSendOrThrow(
              far.request(2, WrOpcode.SEND, 0, 8)
                  .ud(back, completions.sourceQp(0), QpBringUp.QKEY));
      assertEquals(9, near.next().succeeded().wrId());
    }
  }

  @DisplayName("An AH is destroyed while sends use it: what happens? (here they go on)")
  @Test
  void destroyed() {
    far.postReceive(1, 4096, HEADER + 8);
    AddressHandle there = there();
    near.qp().postSendOrThrow(datagram(there));
    there.close();
    assertEquals(WcStatus.SUCCESS, near.next().status());
  }

  @DisplayName(
      "I want to destroy an AH that sends use: what do I do? (wait for them, or flush them)")
  @Test
  void flushed() {
    AddressHandle there = there();
    for (int i = 0; i < 10; i++) {
      near.qp().postSendOrThrow(datagram(there));
    }
    near.qp().modify(new QpAttr().qpState(QpState.ERR));
    List<Completion> ended = near.next(10);
    assertEquals(10, ended.size());
    there.close();
  }
}
