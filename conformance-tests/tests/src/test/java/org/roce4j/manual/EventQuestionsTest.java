package org.roce4j.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.manual.AnswerSteps.refused;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.Limit;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.junit.OnDevice;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;

/** Chapters 5.2 and 5.3: asynchronous events and completion channels. */
@DisplayName("Events")
@EmulatedRdma
@Timeout(60)
class EventQuestionsTest {
  @DisplayName("Do I have to read asynchronous events?")
  @Test
  void unread(@OnDevice(0) EmulatedDevice device, Context a, Context b) {
    try (AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      for (int i = 0; i < 10; i++) {
        device.port(false);
        device.port(true);
      }
      ends.work();
    }
  }

  @DisplayName("May I read events once in a while?")
  @Test
  void later(@OnDevice(0) EmulatedDevice device, @OnDevice(0) Context context) {
    device.port(false);
    device.port(true);
    device.port(false);
    for (EventType type : List.of(EventType.PORT_ERR, EventType.PORT_ACTIVE, EventType.PORT_ERR)) {
      AsyncEvent event = context.pollAsyncEvent();
      assertEquals(type, event.type());
      event.ack();
    }
    assertNull(context.pollAsyncEvent());
  }

  @DisplayName("Is ibv_get_async_event() thread-safe?")
  @Test
  void threads(@OnDevice(0) EmulatedDevice device, @OnDevice(0) Context context) {
    for (int i = 0; i < 100; i++) {
      device.port(false);
      device.port(true);
    }
    ConcurrentLinkedQueue<EventType> told = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<Void>> readers =
        List.of(
            CompletableFuture.runAsync(() -> readAll(context, told)),
            CompletableFuture.runAsync(() -> readAll(context, told)));
    readers.forEach(CompletableFuture::join);
    assertEquals(100, told.stream().filter(EventType.PORT_ERR::equals).count());
    assertEquals(100, told.stream().filter(EventType.PORT_ACTIVE::equals).count());
  }

  private static void readAll(Context context, ConcurrentLinkedQueue<EventType> told) {
    for (AsyncEvent event = context.pollAsyncEvent();
        event != null;
        event = context.pollAsyncEvent()) {
      told.add(event.type());
      event.ack();
    }
  }

  @DisplayName("I got an event of a QP, CQ or SRQ: do other processes get it too?")
  @Test
  void otherContexts(
      @OnDevice(0) RdmaDevice device, @OnDevice(0) Context a, @OnDevice(1) Context b) {
    try (Context other = device.open();
        AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      AnswerSteps.drain(ends.near().qp());
      AnswerSteps.event(ends.near(), EventType.SQ_DRAINED).ack();
      assertNull(other.pollAsyncEvent());
    }
  }

  @DisplayName("Why must I call ibv_ack_async_event()? What if I do not?")
  @Test
  void acknowledge(Context a, Context b) {
    try (AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      AnswerSteps.drain(ends.near().qp());
      AsyncEvent event = AnswerSteps.event(ends.near(), EventType.SQ_DRAINED);
      AnswerSteps.returnsAfter(event::ack, ends.near().qp()::close);
    }
  }

  @DisplayName("My process ends between reading an event and acknowledging it: what happens?")
  @Test
  void ended() {
    try (FabricDevices devices = new FabricDevices(FabricOptions.of(1))) {
      EmulatedDevice device =
          devices.device(
              devices.options("small", Gid.parse("10.0.0.9")).withLimit(Limit.MAX_QP, 1));
      for (int process = 0; process < 3; process++) {
        Context context = device.open();
        RdmaEnd end = new RdmaEnd(context, QpType.RC);
        refused(Errno.ENOMEM, () -> end.createQp(QpType.RC, null));
        QpBringUp.toRts(end.qp(), RdmaEnd.toward(end.qp()));
        AnswerSteps.drain(end.qp());
        AnswerSteps.event(end, EventType.SQ_DRAINED);
        context.close();
      }
    }
  }

