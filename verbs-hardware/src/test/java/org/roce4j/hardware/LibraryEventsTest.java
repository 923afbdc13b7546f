package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvAsyncEvent;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;

/**
 * Each event goes to its object, and C gets as many acknowledgements as it has delivered events.
 */
@EnabledOnOs(OS.LINUX)
class LibraryEventsTest extends LibraryFixture {
  private static final long UNKNOWN_OBJECT = 0x1234_5678;

  /** Otherwise the destruction of the object waits in C for the acknowledgement. */
  @Test
  void anEventOfWhatNobodyKnowsIsAcknowledgedAtOnce() {
    ProtectionDomain pd = context.allocPd();
    CompletionQueue cq = context.createCq(1, null, null, 0);
    QueuePair known = queuePair(pd, cq);
    List<Long> elements = new ArrayList<Long>(List.of(UNKNOWN_OBJECT, address(known)));
    c.does(
        "ibv_get_async_event",
        a -> {
          if (elements.isEmpty()) {
            return Errno.EAGAIN.number();
          }
          LibraryInJava.event(a[1], elements.removeFirst(), EventType.QP_FATAL.value());
          return 0;
        });
    assertSame(known, context.pollAsyncEvent().qp());
    assertNull(context.pollAsyncEvent());
    assertEquals(1, Collections.frequency(c.calls, "ibv_ack_async_event"));
  }

  @Test
  void aCompletionEventOfWhatNobodyKnowsIsAcknowledgedAtOnce() {
    CompletionChannel channel = context.createCompletionChannel();
    CompletionQueue known = context.createCq(1, null, channel, 0);
    List<Long> queues = new ArrayList<>(List.of(UNKNOWN_OBJECT, address(known)));
    List<Long> acknowledged = new ArrayList<>();
    c.does(
        "ibv_get_cq_event",
        a -> {
          if (queues.isEmpty()) {
            return Errno.EAGAIN.number();
          }
          LibraryInJava.at(a[1], Long.BYTES).set(JAVA_LONG, 0, queues.removeFirst());
          return 0;
        });
    c.does(
        "ibv_ack_cq_events",
        a -> {
          acknowledged.add(a[0]);
          return 0;
        });
    assertSame(known, channel.getCqEvent(0));
    assertNull(channel.getCqEvent(0));
    assertEquals(List.of(UNKNOWN_OBJECT), acknowledged);
  }

  /**
   * C counts events: each delivered event is acknowledged by the program or when the context
   * closes.
   */
  @Test
  void whatWasDeliveredIsAcknowledgedOnce() {
    CompletionChannel channel = context.createCompletionChannel();
    CompletionQueue cq = context.createCq(1, null, channel, 0);
    QueuePair qp = queuePair(context.allocPd(), cq);
    c.does(
        "ibv_get_cq_event",
        a -> {
          LibraryInJava.at(a[1], Long.BYTES).set(JAVA_LONG, 0, address(cq));
          return 0;
        });
    c.does(
        "ibv_get_async_event",
        a -> {
          LibraryInJava.event(a[1], address(qp), EventType.QP_FATAL.value());
          return 0;
        });
    List<List<Long>> completions = asked("ibv_ack_cq_events", 2);
    List<Long> elements = new ArrayList<>();
    c.does(
        "ibv_ack_async_event",
        a -> {
          elements.add(LibraryInJava.at(a[0], IbvAsyncEvent.SIZE).get(JAVA_LONG, 0));
          return 0;
        });
    for (int i = 0; i < 3; i++) {
      assertSame(cq, channel.getCqEvent(0));
    }
    cq.ackEvents(1);
    AsyncEvent first = context.pollAsyncEvent();
    first.ack();
    first.ack();
    assertSame(qp, context.pollAsyncEvent().qp());
    context.close();
    assertEquals(List.of(List.of(address(cq), 1L), List.of(address(cq), 2L)), completions);
    assertEquals(List.of(address(qp), address(qp)), elements);
  }

  @Test
  void anEventOfAPortNamesIt() {
    c.does(
        "ibv_get_async_event",
        a -> {
          LibraryInJava.event(a[1], 2, EventType.PORT_ERR.value());
          return 0;
        });
    assertEquals(2, context.pollAsyncEvent().portNum());
  }

  @Test
  void aSignalInPlaceOfAnEventIsNoEvent() {
    CompletionChannel channel = context.createCompletionChannel();
    for (String function : List.of("ibv_get_cq_event", "ibv_get_async_event")) {
      c.does(function, a -> Errno.EINTR.number());
    }
    assertNull(channel.getCqEvent(0));
    assertNull(context.pollAsyncEvent());
  }

  @Test
  void anObjectIsDestroyedWhenItsEventIsAcknowledged() throws InterruptedException {
    CompletionChannel channel = context.createCompletionChannel();
    CompletionQueue cq = context.createCq(1, null, channel, 0);
    QueuePair qp = queuePair(context.allocPd(), cq);
    c.does(
        "ibv_get_async_event",
        a -> {
          LibraryInJava.event(a[1], address(qp), EventType.QP_FATAL.value());
          return 0;
        });
    c.does(
        "ibv_get_cq_event",
        a -> {
          LibraryInJava.at(a[1], Long.BYTES).set(JAVA_LONG, 0, address(cq));
          return 0;
        });
    AsyncEvent event = context.pollAsyncEvent();
    assertSame(cq, channel.getCqEvent(0));
    waitsFor(event::ack, qp::close, "ibv_destroy_qp");
    waitsFor(() -> cq.ackEvents(1), cq::close, "ibv_destroy_cq");
  }

