package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/** Several threads on one listener, one set of attributes, one connection manager. */
@Timeout(300)
class CmThreadsTest extends CmRig {
  private static final int THREADS = 4;

  /** Longer than a busy machine needs; on a quiet one no step takes a second. */
  private static final int PATIENCE_S = 100;

  private static <T> List<T> onThreads(Callable<T> task) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<T>> all =
          IntStream.range(0, THREADS).mapToObj(_ -> threads.submit(task)).toList();
      List<T> results = new ArrayList<>();
      for (Future<T> each : all) {
        results.add(each.get(PATIENCE_S, TimeUnit.SECONDS));
      }
      return results;
    }
  }

  @Test
  void eachRequestOfAListenerIsTakenOnceAndHasQueuesOfItsOwn() throws Exception {
    int ofEach = 32;
    AddrInfo here = AddrInfo.resolve("10.0.0.2", "7471", new AddrInfo().flags(AddrInfo.PASSIVE));
    CmId listener = serverCm.createEp(here, null, attr());
    listener.listen(THREADS * ofEach);
    for (int i = 0; i < THREADS * ofEach; i++) {
      resolved("10.0.0.2").connect(new ConnParam());
    }
    Set<CmId> taken = new HashSet<>();
    for (List<CmId> some : onThreads(() -> requests(listener, ofEach))) {
      taken.addAll(some);
    }
    assertEquals(THREADS * ofEach, taken.size());
    for (CmId each : taken) {
      assertSame(each.sendCq(), each.qp().sendCq());
      assertSame(each.recvCq(), each.qp().recvCq());
    }
  }

  private static List<CmId> requests(CmId listener, int many) {
    return IntStream.range(0, many).mapToObj(_ -> listener.getRequest()).toList();
  }

  @Test
  void threadsMakeQueuePairsOfTheSameAttributes() throws Exception {
    QpInitAttr same = attr();
    for (List<CmId> some : onThreads(() -> queuePairs(same))) {
      some.forEach(each -> assertSame(each.sendCq(), each.qp().sendCq()));
    }
  }

  private List<CmId> queuePairs(QpInitAttr same) {
    List<CmId> made = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      CmId id = clientCm.createId(PortSpace.TCP);
      id.bindAddr(at("10.0.0.1", 0));
      id.createQp(null, same);
      made.add(id);
    }
    return made;
  }

  @Test
  void aManagerClosesWhileQueuePairsAreMade() throws Exception {
    for (int i = 0; i < 200; i++) {
      RdmaCm cm = RdmaCm.open(clientDevice);
      CmId id = cm.createId(PortSpace.TCP);
      id.bindAddr(at("10.0.0.1", 0));
      Thread maker = Thread.ofPlatform().start(() -> makes(id));
      Thread closer = Thread.ofPlatform().start(cm::close);
      for (Thread each : List.of(maker, closer)) {
        each.join(TimeUnit.SECONDS.toMillis(PATIENCE_S));
        assertEquals(Thread.State.TERMINATED, each.getState());
      }
    }
  }

  /** The library's own protection domain is closed after all queues in it. */
  @Test
  void aManagerClosesWhileItsIdsAreClosed() throws Exception {
    for (int i = 0; i < 200; i++) {
      RdmaCm cm = RdmaCm.open(clientDevice);
      CmId id = cm.createId(PortSpace.TCP);
      id.bindAddr(at("10.0.0.1", 0));
      id.createQp(null, attr());
      Thread closer = Thread.ofPlatform().start(id::close);
      Thread.yield();
      cm.close();
      closer.join(TimeUnit.SECONDS.toMillis(20));
      assertEquals(Thread.State.TERMINATED, closer.getState());
    }
  }

  /** Every call ends, at any step of the connecting threads. */
  @Test
  void managersCloseWhileThreadsConnect() throws Exception {
    for (int i = 0; i < 4; i++) {
      RdmaCm asking = RdmaCm.open(clientDevice);
      RdmaCm asked = RdmaCm.open(serverDevice);
      AddrInfo here = new AddrInfo().flags(AddrInfo.PASSIVE).srcAddr(at("10.0.0.2", PORT + i));
      CmId listener = asked.createEp(here, null, attr());
      listener.listen(16);
      AddrInfo there = new AddrInfo().dstAddr(at("10.0.0.2", PORT + i));
      List<Thread> threads = new ArrayList<>();
      for (int k = 0; k < THREADS; k++) {
        threads.add(Thread.ofPlatform().start(() -> untilRefused(() -> served(listener))));
        threads.add(Thread.ofPlatform().start(() -> untilRefused(() -> called(asking, there))));
      }
      TimeUnit.MILLISECONDS.sleep(20L * i);
      (i % 2 == 0 ? asking : asked).close();
      (i % 2 == 0 ? asked : asking).close();
      for (Thread each : threads) {
        each.join(TimeUnit.SECONDS.toMillis(PATIENCE_S));
        assertEquals(Thread.State.TERMINATED, each.getState());
      }
    }
  }

  /** An event wakes all threads; those that come too late for it wait for the next one. */
  @Test
  void aWaitWithoutLimitEndsWithAnEvent() throws Exception {
    int ofEach = 100;
    AtomicInteger nothing = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(Thread.ofPlatform().start(() -> untilRefused(() -> takes(client, nothing))));
    }
    onThreads(
        () -> {
          for (int i = 0; i < ofEach; i++) {
            client.createId(PortSpace.TCP).resolveAddr(null, at("10.0.0.2", PORT), 2000);
          }
          return null;
        });
    clientCm.close();
    for (Thread each : threads) {
      each.join(TimeUnit.SECONDS.toMillis(PATIENCE_S));
      assertEquals(Thread.State.TERMINATED, each.getState());
    }
    assertEquals(0, nothing.get(), "waits that ended without an event");
  }

  /** Requests of two devices, whose listener moves all the time, are each taken once. */
  @Test
  void noRequestIsLostWhileItsListenerMoves() throws Exception {
    int requests = 100;
    Context third = open("c", "10.0.0.3");
    AtomicInteger taken = new AtomicInteger();
    try (RdmaCm both = RdmaCm.open(serverDevice, third)) {
      List<EventChannel> channels = List.of(both.createEventChannel(), both.createEventChannel());
      CmId listener = channels.getFirst().createId(PortSpace.TCP);
      listener.bindAddr(at("0.0.0.0", PORT));
      listener.listen(requests);
      List<Thread> threads = new ArrayList<>();
      for (EventChannel each : channels) {
        threads.add(Thread.ofPlatform().start(() -> takes(each, taken, requests)));
      }
      EventChannel idle = both.createEventChannel();
      threads.add(
          Thread.ofPlatform().start(() -> moves(listener, channels, idle, taken, requests)));
      for (int i = 0; i < requests; i++) {
        routed(i % 2 == 0 ? "10.0.0.2" : "10.0.0.3").connect(new ConnParam().qpNum(0x100 + i));
      }
      for (Thread each : threads) {
        each.join(TimeUnit.SECONDS.toMillis(PATIENCE_S));
        assertEquals(Thread.State.TERMINATED, each.getState(), () -> taken + " taken");
      }
      for (EventChannel each : channels) {
        assertNull(each.getCmEvent(0));
      }
    }
    third.close();
    assertEquals(requests, taken.get());
  }

  private static void takes(EventChannel channel, AtomicInteger taken, int all) {
    while (taken.get() < all) {
      CmEvent event = channel.getCmEvent(TimeUnit.MILLISECONDS.toNanos(1));
      if (event != null) {
        event.ack();
        taken.incrementAndGet();
      }
    }
  }

  /** A thread that never waits would hold the time. */
  private static void moves(
      CmId listener, List<EventChannel> channels, EventChannel idle, AtomicInteger taken, int all) {
    for (int i = 1; taken.get() < all; i++) {
      listener.migrate(channels.get(i % channels.size()));
      idle.getCmEvent(TimeUnit.MICROSECONDS.toNanos(1));
    }
  }

  private static void takes(EventChannel channel, AtomicInteger nothing) {
    CmEvent event = channel.getCmEvent();
    if (event == null) {
      nothing.incrementAndGet();
    } else {
      event.ack();
    }
  }

  private static void untilRefused(Runnable task) {
    try {
      while (true) {
        task.run();
      }
    } catch (VerbsException e) {
      // The connection manager, or the peer's, is closed.
    }
  }

  private static void served(CmId listener) {
    try (CmId request = listener.getRequest()) {
      request.accept(new ConnParam());
      request.disconnect();
    }
  }

  private static void called(RdmaCm cm, AddrInfo there) {
    try (CmId id = cm.createEp(there, null, attr())) {
      id.connect(new ConnParam());
      id.disconnect();
    }
  }

  private static void makes(CmId id) {
    try {
      id.createQp(null, attr());
    } catch (VerbsException e) {
      // The id was closed before.
    }
  }
}
