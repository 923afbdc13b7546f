package org.roce4j.faulty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.Wrapper;

/** What no rule chooses is as without a plan: waits, events, fields, and what is closed. */
class PassedOnCallsTest extends PlannedDevice {
  /** Shorter and longer than the slices in which it waits. */
  @ParameterizedTest
  @ValueSource(longs = {1_000_000, 10_000_000, 35_000_000})
  void aWaitForAnAsynchronousEventEndsAtItsTimeout(long timeoutNs) {
    open("late=1ms");
    long began = devices.fabric().nowNs();
    assertNull(context.getAsyncEvent(timeoutNs));
    assertEquals(timeoutNs, devices.fabric().nowNs() - began);
    assertNull(context.pollAsyncEvent());
    assertEquals(timeoutNs, devices.fabric().nowNs() - began, "a poll does not wait");
  }

  /** A wait without a timeout, too. */
  @Test
  void anEventOfThePlanEndsAWait() {
    open("event=PORT_ERR call=queryPort");
    context.queryPort(1);
    assertEquals(EventType.PORT_ERR, context.getAsyncEvent().type());
  }

  @Test
  void aWaitWithoutATimeoutLastsUntilAnEventComes() {
    int[] waits = {0};
    RdmaDevice device =
        Bare.around(
            devices.device("bare", Gid.parse("10.0.0.3")),
            (name, _) -> {
              if (name.equals("getAsyncEvent") && ++waits[0] == 3) {
                context.queryPort(1);
              }
            });
    VerbsFaults plan = VerbsFaults.parse("event=PORT_ERR call=queryPort");
    context = FaultyDevice.around(device, plan, devices.fabric()::nowNs).open();
    assertEquals(EventType.PORT_ERR, context.getAsyncEvent().type());
  }

  @Test
  void aWaitWithoutAnyCompletionQueueEndsAtItsTimeout() {
    RdmaDevice device = devices.device("faulty", Gid.parse("10.0.0.1"));
    context =
        FaultyDevice.around(device, VerbsFaults.parse("late=1ms"), devices.fabric()::nowNs).open();
    assertNull(context.createCompletionChannel().getCqEvent(2_500_000));
    assertEquals(2_500_000, devices.fabric().nowNs());
  }

  @Test
  void aWaitForACompletionEventEndsAtItsTimeout() {
    open("late=1ms");
    long began = devices.fabric().nowNs();
    assertNull(channel.getCqEvent(2_500_000));
    assertEquals(2_500_000, devices.fabric().nowNs() - began);
  }

  @ParameterizedTest
  @CsvSource({"getCqEvent", "onEvent"})
  void aCallOfAChannelIsRefused(String call) {
    open("refuse=EIO nth=1 call=" + call);
    assertSame(context, channel.context());
    VerbsException e =
        refused(
            Errno.EIO,
            () -> {
              if (call.equals("onEvent")) {
                channel.onEvent(() -> {});
              } else {
                channel.getCqEvent(0);
              }
            });
    assertTrue(e.remedy().contains("refuses " + call), e.remedy());
    channel.onEvent(null);
    assertNull(channel.getCqEvent(0));
  }

  @Test
  void anEmptyBatchIsRefusedToo() {
    open("refuse=EIO nth=1 call=complete");
    WorkRequestBuilder builder = qp.builder();
    builder.start();
    assertEquals(Errno.EIO.number(), builder.complete());
    builder.start();
    assertEquals(0, builder.complete());
  }

  /** While a completion is read, its queue still has its own fields. */
  @Test
  void aQueueThatIsReadTellsItsOwnFields() {
    open("late=1ns");
    ExtendedCompletionQueue extended = context.createCqEx(new CqInitAttr().cqe(7));
    flush(queuePair(extended), 2);
    assertEquals(Errno.ENOENT.number(), extended.startPoll());
    devices.fabric().run(1);
    assertEquals(0, extended.startPoll());
    assertTrue(extended.cqe() >= 7);
    assertSame(context, extended.context());
    assertEquals(Errno.EINVAL.number(), extended.startPoll(), "it is read already");
    assertEquals(0, extended.nextPoll());
    assertEquals(1, extended.wrId());
    assertEquals(Errno.ENOENT.number(), extended.nextPoll());
    assertEquals("EINVAL", outcome(extended::wrId), "there is no current completion");
    extended.endPoll();
    assertEquals(Errno.EINVAL.number(), extended.nextPoll(), "it is not read");
    refused(Errno.EINVAL, extended::endPoll);
  }

  /** A poll into memory has no timestamps. */
  @Test
  void whatAPollHasTakenHasNoFieldsThatAPollHasNot() {
    open("late=1ms");
    ExtendedCompletionQueue extended = context.createCqEx(new CqInitAttr().cqe(4));
    flush(queuePair(extended), 1);
    assertEquals(0, extended.poll(completions), "it is late");
    devices.fabric().run(1_000_000);
    assertEquals(0, extended.startPoll());
    assertEquals(0, extended.wrId());
    refused(Errno.EINVAL, extended::readCompletionTimestamp);
    extended.endPoll();
  }

  @Test
  void aReadingThatTheBackendDoesNotBeginIsOver() {
    openFailing("startPoll", "late=1ms");
    ExtendedCompletionQueue extended = context.createCqEx(new CqInitAttr().cqe(4));
    for (int i = 0; i < 2; i++) {
      assertThrows(IllegalStateException.class, extended::startPoll);
    }
  }