  /** An interrupted thread gets EINTR, keeps its interrupt flag, and can wait again. */
  @Test
  void anInterruptionEndsEachWait() {
    CompletionChannel channel = context.createCompletionChannel();
    CompletionQueue cq = context.createCq(1, null, channel, 0);
    QueuePair qp = queuePair(context.allocPd(), cq);
    c.does("ibv_get_async_event", a -> happened(a[1], address(qp)));
    c.does("ibv_get_cq_event", a -> written(a[1], address(cq)));
    AsyncEvent event = context.pollAsyncEvent();
    channel.getCqEvent(0);
    for (String function : List.of("ibv_get_async_event", "ibv_get_cq_event")) {
      c.does(function, _ -> Errno.EAGAIN.number());
    }
    List<Runnable> waits =
        List.of(channel::getCqEvent, context::getAsyncEvent, qp::close, cq::close);
    for (Runnable wait : waits) {
      Thread.currentThread().interrupt();
      VerbsException e = assertThrows(VerbsException.class, wait::run);
      assertTrue(Thread.interrupted(), "the thread is interrupted no more");
      assertEquals(Errno.EINTR, e.errno());
    }
    event.ack();
    qp.close();
    cq.ackEvents(1);
    cq.close();
    assertTrue(c.calls.containsAll(List.of("ibv_destroy_qp", "ibv_destroy_cq")));
  }

  private static long written(long pointer, long value) {
    LibraryInJava.at(pointer, Long.BYTES).set(JAVA_LONG, 0, value);
    return 0;
  }

  private static long happened(long event, long element) {
    LibraryInJava.event(event, element, EventType.QP_FATAL.value());
    return 0;
  }

  private void waitsFor(Runnable acknowledgement, Runnable close, String destroyer)
      throws InterruptedException {
    Thread closing = Thread.ofPlatform().daemon().start(close);
    while (closing.isAlive() && closing.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertFalse(c.calls.contains(destroyer), "it did not wait");
    acknowledgement.run();
    closing.join(20_000);
    assertTrue(c.calls.contains(destroyer));
  }

  /** C gives freed memory to the next object, which another thread makes here. */
  @Test
  void anEventIsOfTheObjectThatHasTheAddressNow() {
    CompletionChannel channel = context.createCompletionChannel();
    CompletionQueue former = context.createCq(1, null, channel, 0);
    long address = address(former);
    List<CompletionQueue> next = new ArrayList<>();
    c.does("ibv_create_cq", a -> address);
    c.does(
        "ibv_destroy_cq",
        a -> {
          next.add(context.createCq(1, null, channel, 0));
          return 0;
        });
    c.does(
        "ibv_get_cq_event",
        a -> {
          if (c.calls.contains("ibv_ack_cq_events")) {
            return Errno.EAGAIN.number();
          }
          LibraryInJava.at(a[1], Long.BYTES).set(JAVA_LONG, 0, address);
          return 0;
        });
    former.close();
    CompletionQueue now = next.getFirst();
    assertSame(now, channel.getCqEvent(0));
    now.ackEvents(1);
    c.does("ibv_destroy_cq", a -> 0);
    c.calls.clear();
    now.close();
    assertNull(channel.getCqEvent(0), "it is gone");
    assertEquals(1, Collections.frequency(c.calls, "ibv_ack_cq_events"));
  }

  /** The hook was called, and the event is not taken yet. */
  @Test
  void theThreadThatWatchesEndsWithWhatItWatches() throws Throwable {
    CompletionChannel channel = context.createCompletionChannel();
    int unused =
        (int) link("eventfd_write", JAVA_INT, JAVA_LONG).invokeExact(descriptor, 1L); // readable
    Thread ofChannel = hooked(channel::onEvent);
    Thread ofContext = hooked(context::onAsyncEvent);
    channel.close();
    ofChannel.join(20_000);
    assertFalse(ofChannel.isAlive());
    context.close();
    ofContext.join(20_000);
    assertFalse(ofContext.isAlive());
  }

  /** The thread that calls a hook. */
  private static Thread hooked(Consumer<Runnable> object) throws Exception {
    CompletableFuture<Thread> called = new CompletableFuture<>();
    object.accept(() -> called.complete(Thread.currentThread()));
    return called.get(20, TimeUnit.SECONDS);
  }

  @Test
  void whatWasDestroyedOrAcknowledgedIsForgotten() {
    c.does(
        "ibv_get_async_event",
        a -> {
          LibraryInJava.event(a[1], 1, EventType.PORT_ERR.value());
          return 0;
        });
    WeakReference<ProtectionDomain> destroyed = new WeakReference<>(context.allocPd());
    destroyed.get().close();
    WeakReference<AsyncEvent> acknowledged = new WeakReference<>(context.pollAsyncEvent());
    acknowledged.get().ack();
    for (int i = 0; i < 100 && (destroyed.get() != null || acknowledged.get() != null); i++) {
      System.gc();
    }
    assertNull(destroyed.get());
    assertNull(acknowledged.get());
  }
}