  @DisplayName("What is a completion channel good for? (events instead of polling)")
  @Test
  void channel(Context a, Context b) {
    try (AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      CompletionQueue cq = ends.far().cq();
      cq.requestNotification(false);
      ends.far().postReceive(1, 0, 64);
      ends.near().postSend(2, 0, 64);
      assertSame(cq, ends.far().channel().getCqEvent());
      cq.ackEvents(1);
      assertEquals(1, ends.far().next().succeeded().wrId());
    }
  }

  @DisplayName("Why read completions by events? (the thread sleeps until one is there)")
  @Test
  void sleeps(Context a, Context b) {
    try (AnswerSteps.Ends ends = AnswerSteps.Ends.of(a, b, QpType.RC)) {
      assertNull(ends.far().channel().getCqEvent(0), "nothing is armed");
      ends.far().cq().requestNotification(false);
      assertNull(ends.far().channel().getCqEvent(0), "nothing has come");
      AtomicReference<CompletionQueue> told = new AtomicReference<>();
      AnswerSteps.returnsAfter(ends::work, () -> told.set(ends.far().channel().getCqEvent()));
      assertSame(ends.far().cq(), told.get());
      assertNull(ends.far().channel().getCqEvent(0), "one event for one arming");
      ends.far().cq().ackEvents(1);
    }
  }

  @DisplayName("May several CQs have one channel?")
  @Test
  void severalQueues(@OnDevice(0) Context context) {
    CompletionChannel channel = context.createCompletionChannel();
    for (int i = 0; i < 3; i++) {
      Armed armed = Armed.of(context, channel);
      armed.complete();
      assertSame(armed.cq, channel.getCqEvent());
      armed.cq.ackEvents(1);
    }
  }

  @DisplayName("How do I give CQs priorities by several channels?")
  @Test
  void priorities(@OnDevice(0) Context context) {
    CompletionChannel urgent = context.createCompletionChannel();
    CompletionChannel other = context.createCompletionChannel();
    Armed first = Armed.of(context, urgent);
    Armed second = Armed.of(context, other);
    second.complete();
    assertNull(urgent.getCqEvent(0));
    first.complete();
    assertSame(first.cq, urgent.getCqEvent());
    assertSame(second.cq, other.getCqEvent());
    first.cq.ackEvents(1);
    second.cq.ackEvents(1);
  }

  @DisplayName("ibv_destroy_comp_channel() failed: what of its CQs?")
  @Test
  void channelInUse(@OnDevice(0) Context context) {
    CompletionChannel channel = context.createCompletionChannel();
    Armed armed = Armed.of(context, channel);
    refused(Errno.EBUSY, channel::close);
    armed.complete();
    assertSame(armed.cq, channel.getCqEvent());
    armed.cq.ackEvents(1);
  }

  @DisplayName("ibv_destroy_comp_channel() failed: can I know because of which CQs? (no)")
  @Test
  void channelInUseByWhom(@OnDevice(0) Context context) {
    CompletionChannel channel = context.createCompletionChannel();
    context.createCq(1, null, channel, 0);
    String message = refused(Errno.EBUSY, channel::close);
    assertTrue(message.contains("completion queue"), message);
  }

  /** An armed completion queue, and a queue pair whose receive can be flushed into it. */
  private record Armed(CompletionQueue cq, QueuePair qp) {
    static Armed of(Context context, CompletionChannel channel) {
      CompletionQueue cq = context.createCq(4, null, channel, 0);
      cq.requestNotification(false);
      QueuePair qp =
          context
              .allocPd()
              .createQp(
                  new QpInitAttr().qpType(QpType.UD).cq(cq).cap(new QpCapabilities(1, 1, 1, 1)));
      QpBringUp.to(QpState.INIT, qp, QpBringUp.attributes());
      return new Armed(cq, qp);
    }

    void complete() {
      try (RecvRequestList receive = new RecvRequestList(1, 1)) {
        qp.postRecvOrThrow(receive.add().wrId(1));
      }
      qp.modify(new QpAttr().qpState(QpState.ERR));
    }
  }
}
