package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WcExFlags;

/** Each fault of the verbs works on every way to post and to poll, with backends of any class. */
class FaultsOverWaysTest {
  /** The emulator's objects, and objects that are known only by their interfaces. */
  private enum Backend {
    EMULATED(device -> device),
    BARE(Bare::around);

    final UnaryOperator<RdmaDevice> around;

    Backend(UnaryOperator<RdmaDevice> around) {
      this.around = around;
    }
  }

  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));

  private Context context;
  private CompletionChannel channel;
  private CompletionQueue cq;
  private SharedReceiveQueue srq;
  private AddressHandle ah;
  private QueuePair first;
  private QueuePair second;

  private void open(Backend backend, String plan, boolean extended, boolean shared) {
    RdmaDevice beneath = backend.around.apply(devices.device("faulty", Gid.parse("10.0.0.1")));
    context = FaultyDevice.around(beneath, VerbsFaults.parse(plan), devices.fabric()::nowNs).open();
    ProtectionDomain pd = context.allocPd();
    channel = context.createCompletionChannel();
    cq =
        extended
            ? context.createCqEx(
                new CqInitAttr().cqe(16).channel(channel).wcFlags(WcExFlags.WITH_BYTE_LEN))
            : context.createCq(16, null, channel, 0);
    srq = pd.createSrq(new SrqInitAttr(16, 1));
    ah = pd.createAh(AhAttr.roce(Gid.parse("10.0.0.9"), 0));
    first = queuePair(pd, shared);
    second = queuePair(pd, shared);
  }

  private QueuePair queuePair(ProtectionDomain pd, boolean shared) {
    QueuePair qp =
        pd.createQp(
            new QpInitAttr()
                .qpType(QpType.UD)
                .cq(cq)
                .srq(shared ? srq : null)
                .sqSigAll(true)
                .sendOps(SendOpsFlags.WITH_SEND)
                .cap(new QpCapabilities(8, 8, 1, 1, 0)));
    QpBringUp.toRts(qp, QpBringUp.attributes());
    return qp;
  }

  private PostingWay.Outcome post(PostingWay way, QueuePair qp, long... ids) {
    return way.post(qp, srq, ah, ids);
  }

  /** Posts datagrams without a receiver, which complete. */
  private void complete(QueuePair qp, long... ids) {
    assertEquals(0, post(PostingWay.SEND_LIST, qp, ids).errno());
    devices.fabric().run(1_000);
  }

  private static Stream<Arguments> posting() {
    return Stream.of(Backend.values())
        .flatMap(backend -> Stream.of(PostingWay.values()).map(way -> Arguments.of(backend, way)));
  }

  private static Stream<Arguments> polling() {
    return Stream.of(Backend.values())
        .flatMap(backend -> Stream.of(PollingWay.values()).map(way -> Arguments.of(backend, way)));
  }

  @ParameterizedTest
  @MethodSource("posting")
  void postingFailsWithAnErrno(Backend backend, PostingWay way) {
    open(backend, "refuse=ENOMEM call=" + way.call + " nth=2", false, way.isShared());
    assertEquals(0, post(way, first, 1).errno());
    PostingWay.Outcome refused = post(way, first, 2);
    assertEquals(Errno.ENOMEM.number(), refused.errno());
    assertEquals(way.builds() ? -1 : 0, refused.badIndex());
    String whole = way.builds() ? "complete" : way.call;
    assertEquals(
        "a plan of faults refuses " + whole + ": refuse=ENOMEM call=" + way.call + " nth=2",
        refused.why());
    assertEquals(new PostingWay.Outcome(0, -1, ""), post(way, first, 3));
    assertPosted(way, 1L, 3L);
  }

  /** The request is the last of its list and ends at the end of the list's memory. */
  @ParameterizedTest
  @MethodSource("posting")
  void aRequestWithinAListIsRefused(Backend backend, PostingWay way) {
    open(backend, "refuse=EIO call=" + way.call + " index=2 times=1", false, way.isShared());
    assertEquals(0, post(way, first, 1, 2).errno(), "the list has no such request");
    assertEquals(0, post(way, first, 3, 4).errno(), "nor has the next");
    PostingWay.Outcome refused = post(way, first, 5, 6, 7);
    assertEquals(Errno.EIO.number(), refused.errno());
    assertEquals(way.builds() ? -1 : 2, refused.badIndex());
    assertTrue(refused.why().contains("refuses request 2 of"), refused.why());
    assertPosted(
        way, way.builds() ? new Long[] {1L, 2L, 3L, 4L} : new Long[] {1L, 2L, 3L, 4L, 5L, 6L});
  }

  /**
   * Requires that the posted requests complete: receives by a flush, requests of a shared queue by
   * the room that they leave.
   */
  private void assertPosted(PostingWay way, Long... ids) {
    devices.fabric().run(1_000);
    if (way.isShared()) {
      int left = 0;
      while (post(way, first, 0).errno() == 0) {
        left++;
      }
      assertEquals(ids.length, srq.query().maxWr() - left);
      return;
    }
    if (way.call.equals("postRecv")) {
      first.modify(new QpAttr().qpState(QpState.ERR));
    }
    List<String> entries = PollingWay.COMPLETIONS.poll(cq);
    assertEquals(List.of(ids), entries.stream().map(it -> Long.valueOf(it.split(" ")[0])).toList());
  }

  @ParameterizedTest
  @MethodSource("posting")
  void theDeviceFails(Backend backend, PostingWay way) {
    open(backend, "device-fatal call=" + way.call + " nth=2", false, way.isShared());
    assertEquals(0, post(way, first, 1).errno());
    assertEquals(Errno.EIO.number(), post(way, first, 2).errno());
    assertEquals(EventType.DEVICE_FATAL, context.pollAsyncEvent().type());
    assertNull(context.pollAsyncEvent());
    for (PollingWay poll : List.of(PollingWay.COMPLETIONS, PollingWay.OR_THROW)) {
      assertEquals(List.of("EIO"), poll.poll(cq));
    }
    if (!way.builds()) {
      assertEquals(Errno.EIO.number(), post(way, first, 3).errno());
    }
    first.close();
    second.close();
    srq.close();
    cq.close();
  }

  @ParameterizedTest
  @MethodSource("posting")
  void anEventComesWithACall(Backend backend, PostingWay way) {
    EventType type = way.isShared() ? EventType.SRQ_ERR : EventType.QP_FATAL;
    open(backend, "event=" + type + " call=" + way.call + " nth=1", false, way.isShared());
    assertEquals(0, post(way, first, 1).errno());
    AsyncEvent event = context.pollAsyncEvent();
    assertEquals(type, event.type());
    assertSame(way.isShared() ? null : first, event.qp());
    assertSame(way.isShared() ? srq : null, event.srq());
  }

  @ParameterizedTest
  @MethodSource("posting")
  void onlyTheQueuePairOfTheRuleIsMeant(Backend backend, PostingWay way) {
    open(backend, "refuse=EIO call=" + way.call + " qpn=0xffffff", false, way.isShared());
    assertEquals(0, post(way, first, 1).errno());
  }

  @ParameterizedTest
  @MethodSource("polling")
  void aCompletionIsLate(Backend backend, PollingWay way) {
    open(backend, "late=1ms nth=1", way.isExtended(), false);
    complete(first, 1, 2);
    complete(second, 3);
    assertEquals(List.of("3 SUCCESS"), way.poll(cq));
    devices.fabric().run(900_000);
    assertEquals(List.of(), way.poll(cq));
    devices.fabric().run(200_000);
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), way.poll(cq));
    assertEquals(List.of(), way.poll(cq));
  }

  @ParameterizedTest
  @MethodSource("polling")
  void aLateCompletionHasItsEvent(Backend backend, PollingWay way) {
    open(backend, "late=1ms nth=1", way.isExtended(), false);
    cq.requestNotification(false);
    complete(first, 1);
    assertSame(cq, channel.getCqEvent(0));
    cq.requestNotification(false);
    assertEquals(List.of(), way.poll(cq));
    assertNull(channel.getCqEvent(900_000));
    assertSame(cq, channel.getCqEvent());
    assertEquals(List.of("1 SUCCESS"), way.poll(cq));
    assertNull(channel.getCqEvent(0));
    cq.ackEvents(2);
    first.close();
    second.close();
    cq.close();
  }

  @ParameterizedTest
  @MethodSource("polling")
  void aCompletionFails(Backend backend, PollingWay way) {
    open(backend, "fail=RETRY_EXC_ERR nth=2", way.isExtended(), false);
    complete(first, 1);
    complete(second, 2);
    complete(first, 3);
    assertEquals(List.of("1 SUCCESS", "2 RETRY_EXC_ERR", "3 SUCCESS"), way.poll(cq));
    assertEquals(QpState.RTS, first.state());
    assertEquals(QpState.ERR, second.state());
  }

  @ParameterizedTest
  @MethodSource("polling")
  void aCompletionOfOneQueuePairFails(Backend backend, PollingWay way) {
    open(
        backend,
        "fail=REM_ACCESS_ERR qpn=0xffffff; fail=RETRY_EXC_ERR nth=3",
        way.isExtended(),
        false);
    complete(first, 1, 2);
    complete(second, 3);
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 RETRY_EXC_ERR"), way.poll(cq));
    assertEquals(QpState.RTS, first.state());
  }

  @ParameterizedTest
  @MethodSource("polling")
  void theQueueOverflows(Backend backend, PollingWay way) {
    open(backend, "cq-overflow nth=2", way.isExtended(), false);
    complete(first, 1, 2, 3);
    assertEquals(List.of("1 SUCCESS"), way.poll(cq));
    assertEquals(List.of("EIO"), way.poll(cq));
    AsyncEvent event = context.pollAsyncEvent();
    assertEquals(EventType.CQ_ERR, event.type());
    assertSame(cq, event.cq());
    event.ack();
    assertEquals(QpState.ERR, first.state());
    assertEquals(QpState.ERR, second.state());
  }

  @ParameterizedTest
  @MethodSource("polling")
  void aPollIsRefused(Backend backend, PollingWay way) {
    open(backend, "refuse=EIO call=poll nth=1", way.isExtended(), false);
    complete(first, 1);
    assertEquals(List.of("EIO"), way.poll(cq));
    assertEquals(List.of("1 SUCCESS"), way.poll(cq));
  }
}
