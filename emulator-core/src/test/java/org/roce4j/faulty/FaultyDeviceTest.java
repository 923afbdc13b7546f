package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqCreateFlags;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.EventType.Target;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.WcLayout;

/**
 * A decorated device with two queue pairs whose receives are flushed, which gives completions
 * without a peer.
 */
class FaultyDeviceTest {
  @AutoClose private final Arena arena = Arena.ofShared();

  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));

  @AutoClose private final WorkCompletions completions = new WorkCompletions(arena, 16);

  private long nowNs;
  private int opened;
  private EmulatedDevice device;
  private Context context;
  private ProtectionDomain pd;
  private CompletionQueue cq;
  private QueuePair first;
  private QueuePair second;

  private void open(String plan) {
    device =
        devices.device(devices.options("faulty", Gid.ofIpv4(0x0a00_0001 + opened++)).withSeed(7));
    context = FaultyDevice.around(device, VerbsFaults.parse(plan), () -> nowNs).open();
    pd = context.allocPd();
    cq = context.createCq(16);
    first = queuePair();
    second = queuePair();
  }

  private QueuePair queuePair() {
    return queuePair(cq, cq);
  }

  private QueuePair queuePair(CompletionQueue sends, CompletionQueue receives) {
    QueuePair qp =
        pd.createQp(
            new QpInitAttr()
                .qpType(QpType.UD)
                .sendCq(sends)
                .recvCq(receives)
                .sqSigAll(true)
                .cap(new QpCapabilities(4, 8, 1, 1, 0)));
    QpBringUp.toRts(qp, QpBringUp.attributes());
    return qp;
  }

  /** Posts receives that are flushed at once. */
  private void complete(QueuePair qp, long... ids) {
    qp.modify(new QpAttr().qpState(QpState.ERR));
    try (RecvRequestList list = new RecvRequestList(ids.length, 1)) {
      for (long id : ids) {
        list.add().wrId(id);
      }
      assertEquals(0, qp.postRecv(list));
    }
  }

  private List<Long> polled() {
    List<Long> ids = new ArrayList<>();
    int count = cq.poll(completions);
    for (int i = 0; i < count; i++) {
      ids.add(completions.wrId(i));
    }
    return ids;
  }

  /** Rules need the queue pair number; all other attributes are those of the program. */
  @Test
  void anExtendedQueueIsMadeAsItWasAskedFor() {
    device = devices.device("asked", Gid.parse("10.0.0.1"));
    List<CqInitAttr> passed = new ArrayList<>();
    RdmaDevice told =
        Bare.around(
            device,
            (name, arguments) -> {
              if (name.equals("createCqEx")) {
                passed.add((CqInitAttr) arguments[0]);
              }
            });
    VerbsFaults plan = VerbsFaults.parse("refuse=ENOMEM call=registerMemory");
    try (Context decorated = FaultyDevice.around(told, plan, () -> nowNs).open()) {
      int flags = CqCreateFlags.SINGLE_THREADED | CqCreateFlags.IGNORE_OVERRUN;
      decorated.createCqEx(
          new CqInitAttr().cqe(5).userContext(told).flags(flags).wcFlags(WcExFlags.WITH_SRC_QP));
      assertEquals(5, passed.getFirst().cqe());
      assertEquals(told, passed.getFirst().userContext());
      assertEquals(flags, passed.getFirst().flags());
      assertEquals(WcExFlags.WITH_SRC_QP | WcExFlags.WITH_QP_NUM, passed.getFirst().wcFlags());
    }
  }

  @Test
  void aRegistrationIsRefusedWithItsErrno() {
    open("refuse=ENOMEM call=registerMemory nth=2");
    pd.registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE);
    refused(Errno.ENOMEM, () -> pd.registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE));
    MemoryRegion third = pd.registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE);
    assertEquals(64, third.length());
  }

  @Test
  void postingFailsWithAnErrnoAndTheFirstIndex() {
    open("refuse=ENOMEM call=postRecv times=1");
    second.modify(new QpAttr().qpState(QpState.ERR));
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      list.add().wrId(7);
      assertEquals(Errno.ENOMEM.number(), second.postRecv(list));
      assertEquals(0, list.badIndex());
      assertEquals(0, second.postRecv(list));
    }
    assertEquals(List.of(7L), polled());
  }

  @Test
  void aRuleCountsTheCallsWithinItsTimeAlone() {
    open("refuse=ENOMEM call=registerMemory nth=2 after=1ms until=2ms");
    for (long at : new long[] {0, 999_999, 1_000_000, 2_000_000}) {
      nowNs = at;
      pd.registerMemory(arena.allocate(64), 0);
    }
    nowNs = 1_999_999;
    refused(Errno.ENOMEM, () -> pd.registerMemory(arena.allocate(64), 0));
  }

  @Test
  void aLateCompletionHoldsThoseOfItsQueuePairAndIsOvertakenByOthers() {
    open("late=1ms nth=1");
    complete(first, 1, 2);
    complete(second, 3);
    assertEquals(List.of(3L), polled());
    nowNs = 999_999;
    assertEquals(List.of(), polled());
    nowNs = 1_000_000;
    assertEquals(List.of(1L, 2L), polled());
  }

  @Test
  void anOverflowRaisesItsEventAndLosesTheRest() {
    open("cq-overflow nth=2");
    complete(first, 1, 2, 3);
    assertEquals(List.of(1L), polled());
    AsyncEvent event = context.pollAsyncEvent();
    assertEquals(EventType.CQ_ERR, event.type());
    assertSame(cq, event.cq());
    event.ack();
    complete(second, 4);
    assertEquals(List.of(), polled());
  }

  @Test
  void anOverflowFailsTheUsersOfTheQueueAlone() {
    open("cq-overflow nth=1");
    CompletionQueue other = context.createCq(16);
    List<QpState> states = new ArrayList<>();
    List<QueuePair> users =
        List.of(queuePair(cq, other), queuePair(other, cq), queuePair(other, other));
    complete(first, 1);
    assertEquals(List.of(), polled());
    users.forEach(qp -> states.add(qp.state()));
    assertEquals(List.of(QpState.ERR, QpState.ERR, QpState.RTS), states);
  }

  @Test
  void eventsAreMade() {
    open("event=PORT_ERR call=queryPort nth=1");
    List<String> told = new ArrayList<>();
    context.onAsyncEvent(() -> told.add("woken"));
    context.queryPort(1);
    AsyncEvent event = context.getAsyncEvent(1_000_000);
    assertEquals(EventType.PORT_ERR, event.type());
    assertEquals(1, event.portNum());
    assertTrue(told.contains("woken"));
    assertNull(context.pollAsyncEvent());
  }

  /** Calls that have no such object are not counted. */
  @ParameterizedTest
  @EnumSource(value = EventType.class, mode = EnumSource.Mode.EXCLUDE, names = "WQ_FATAL")
  void aMadeEventIsAboutTheObjectOfACall(EventType type) {
    open("event=" + type + " nth=1");
    SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1));
    srq.query();
    first.query();
    cq.requestNotification(false);
    AsyncEvent event = context.pollAsyncEvent();
    assertEquals(type, event.type());
    Target target = type.target();
    assertSame(target == Target.QUEUE_PAIR ? first : null, event.qp());
    assertSame(target == Target.COMPLETION_QUEUE ? cq : null, event.cq());
    assertSame(target == Target.SHARED_RECEIVE_QUEUE ? srq : null, event.srq());
    assertEquals(target == Target.PORT ? 1 : 0, event.portNum());
    srq.close();
  }

  @Test
  void aCompletionFailsWithItsStatusAndItsQueuePairWithIt() {
    open("fail=RETRY_EXC_ERR nth=1");
    AddressHandle ah = pd.createAh(AhAttr.roce(Gid.parse("10.0.0.9"), 0));
    try (SendRequestList list = new SendRequestList(1, 1, 0)) {
      list.add().wrId(5).opcode(WrOpcode.SEND).ud(ah, 17, QpBringUp.QKEY);
      assertEquals(0, first.postSend(list));
    }
    devices.fabric().run(1_000_000);
    assertEquals(List.of(5L), polled());
    assertEquals(WcStatus.RETRY_EXC_ERR, completions.status(0));
    assertWhy("qp=0x%x vendor_err=0x0: a plan of faults failed it: fail=RETRY_EXC_ERR nth=1");
    assertEquals(QpState.ERR, first.state());
    assertEquals(QpState.RTS, second.state());
    complete(first, 6);
    assertEquals(List.of(6L), polled());
    assertWhy(
        "qp=0x%x vendor_err=0x0: flushed because its queue pair failed: a plan of faults failed it:"
            + " fail=RETRY_EXC_ERR nth=1");
    first.modify(new QpAttr().qpState(QpState.RESET));
    QpBringUp.toRts(first, QpBringUp.attributes());
    complete(first, 7);
    assertEquals(List.of(7L), polled());
    assertWhy(
        "qp=0x%x vendor_err=0x0: flushed because QP 0x%<x UD ERR on faulty failed: the program,");
  }

  @ParameterizedTest
  @ValueSource(strings = {"cq-overflow nth=1", "device-fatal call=poll", "refuse=EIO call=poll"})
  void aPollThatThePlanFailsNamesItsRule(String rule) {
    open(rule);
    complete(first, 1);
    VerbsException e =
        assertThrows(
            VerbsException.class,
            () -> {
              cq.pollOrThrow(completions);
              cq.pollOrThrow(completions);
            });
    assertEquals(Errno.EIO, e.errno());
    assertTrue(e.remedy().contains("a plan of faults fails poll: " + rule), e.remedy());
  }

  /** To a program that reads in place, what is lost does not come: the next poll says why. */
  @Test
  void anOverflowEndsThePollThatMeetsIt() {
    open("cq-overflow nth=2");
    ExtendedCompletionQueue extended = context.createCqEx(new CqInitAttr().cqe(4));
    complete(queuePair(extended, extended), 1, 2);
    assertEquals(0, extended.startPoll());
    assertEquals(1, extended.wrId());
    assertEquals(Errno.ENOENT.number(), extended.nextPoll());
    extended.endPoll();
    assertEquals(Errno.EIO.number(), extended.startPoll());
  }

  /** After a rule has failed its queue pair, too. */
  @Test
  void onlyAFlushedCompletionIsOneOfAQueuePairThatARuleFailed() {
    open("fail=RETRY_EXC_ERR nth=1");
    AddressHandle ah = pd.createAh(AhAttr.roce(Gid.parse("10.0.0.9"), 0));
    try (SendRequestList list = new SendRequestList(1, 1, 0)) {
      first.postSendOrThrow(list.add().wrId(5).opcode(WrOpcode.SEND).ud(ah, 17, QpBringUp.QKEY));
    }
    devices.fabric().run(1_000_000);
    assertEquals(List.of(5L), polled());
    assertEquals(QpState.ERR, first.state());
    WcLayout.status(completions.memory(), 0, WcStatus.RNR_RETRY_EXC_ERR.value());
    String why = cq.whyFailed(completions, 0);
    assertFalse(why.contains("a plan of faults"), why);
  }

  private void assertWhy(String why) {
    String told = cq.whyFailed(completions, 0);
    assertTrue(told.contains(why.formatted(first.qpNum())), told);
  }

  @Test
  void eventsAreLost() {
    open("lose-event=QP_LAST_WQE_REACHED; lose-event=CQ_ERR");
    CompletionQueue small = context.createCq(1);
    QueuePair qp =
        pd.createQp(
            new QpInitAttr().qpType(QpType.UD).cq(small).cap(new QpCapabilities(4, 8, 1, 1, 0)));
    QpBringUp.toRts(qp, QpBringUp.attributes());
    complete(qp, 1, 2, 3);
    for (AsyncEvent e = context.pollAsyncEvent(); e != null; e = context.pollAsyncEvent()) {
      assertFalse(e.type() == EventType.CQ_ERR);
      e.ack();
    }
  }

  @Test
  void theEventOfOneQueuePairIsLostAndAcknowledgedAndThatOfAnotherComes() {
    open("");
    int number = sharing().qpNum(); // devices with one seed draw the same numbers
    open("lose-event=QP_LAST_WQE_REACHED qpn=0x%06x".formatted(number));
    QueuePair loses = sharing();
    QueuePair hears = sharing();
    assertEquals(number, loses.qpNum());
    for (QueuePair qp : List.of(loses, hears)) {
      qp.modify(new QpAttr().qpState(QpState.ERR));
    }
    AsyncEvent event = context.pollAsyncEvent();
    assertEquals(EventType.QP_LAST_WQE_REACHED, event.type());
    assertSame(hears, event.qp());
    assertNull(context.pollAsyncEvent());
    event.ack();
    loses.close();
    hears.close();
  }

  private QueuePair sharing() {
    QueuePair qp =
        pd.createQp(
            new QpInitAttr()
                .qpType(QpType.UD)
                .cq(cq)
                .srq(pd.createSrq(new SrqInitAttr(4, 1)))
                .cap(new QpCapabilities(4, 0, 1, 0, 0)));
    QpBringUp.toRts(qp, QpBringUp.attributes());
    return qp;
  }

  @Test
  void theEventOfAPortSaysWhichPort() {
    open("lose-event=PORT_ACTIVE");
    device.port(1, false);
    AsyncEvent event = context.pollAsyncEvent();
    assertEquals(EventType.PORT_ERR, event.type());
    assertEquals(1, event.portNum());
    event.ack();
  }

  @Test
  void probabilitiesOfTwoRulesAreDrawnApart() {
    open(
        "refuse=ENOMEM call=queryPort probability=0.5;"
            + " event=PORT_ERR call=queryPort probability=0.5");
    Set<List<Boolean>> seen = new HashSet<>();
    for (int i = 0; i < 64; i++) {
      boolean refused = false;
      try {
        context.queryPort(1);
      } catch (VerbsException e) {
        refused = true;
      }
      seen.add(List.of(refused, context.pollAsyncEvent() != null));
    }
    assertEquals(4, seen.size());
  }

  @Test
  void theTimeOfARuleCountsFromItsBeginning() {
    nowNs = 5_000_000_000L;
    open("late=1ms after=1s");
    complete(first, 1);
    assertEquals(List.of(1L), polled());
    nowNs += 1_000_000_000;
    complete(first, 2);
    assertEquals(List.of(), polled());
  }

  @Test
  void whatCannotBeClosedYetIsKept() {
    open("late=1ms nth=1");
    complete(first, 1, 2);
    assertEquals(List.of(), polled());
    refused(Errno.EBUSY, cq::close);
    assertSame(cq, first.sendCq());
    nowNs = 1_000_000;
    assertEquals(List.of(1L, 2L), polled());
  }

  @Test
  void afterAFatalErrorAllFailsButClosing() {
    open("device-fatal call=postRecv nth=1");
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      list.add().wrId(1);
      assertEquals(Errno.EIO.number(), first.postRecv(list));
    }
    assertEquals(EventType.DEVICE_FATAL, context.pollAsyncEvent().type());
    assertThrows(VerbsException.class, () -> context.createCq(1));
    assertEquals(-Errno.EIO.number(), cq.poll(completions));
    first.close();
    second.close();
    cq.close();
    pd.close();
    context.close();
  }

  @Test
  void whatIsGivenBackIsDecoratedAndOneObject() {
    open("");
    assertSame(cq, first.sendCq());
    assertSame(pd, first.pd());
    assertFalse(first.equals(second));
    assertEquals(WcStatus.SUCCESS, WcStatus.of(0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "refuse=ENOMEM call=modify qpn=0x000011 nth=2",
        "refuse=EIO call=postSend index=2 qpn=0x000001",
        "late=1ms every=3 probability=0.5",
        "fail=RETRY_EXC_ERR first=2 times=3",
        "cq-overflow nth=5",
        "event=PORT_ERR call=postSend nth=1",
        "lose-event=CQ_ERR",
        "device-fatal after=1s",
      })
  void whatIsPrintedIsReadBack(String rule) {
    assertEquals(rule, VerbsFaults.parse(rule).rules().getFirst().toString());
  }

  @ParameterizedTest
  @CsvSource({
    "drop, 'drop' is no fault of the verbs",
    "refuse=ENOPE, give an errno such as",
    "refuse=ENOMEM call=fly, no such call",
    "late=1ms call=poll, is not about calls",
    "fail=SUCCES, give one of",
    "cq-overflow colour=red, chooses nothing",
    "fail=SUCCESS, give a status other than SUCCESS",
    "device-fatal=3, 'device-fatal' has no value",
    "cq-overflow=1, 'cq-overflow' has no value",
    "late=1ms qpn=1 qpn=2, qpn=2: qpn=1 is there already",
    "refuse=EIO call=open nth=1 times=2, times=2: nth=1 is there already",
    "refuse=EIO call=registerMemory qpn=1, nothing has call=registerMemory and qpn: give one of",
    "device-fatal qpn=1 call=poll, nothing has call=poll and qpn: give one of the calls attach",
    "event=CQ_ERR qpn=1, nothing has event CQ_ERR and qpn: leave one of them out",
    "event=CQ_ERR call=open, event CQ_ERR and call=open: give one of the calls modify nextPoll",
    "lose-event=CQ_ERR qpn=1, nothing has event CQ_ERR and qpn: leave one of them out",
    "lose-event=WQ_FATAL, 'no program has a work queue, which event WQ_FATAL is about'",
    "event=WQ_FATAL, 'no program has a work queue, which event WQ_FATAL is about'",
    "late=1ms index=0, index is of a request in a list",
    "refuse=EIO index=0 call=open, index is of a request in a list",
    "seed=1; seed=2; late=1ms, seed=2: the plan has a seed already",
  })
  void whatCannotBeIsRefused(String rule, String words) {
    VerbsException e = assertThrows(VerbsException.class, () -> VerbsFaults.parse(rule));
    assertTrue(e.remedy().contains(words), e.remedy());
  }
}
