package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** Extended reliable connections: a target receives into any named queue of its domain. */
class XrcTest {
  private XrcRig rig = new XrcRig(1);

  @AfterEach
  void close() {
    rig.close();
  }

  private EventType event(Context context) {
    AsyncEvent event = context.pollAsyncEvent();
    if (event == null) {
      return null;
    }
    event.ack();
    return event.type();
  }

  /** The first event after COMM_EST. */
  private EventType failure(Context context) {
    EventType type = event(context);
    return type == EventType.COMM_EST ? event(context) : type;
  }

  @Tag("ibv_create_srq_ex")
  @Tag("ibv_create_qp_ex")
  @Tag("ibv_get_srq_num")
  @Test
  void eachMessageIsReceivedWithTheQueueTheMemoryAndTheCompletionsOfTheQueueItNames() {
    XrcRig.Receiver one = rig.receiver();
    XrcRig.Receiver two = rig.receiver();
    QueuePair target = rig.target();
    QueuePair qp = rig.connected(target);
    assertNotEquals(one.srq.srqNum(), two.srq.srqNum());
    for (int i = 0; i < 6; i++) {
      XrcRig.Receiver named = i % 3 == 0 ? one : two;
      XrcRig.Receiver other = named == one ? two : one;
      named.post(100 + i, 0, 1000);
      assertEquals(WcStatus.SUCCESS, rig.status(qp, rig.send(i, named.srq.srqNum(), 700)));
      WorkCompletions received = rig.next(named.cq);
      assertEquals(100 + i, received.wrId(0));
      assertEquals(WcStatus.SUCCESS, received.status(0));
      assertEquals(WcOpcode.RECV, received.opcode(0));
      assertEquals(700, received.byteLength(0));
      assertEquals(target.qpNum(), received.qpNum(0));
      assertTrue(rig.nothing(other.cq));
      assertEquals(-1, named.memory.asSlice(0, 700).mismatch(rig.nearMemory.asSlice(0, 700)));
    }
  }

  @Test
  void anEmptyQueueIsNotReadyThoughAnotherHasRequests() {
    XrcRig.Receiver empty = rig.receiver();
    XrcRig.Receiver full = rig.receiver();
    full.post(1, 0, 100);
    QueuePair qp = rig.connected(rig.target());
    qp.postSendOrThrow(rig.send(1, empty.srq.srqNum(), 10));
    assertTrue(rig.nothing(full.cq));
    assertTrue(rig.far.counters().get("send_rnr_err") > 0);
    empty.post(2, 0, 100);
    assertEquals(2, rig.next(empty.cq).wrId(0));
    assertEquals(WcStatus.SUCCESS, rig.next(rig.nearCq).status(0));
  }

  private XrcRig.Receiver there;
  private QueuePair initiator;

  /** A request to the only queue. */
  private SendRequestList request(WrOpcode opcode) {
    return rig.request(1, opcode, there.srq.srqNum());
  }

  private void succeeds(SendRequestList request) {
    assertEquals(WcStatus.SUCCESS, rig.status(initiator, request));
  }

  private void connectWithOneQueue() {
    there = rig.receiver();
    initiator = rig.connected(rig.target());
  }

  @Test
  void readsAndWritesUseTheMemoryOfTheQueueThatTheyName() {
    connectWithOneQueue();
    long va = there.region.address() + 1024;
    int rkey = there.region.rkey();
    succeeds(request(WrOpcode.RDMA_WRITE).remote(va, rkey).sge(rig.nearRegion, 0, 600));
    assertEquals(-1, there.memory.asSlice(1024, 600).mismatch(rig.nearMemory.asSlice(0, 600)));
    succeeds(request(WrOpcode.RDMA_READ).remote(va, rkey).sge(rig.nearRegion, 2048, 600));
    assertEquals(-1, rig.nearMemory.asSlice(2048, 600).mismatch(rig.nearMemory.asSlice(0, 600)));
  }