  /** The second is later than its own rule says. */
  @Test
  void aLateCompletionDoesNotOvertakeALaterOne() {
    open("late=5ms nth=1; late=1ms nth=2");
    flush(qp, 2);
    assertEquals(0, cq.poll(completions));
    devices.fabric().run(1_000_000);
    assertEquals(0, cq.poll(completions));
    devices.fabric().run(4_000_000);
    assertEquals(2, cq.poll(completions));
    assertEquals(List.of(0L, 1L), List.of(completions.wrId(0), completions.wrId(1)));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 4})
  void aCompletionThatIsNotThereIsRefused(int index) {
    open("fail=RETRY_EXC_ERR");
    refused(Errno.EINVAL, () -> cq.whyFailed(completions, index));
    refused(Errno.EINVAL, () -> cq.whyFailed(null, 0));
  }

  /** Also if that is an object of the verbs, of this device or of another one. */
  @Test
  void theContextOfTheProgramIsAsItWasGiven() {
    open("late=1ms");
    CompletionQueue plain = devices.device("plain", Gid.parse("10.0.0.2")).open().createCq(4);
    for (Object given : new Object[] {"text", cq, plain}) {
      assertSame(given, context.createCq(4, given, null, 0).userContext());
      assertSame(
          given, context.createCqEx(new CqInitAttr().cqe(4).userContext(given)).userContext());
    }
  }

  @Test
  void whatReadsAFieldNeverFails() {
    open("refuse=EIO after=1us");
    devices.fabric().run(2_000);
    assertSame(context, cq.context());
    assertSame(cq, qp.sendCq());
    assertEquals("faulty", context.device().name());
    assertTrue(cq.describe().contains("faulty"), cq::describe);
    refused(Errno.EIO, qp::query);
  }

  /** It was sent before a rule failed its queue pair. */
  @Test
  void aCompletionThatSucceededHasNoRuleAsItsReason() {
    open("cq-overflow nth=1");
    CompletionQueue sends = context.createCq(4);
    qp = queuePair(sends, cq);
    send(qp, 5);
    flush(qp, 1);
    assertEquals(-Errno.EIO.number(), cq.poll(completions));
    assertEquals(1, sends.poll(completions));
    assertEquals(completions.toString(0), sends.whyFailed(completions, 0));
  }

  @Test
  void aRuleForCallsCountsNoCompletions() {
    open("refuse=ENOMEM call=queryPort nth=2");
    flush(qp, 3);
    assertEquals(3, cq.poll(completions));
    context.queryPort(1);
    refused(Errno.ENOMEM, () -> context.queryPort(1));
  }

  @Test
  void anObjectIsEqualToItselfAlone() {
    open("late=1ms");
    QueuePair other = queuePair(cq);
    assertTrue(qp.equals(qp));
    assertFalse(qp.equals(other));
    assertFalse(qp.equals(null));
    assertTrue(Set.of(qp, other).contains(qp));
  }

  @Test
  void aQueueNeedsItsAttributes() {
    open("late=1ms");
    refused(Errno.EINVAL, () -> context.createCqEx(null));
  }

  @Test
  void aQueueThatOverflowsWithoutThePlanSaysSo() {
    open("late=1ms nth=99");
    Context plain = devices.device("plain", Gid.parse("10.0.0.2")).open();
    List<List<Integer>> polled = new ArrayList<>();
    for (Context each : List.of(context, plain)) {
      pd = each.allocPd();
      CompletionQueue small = each.createCq(1);
      flush(queuePair(small), 4);
      polled.add(List.of(small.poll(completions), small.poll(completions)));
    }
    assertTrue(polled.getLast().getLast() < 0, polled::toString);
    assertEquals(polled.getLast(), polled.getFirst());
  }

  @Test
  void aCompletionThatFailedByItselfKeepsItsStatus() {
    open("fail=RETRY_EXC_ERR");
    flush(qp, 1);
    assertEquals(1, cq.poll(completions));
    assertEquals(WcStatus.WR_FLUSH_ERR, completions.status(0));
    String why = cq.whyFailed(completions, 0);
    assertFalse(why.contains(Decoration.FAILED_IT), why);
  }

  @Test
  void aLateCompletionHasItsEventOnItsOwnChannel() {
    open("late=1ms nth=1");
    CompletionChannel second = context.createCompletionChannel();
    CompletionQueue other = context.createCq(4, null, second, 0);
    other.requestNotification(false);
    flush(qp, 1);
    assertEquals(0, cq.poll(completions), "it is late");
    cq.requestNotification(false);
    assertNull(second.getCqEvent(2_000_000));
    assertSame(cq, channel.getCqEvent(0));
    assertEquals(1, cq.poll(completions));
    cq.ackEvents(1);
  }

  /** Each object of a program and the object beneath, with all that the plan remembers of them. */
  @Test
  void whatIsClosedIsForgotten() {
    open("late=1ns");
    List<WeakReference<Object>> closed = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      makeAndClose(closed);
    }
    long end = System.nanoTime() + 10_000_000_000L;
    while (held(closed) > 8 && System.nanoTime() - end < 0) {
      System.gc();
    }
    assertTrue(held(closed) <= 8, () -> held(closed) + " of " + closed.size() + " are held");
  }

  private void makeAndClose(List<WeakReference<Object>> closed) {
    CompletionChannel ofIts = context.createCompletionChannel();
    CompletionQueue its = context.createCq(4, null, ofIts, 0);
    QueuePair pair = queuePair(its);
    for (Object each : new Object[] {ofIts, its, pair, pair.builder()}) {
      closed.add(new WeakReference<>(each));
      closed.add(new WeakReference<>(Wrapper.innermost(each)));
    }
    pair.close();
    its.close();
    ofIts.close();
  }

  private static long held(List<WeakReference<Object>> references) {
    return references.stream().filter(each -> each.get() != null).count();
  }
}
