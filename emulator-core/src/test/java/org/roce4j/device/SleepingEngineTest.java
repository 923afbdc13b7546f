package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.Progress;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcdInitAttr;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.Opcode;

/**
 * Two engines without a background thread and its periodic checks: every effect of one engine on
 * the other is there, and the other is asked to run.
 */
class SleepingEngineTest {
  @AutoClose private final Arena arena = Arena.ofShared();
  private final Drive first = new Drive();
  private final Drive second = new Drive();
  private final Drive both = new Drive();
  private final Device device = LoneEngine.ofEngines(2, Gid.parse("10.0.0.1"));
  private final Context context;
  private final ProtectionDomain pd;

  SleepingEngineTest() {
    device.attach(PortControl.NONE, both, List.of(first, second));
    context = EmulatedContext.open(device, () -> {});
    pd = context.allocPd();
  }

  /** Counts the requests to run, and runs nothing. */
  private static final class Drive extends Progress.Idle {
    private int doorbells;
    private int turns;
    private int waits;

    @Override
    public void doorbell() {
      doorbells++;
    }

    @Override
    public void advance() {
      turns++;
    }

    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
      waits++;
      return false;
    }
  }

  private CompletionQueue cq(int entries, int vector) {
    return context.createCq(entries, null, null, vector);
  }

  private QueuePair queuePair(CompletionQueue sends, CompletionQueue receives) {
    return pd.createQp(
        new QpInitAttr().sendCq(sends).recvCq(receives).cap(new QpCapabilities(8, 1, 1, 1, 0)));
  }

  private static void initialize(QueuePair qp) {
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
  }

  private void overflow(QueuePair onFirst) {
    initialize(onFirst);
    onFirst.modify(new QpAttr().qpState(QpState.ERR));
    SendRequestList nothing = new SendRequestList(arena, 1, 1, 0);
    nothing.add().opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
    for (int i = 0; i < 4; i++) {
      assertEquals(0, onFirst.postSend(nothing));
    }
    device.engine(0).handleDoorbells(0); // flushes
  }

  @Test
  void anOverflowAsksTheOtherEngineToRunAndFailsItsQueuePairsThen() {
    CompletionQueue small = cq(1, 0);
    QueuePair own = queuePair(small, small);
    QueuePair other = queuePair(cq(8, 1), small);
    initialize(other);
    overflow(own);
    assertEquals(QpState.INIT, other.state(), "its engine has not run");
    assertEquals(0, second.doorbells, "hooks run after release");
    device.engine(0).takeHooks().forEach(Runnable::run);
    assertEquals(1, second.doorbells);
    assertTrue(device.engine(1).isRung());
    device.engine(1).handleDoorbells(0);
    assertEquals(QpState.ERR, other.state());
    assertEquals(EventType.CQ_ERR, nextEvent());
    assertEquals(EventType.QP_FATAL, nextEvent());
    assertTrue(device.engine(1).takeEventful(), "those that wait for the event are woken");
  }

  /** The number of requests, out of four flushed ones, beyond its capacity. */
  @Test
  void everyCompletionThatIsLostCounts() {
    CompletionQueue small = cq(1, 0);
    overflow(queuePair(small, small));
    assertEquals(4 - small.cqe(), context.counters().get("cq_overflow"));
  }

  @Test
  void aQueueThatLostCompletionsSaysSoWhenItIsEmptyAndUntilItIsDestroyed() {
    CompletionQueue small = cq(1, 0);
    QueuePair own = queuePair(small, small);
    overflow(own);
    WorkCompletions completions = new WorkCompletions(arena, small.cqe());
    assertEquals(small.cqe(), small.poll(completions));
    assertEquals(-Errno.EIO.number(), small.poll(completions));
    own.close();
    small.close();
    assertEquals(-Errno.EINVAL.number(), small.poll(completions));
  }

  /** The engine that noticed the overflow, and the other one. */
  @Test
  void anOverflowLeavesQueuePairsInResetAlone() {
    CompletionQueue small = cq(1, 0);
    QueuePair own = queuePair(small, small);
    List<QueuePair> others =
        List.of(queuePair(small, small), queuePair(cq(8, 0), small), queuePair(cq(8, 1), small));
    overflow(own);
    device.engine(0).takeHooks().forEach(Runnable::run);
    device.engine(1).handleDoorbells(0);
    others.forEach(each -> assertEquals(QpState.RESET, each.state()));
  }

  @ParameterizedTest
  @EnumSource(names = {"INIT", "RTR", "RTS", "SQD"})
  void anOverflowFailsTheQueuePairsOfTheEngineThatNoticedItInEveryStateButReset(QpState state) {
    CompletionQueue small = cq(1, 0);
    QueuePair own = queuePair(small, small);
    QueuePair other = queuePair(cq(8, 0), small);
    QpState last = state == QpState.SQD ? QpState.RTS : state;
    QpBringUp.to(last, other, PlayedPeer.attributes(Mtu.MTU_1024));
    if (state != last) {
      other.modify(new QpAttr().qpState(state));
    }
    overflow(own);
    assertEquals(QpState.ERR, other.state());
  }

  private EventType nextEvent() {
    AsyncEvent event = context.pollAsyncEvent();
    if (event == null) {
      return null;
    }
    event.ack();
    return event.type();
  }

  /** The engine of its completion vector if no other engine feeds it. */
  @Test
  void aPollThatFindsNothingRunsEveryEngineThatFeedsTheQueueAndNoOther() {
    CompletionQueue common = cq(8, 0);
    poll(common);
    assertRan(1, 0, 0);
    QueuePair onSecond = queuePair(cq(8, 1), common);
    poll(common);
    assertRan(0, 1, 0);
    QueuePair onFirst = queuePair(common, common);
    poll(common);
    assertRan(0, 0, 1);
    onSecond.close();
    poll(common);
    assertRan(1, 0, 0);
    onFirst.close();
  }

  /** Queue pairs come and go in random order. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void aQueueIsRunByTheEnginesOfTheQueuePairsThatUseItNow(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<CompletionQueue> queues = List.of(cq(8, 0), cq(8, 1), cq(8, 0));
    List<QueuePair> users = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      if (users.size() == 4 || random.nextBoolean() && !users.isEmpty()) {
        users.remove(random.nextInt(users.size())).close();
      } else {
        users.add(user(queues, random));
      }
      for (CompletionQueue each : queues) {
        Set<Integer> engines = new HashSet<>();
        for (QueuePair user : users) {
          if (user.sendCq() == each || user.recvCq() == each) {
            engines.add(user.qpNum() & 1);
          }
        }
        int own = queues.indexOf(each) & 1;
        int only = engines.isEmpty() ? own : engines.iterator().next();
        poll(each);
        assertRan(
            engines.size() < 2 && only == 0 ? 1 : 0,
            engines.size() < 2 && only == 1 ? 1 : 0,
            engines.size() / 2);
      }
    }
  }

  /** A user on either engine; a shared receive queue puts it on the engine of its other user. */
  private QueuePair user(List<CompletionQueue> queues, SplittableRandom random) {
    CompletionQueue sends = queues.get(random.nextInt(queues.size()));
    CompletionQueue receives = queues.get(random.nextInt(queues.size()));
    if (random.nextBoolean()) {
      return queuePair(sends, receives);
    }
    SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1));
    QueuePair first = sharing(srq, random.nextInt(2));
    QpInitAttr attr = new QpInitAttr().sendCq(sends).recvCq(receives).srq(srq);
    QueuePair second = pd.createQp(attr.cap(new QpCapabilities(8, 0, 1, 0)));
    first.close();
    return second;
  }

  /** A target of XRC takes from it, and targets are on every engine. */
  @Test
  void thePollOfAQueueOfAnXrcReceiveQueueRunsEveryEngine() {
    CompletionQueue common = cq(8, 0);
    SharedReceiveQueue receives =
        context.createSrq(
            new SrqInitAttrEx()
                .srqType(SrqType.XRC)
                .pd(pd)
                .xrcd(context.openXrcd(new XrcdInitAttr()))
                .cq(common)
                .maxWr(1)
                .maxSge(1));
    poll(common);
    assertRan(0, 0, 1);
    receives.close();
    poll(common);
    assertRan(1, 0, 0);
  }

  private void poll(CompletionQueue cq) {
    assertEquals(0, cq.poll(new WorkCompletions(arena, 1)));
  }

  private void assertRan(int ofFirst, int ofSecond, int ofBoth) {
    assertEquals(
        List.of(ofFirst, ofSecond, ofBoth), List.of(first.turns, second.turns, both.turns));
    first.turns = 0;
    second.turns = 0;
    both.turns = 0;
  }

  @Test
  void whoWaitsOnAChannelWaitsForEveryEngineThatFeedsItsQueues() {
    CompletionChannel channel = context.createCompletionChannel();
    CompletionQueue ofFirst = context.createCq(8, null, channel, 0);
    CompletionQueue ofSecond = context.createCq(8, null, channel, 1);
    queuePair(ofFirst, ofFirst);
    assertNull(channel.getCqEvent(1));
    assertEquals(1, first.waits);
    QueuePair onSecond = queuePair(ofSecond, ofSecond);
    assertTrue(device.engine(0).takeEventful(), "those that wait already begin anew");
    assertNull(channel.getCqEvent(1));
    assertEquals(1, both.waits);
    onSecond.close();
    assertNull(channel.getCqEvent(1));
    assertEquals(2, first.waits);
    assertEquals(0, second.waits);
  }

  /** One engine takes from a shared receive queue while the queue has users. */
  @Test
  void aSharedReceiveQueueWithoutUsersBindsNobodyToAnEngine() {
    SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1));
    QueuePair before = sharing(srq, 0);
    assertEquals(0, before.qpNum() & 1);
    assertEquals(0, sharing(srq, 1).qpNum() & 1, "where the others are");
    before.close();
    assertEquals(0, sharing(srq, 1).qpNum() & 1, "where one still is");
    SharedReceiveQueue unused = pd.createSrq(new SrqInitAttr(4, 1));
    sharing(unused, 0).close();
    assertEquals(1, sharing(unused, 1).qpNum() & 1);
  }

  private QueuePair sharing(SharedReceiveQueue srq, int vector) {
    return pd.createQp(
        new QpInitAttr().cq(cq(8, vector)).srq(srq).cap(new QpCapabilities(8, 0, 1, 0)));
  }

  /** The damaged field may be the DestQP. */
  @Test
  void aDatagramWhoseIcrcIsWrongIsHandedToNobody() {
    QueuePair other = queuePair(cq(8, 1), cq(8, 1));
    ByteBuffer packet = ByteBuffer.allocateDirect(64);
    Bth.put(packet, 0, Opcode.RC_SEND_ONLY.code(), false, 0, 0xffff, other.qpNum(), false, 0);
    Inbound inbound =
        new Inbound().payload(packet, MemorySegment.ofBuffer(packet), 0, Bth.SIZE + Icrc.SIZE);
    device.engine(0).handleDatagram(0, inbound.icrc(IcrcVerdict.WRONG));
    assertEquals(0, device.engine(0).takeRecipients());
    assertFalse(device.engine(1).isRung());
    device.engine(0).handleDatagram(0, inbound.icrc(IcrcVerdict.RIGHT));
    assertEquals(1 << 1, device.engine(0).takeRecipients());
    assertTrue(device.engine(1).isRung());
  }

  @Test
  void aFailureOfOneEngineAsksTheOtherToRunAndToFlush() {
    QueuePair other = queuePair(cq(8, 1), cq(8, 1));
    initialize(other);
    AssertionError defect = new AssertionError("a defect");
    device.engine(0).fail(defect);
    device.engine(0).takeHooks().forEach(Runnable::run);
    assertEquals(1, second.doorbells);
    device.engine(1).takeEventful();
    device.engine(1).giveUp(defect);
    assertTrue(device.engine(1).takeEventful(), "those that wait for it are woken");
    assertEquals(QpState.ERR, other.state());
    assertEquals(EventType.DEVICE_FATAL, nextEvent());
  }
}