  @Test
  void atomicsUseTheMemoryOfTheQueueThatTheyName() {
    connectWithOneQueue();
    long va = there.region.address();
    int rkey = there.region.rkey();
    there.memory.set(ValueLayout.JAVA_LONG, 0, 40);
    succeeds(
        request(WrOpcode.ATOMIC_FETCH_AND_ADD).atomic(va, rkey, 2, 0).sge(rig.nearRegion, 0, 8));
    assertEquals(40, rig.nearMemory.get(ValueLayout.JAVA_LONG, 0));
    succeeds(
        request(WrOpcode.ATOMIC_CMP_AND_SWP).atomic(va, rkey, 42, 43).sge(rig.nearRegion, 0, 8));
    assertEquals(42, rig.nearMemory.get(ValueLayout.JAVA_LONG, 0));
    assertEquals(43, there.memory.get(ValueLayout.JAVA_LONG, 0));
  }

  @Test
  void immediateDataArrivesWithTheCompletionOfTheQueueThatIsNamed() {
    connectWithOneQueue();
    there.post(7, 0, 0);
    succeeds(
        request(WrOpcode.RDMA_WRITE_WITH_IMM)
            .remote(there.region.address(), there.region.rkey())
            .immediate(77)
            .sge(rig.nearRegion, 0, 300));
    WorkCompletions received = rig.next(there.cq);
    assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, received.opcode(0));
    assertEquals(77, received.immediate(0));
    assertEquals(300, received.byteLength(0));
    there.post(8, 0, 100);
    succeeds(request(WrOpcode.SEND_WITH_IMM).immediate(9).sge(rig.nearRegion, 0, 50));
    assertEquals(9, rig.next(there.cq).immediate(0));
  }

  @Test
  void aWindowThatAnInitiatorBindsIsInvalidatedByAMessageToAQueueOfItsDomain() {
    XrcRig.Receiver there = rig.receiver();
    QueuePair qp = rig.connected(rig.target());
    MemoryWindow window = there.pd.allocMemoryWindow(MwType.TYPE_2);
    CompletionQueue cq = rig.far.createCq(4);
    QueuePair binder =
        there.pd.createQp(new QpInitAttr().qpType(QpType.XRC_SEND).sendCq(cq).sqSigAll(true));
    QpBringUp.toRts(binder, XrcRig.attributes(XrcRig.NEAR, 99));
    int key = MemoryWindow.incrementRkey(window.rkey());
    binder.postSendOrThrow(
        rig.request(1, WrOpcode.BIND_MW, 0)
            .bindMw(
                window, key, there.region, there.region.address(), 256, AccessFlags.REMOTE_READ));
    assertEquals(WcStatus.SUCCESS, rig.next(cq).status(0));
    int srqn = there.srq.srqNum();
    long va = there.region.address();
    assertEquals(
        WcStatus.SUCCESS,
        rig.status(
            qp,
            rig.request(2, WrOpcode.RDMA_READ, srqn).remote(va, key).sge(rig.nearRegion, 0, 10)));
    there.post(3, 0, 100);
    assertEquals(
        WcStatus.SUCCESS,
        rig.status(
            qp,
            rig.request(3, WrOpcode.SEND_WITH_INV, srqn)
                .invalidateRkey(key)
                .sge(rig.nearRegion, 0, 10)));
    WorkCompletions received = rig.next(there.cq);
    assertTrue((received.flags(0) & WcFlags.WITH_INV) != 0);
    assertEquals(key, received.invalidatedRkey(0));
    assertEquals(
        WcStatus.REM_ACCESS_ERR,
        rig.status(
            qp,
            rig.request(4, WrOpcode.RDMA_READ, srqn).remote(va, key).sge(rig.nearRegion, 0, 10)));
  }

  @Test
  void memoryOfAnotherProtectionDomainThanTheNamedQueuesIsRefused() {
    XrcRig.Receiver one = rig.receiver();
    XrcRig.Receiver two = rig.receiver();
    QueuePair target = rig.target();
    QueuePair qp = rig.connected(target);
    assertEquals(
        WcStatus.REM_ACCESS_ERR,
        rig.status(
            qp,
            rig.request(1, WrOpcode.RDMA_READ, one.srq.srqNum())
                .remote(two.region.address(), two.region.rkey())
                .sge(rig.nearRegion, 0, 8)));
    assertEquals(QpState.ERR, target.state());
    assertEquals(EventType.QP_ACCESS_ERR, failure(rig.far));
  }

  @Test
  void aNumberThatNoQueueHasAndOneOfAnotherDomainAreInvalidRequests() {
    XrcRig.Receiver there = rig.receiver();
    XrcDomain other = rig.far.openXrcd(new XrcdInitAttr());
    XrcRig.Receiver stranger = rig.new Receiver(other, 64);
    stranger.post(1, 0, 100);
    int unknown = there.srq.srqNum() ^ 1;
    for (int number : new int[] {unknown, stranger.srq.srqNum()}) {
      QueuePair target = rig.target();
      QueuePair qp = rig.connected(target);
      qp.postSendOrThrow(rig.send(1, number, 10));
      assertEquals(WcStatus.REM_INV_REQ_ERR, rig.next(rig.nearCq).status(0));
      String why = rig.nearCq.whyFailed(rig.last(), 0);
      String hex = "0x" + Integer.toHexString(number);
      assertTrue(
          why.contains(
              number == unknown
                  ? "no shared receive queue has the number " + hex
                  : "the shared receive queue " + hex + " is of another XRC domain"),
          why);
      assertEquals(QpState.ERR, target.state());
      assertEquals(EventType.QP_ACCESS_ERR, failure(rig.far));
      assertNull(event(rig.far));
    }
    assertTrue(rig.nothing(stranger.cq));
  }

  @Test
  void aQueueThatIsDestroyedInTheMiddleOfAMessageEndsIt() {
    XrcRig.Receiver there = rig.receiver();
    QueuePair target = rig.target();
    QueuePair qp = rig.connected(target);
    int number = there.srq.srqNum();
    there.post(1, 0, 4096);
    there.srq.close();
    there.cq.close();
    there.region.close();
    there.pd.close();
    assertEquals(WcStatus.REM_INV_REQ_ERR, rig.status(qp, rig.send(1, number, 4000)));
  }

  @Test
  void aQueueWhoseCompletionsAreLostHasFailed() {
    XrcRig.Receiver small = rig.new Receiver(rig.xrcd, 2);
    XrcRig.Receiver sound = rig.receiver();
    List<QueuePair> targets = List.of(rig.target(), rig.target(), rig.target());
    List<QueuePair> initiators = targets.stream().map(rig::connected).toList();
    int capacity = small.cq.cqe();
    for (int i = 0; i < capacity; i++) {
      small.post(i, 0, 100);
      assertEquals(
          WcStatus.SUCCESS, rig.status(initiators.get(0), rig.send(i, small.srq.srqNum(), 10)));
    }
    small.post(99, 0, 100);
    initiators.get(0).postSendOrThrow(rig.send(98, small.srq.srqNum(), 10));
    assertEquals(
        WcStatus.RETRY_EXC_ERR,
        rig.next(rig.nearCq).status(0),
        "a message whose completion is lost is not acknowledged");
    assertEquals(QpState.ERR, targets.get(0).state());
    Set<EventType> events = new HashSet<>();
    for (EventType type = event(rig.far); type != null; type = event(rig.far)) {
      events.add(type);
    }
    assertEquals(
        Set.of(EventType.COMM_EST, EventType.CQ_ERR, EventType.SRQ_ERR, EventType.QP_FATAL),
        events);
    assertEquals(
        WcStatus.REM_OP_ERR, rig.status(initiators.get(1), rig.send(5, small.srq.srqNum(), 10)));
    String why = rig.nearCq.whyFailed(rig.last(), 0);
    String named = "the shared receive queue 0x" + Integer.toHexString(small.srq.srqNum());
    assertTrue(why.contains(named + " has failed"), why);
    assertEquals(QpState.ERR, targets.get(1).state());
    sound.post(1, 0, 100);
    assertEquals(
        WcStatus.SUCCESS, rig.status(initiators.get(2), rig.send(6, sound.srq.srqNum(), 10)));
  }

  @Test
  void aMessageThatIsUnderWayWhenItsTargetFailsIsFlushedToItsQueue() {
    XrcRig.Receiver there = rig.receiver();
    QueuePair target = rig.target();
    QueuePair qp = rig.connected(target);
    there.post(5, 0, 100);
    assertEquals(WcStatus.REM_INV_REQ_ERR, rig.status(qp, rig.send(1, there.srq.srqNum(), 1000)));
    WorkCompletions received = rig.next(there.cq);
    assertEquals(WcStatus.LOC_LEN_ERR, received.status(0));
    assertEquals(5, received.wrId(0));
    assertEquals(target.qpNum(), received.qpNum(0));
  }

  @Tag("ibv_open_qp")
  @Test
  void aTargetLivesUntilTheLastOfItsHandlesIsClosed() {
    XrcRig.Receiver there = rig.receiver();
    QueuePair made = rig.target();
    QueuePair opened = rig.far.openQp(new QpOpenAttr(made.qpNum(), rig.xrcd));
    assertEquals(made.qpNum(), opened.qpNum());
    QueuePair qp = rig.connected(opened);
    assertEquals(QpState.RTR, made.state());
    made.close();
    there.post(1, 0, 100);
    assertEquals(WcStatus.SUCCESS, rig.status(qp, rig.send(1, there.srq.srqNum(), 10)));
    VerbsException busy = assertThrows(VerbsException.class, rig.xrcd::close);
    assertTrue(busy.getMessage().contains("EBUSY"), busy.getMessage());
    opened.close();
    assertThrows(
        VerbsException.class, () -> rig.far.openQp(new QpOpenAttr(made.qpNum(), rig.xrcd)));
    there.srq.close();
    rig.xrcd.close();
  }

  @Tag("ibv_open_xrcd")
  @Tag("ibv_close_xrcd")
  @Test
  void aDomainIsSharedThroughItsFile(@TempDir Path folder) throws IOException {
    Path file = Files.createFile(folder.resolve("domain"));
    Path alias = Files.createSymbolicLink(folder.resolve("alias"), file.getFileName());
    VerbsException none =
        assertThrows(VerbsException.class, () -> rig.far.openXrcd(new XrcdInitAttr(file, 0)));
    assertTrue(none.getMessage().contains("one process"), none.getMessage());
    XrcDomain mine = rig.far.openXrcd(new XrcdInitAttr(file));
    Context second = rig.farDevice.open();
    XrcDomain theirs = second.openXrcd(new XrcdInitAttr(alias, 0));
    assertThrows(
        VerbsException.class,
        () -> second.openXrcd(new XrcdInitAttr(file, XrcdInitAttr.O_CREAT | XrcdInitAttr.O_EXCL)));
    XrcRig.Receiver there = rig.new Receiver(mine, 64);
    QueuePair target = second.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(theirs));
    QueuePair opened = rig.far.openQp(new QpOpenAttr(target.qpNum(), mine));
    QueuePair qp = rig.connected(target);
    there.post(1, 0, 100);
    assertEquals(WcStatus.SUCCESS, rig.status(qp, rig.send(1, there.srq.srqNum(), 10)));
    assertEquals(1, rig.next(there.cq).wrId(0));
    assertEquals(EventType.COMM_EST, event(second));
    assertEquals(EventType.COMM_EST, event(rig.far));
    second.close();
    there.post(2, 0, 100);
    assertEquals(WcStatus.SUCCESS, rig.status(qp, rig.send(2, there.srq.srqNum(), 10)));
    opened.close();
    there.srq.close();
    mine.close();
    assertThrows(
        VerbsException.class,
        () -> rig.far.openXrcd(new XrcdInitAttr(file, 0)),
        "the domain ended with its last handle");
  }

  @Test
  void theLimitOfAQueueIsToldOnce() {
    XrcRig.Receiver there = rig.receiver();
    QueuePair qp = rig.connected(rig.target());
    for (int i = 0; i < 3; i++) {
      there.post(i, 0, 100);
    }
    there.srq.modify(new SrqAttr(0, 0, 2), SrqAttrMask.LIMIT);
    for (int i = 0; i < 3; i++) {
      rig.status(qp, rig.send(i, there.srq.srqNum(), 10));
    }
    assertEquals(EventType.SRQ_LIMIT_REACHED, failure(rig.far));
    assertNull(event(rig.far));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void targetsOfEveryEngineTakeFromOneQueue(int engines) {
    rig.close();
    rig = new XrcRig(engines);
    XrcRig.Receiver there = rig.receiver();
    List<QueuePair> initiators = new ArrayList<>();
    Map<Integer, Integer> counts = new HashMap<>();
    Set<Integer> lastBits = new HashSet<>();
    for (int i = 0; i < 8; i++) {
      QueuePair target = rig.target();
      lastBits.add(target.qpNum() & engines - 1);
      initiators.add(rig.connected(target));
    }
    assertEquals(engines, lastBits.size(), "the targets live on every engine");
    Set<Long> taken = new HashSet<>();
    for (int round = 0; round < 8; round++) {
      for (int i = 0; i < 8; i++) {
        there.post(round * 8 + i, i * 256, 256);
      }
      for (QueuePair qp : initiators) {
        qp.postSendOrThrow(rig.send(1, there.srq.srqNum(), 200));
      }
      for (int i = 0; i < 8; i++) {
        WorkCompletions received = rig.next(there.cq);
        assertEquals(WcStatus.SUCCESS, received.status(0));
        assertTrue(taken.add(received.wrId(0)), "taken twice");
        counts.merge(received.qpNum(0), 1, Integer::sum);
      }
      for (int i = 0; i < 8; i++) {
        assertEquals(WcStatus.SUCCESS, rig.next(rig.nearCq).status(0));
      }
    }
    assertEquals(64, taken.size());
    assertTrue(counts.size() == 8 && counts.values().stream().allMatch(count -> count == 8));
  }

  @Test
  void whatAQueuePairOfXrcCannotBeMadeWithIsRefused() {
    QpInitAttr target = new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(rig.xrcd);
    XrcRig.Receiver there = rig.receiver();
    refused(Errno.EINVAL, () -> rig.nearPd.createQp(target));
    refused(Errno.EINVAL, () -> rig.near.createQp(target));
    refused(Errno.EINVAL, () -> rig.far.createQp(new QpInitAttr().qpType(QpType.XRC_RECV)));
    refused(Errno.EINVAL, () -> rig.far.createQp(target.srq(there.srq)));
    refused(Errno.EINVAL, () -> rig.far.createQp(target.srq(null).createFlags(2)));
    QpInitAttr initiator = new QpInitAttr().qpType(QpType.XRC_SEND).pd(there.pd).sendCq(there.cq);
    refused(Errno.EINVAL, () -> rig.far.createQp(initiator.srq(there.srq)));
    refused(Errno.EINVAL, () -> rig.far.createQp(initiator.srq(null).sendCq(null)));
    refused(Errno.EINVAL, () -> there.pd.createQp(new QpInitAttr().cq(there.cq).srq(there.srq)));
  }

  @Test
  void whatASharedReceiveQueueOfXrcCannotBeMadeWithIsRefused() {
    XrcRig.Receiver there = rig.receiver();
    refused(Errno.EINVAL, () -> rig.far.createSrq(there.attr(null)));
    refused(Errno.EINVAL, () -> rig.far.createSrq(there.attr(rig.xrcd).cq(null)));
    refused(Errno.EINVAL, () -> rig.far.createSrq(there.attr(rig.xrcd).cq(rig.nearCq)));
    refused(Errno.EINVAL, () -> rig.far.createSrq(there.attr(rig.xrcd).pd(null)));
    refused(Errno.EINVAL, () -> rig.far.createSrq(there.attr(rig.xrcd).maxWr(0)));
    refused(Errno.EOPNOTSUPP, () -> rig.far.createSrq(there.attr(null).srqType(SrqType.TM)));
    refused(Errno.EINVAL, () -> rig.near.createSrq(there.attr(rig.xrcd)));
    refused(Errno.EBUSY, there.cq::close);
    refused(Errno.EBUSY, there.pd::close);
  }

  @Test
  void aTargetThatDoesNotAnswerIsNamedAsSuch() {
    QueuePair target = rig.target();
    QueuePair initiator = rig.connected(target);
    target.modify(new QpAttr().qpState(QpState.ERR));
    assertEquals(WcStatus.RETRY_EXC_ERR, rig.status(initiator, rig.send(1, 1, 10)));
    String why = rig.nearCq.whyFailed(rig.last(), 0);
    assertTrue(why.contains("takes no packet in ERR"), why);
  }

  @Test
  void whatIsNotThereIsToldByNoQueuePairOfXrc() {
    QueuePair target = rig.target();
    QueuePair initiator = rig.initiator();
    assertNull(target.pd());
    assertNull(target.sendCq());
    assertNull(target.recvCq());
    assertNull(target.srq());
    assertSame(rig.nearPd, initiator.pd());
    assertNull(initiator.recvCq());
    assertEquals(0, initiator.cap().maxRecvWr());
    SharedReceiveQueue plain = rig.nearPd.createSrq(new SrqInitAttr(1, 1));
    assertThrows(VerbsException.class, plain::srqNum);
    assertFalse(target.describe().isEmpty());
  }
}
