package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.Progress;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;

/**
 * Waiting threads are woken by the awaited event, not by a look-in shortly afterwards: here
 * look-ins come after minutes, and a lost wake-up fails the test.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LivenessTest {
  private static final int WAITING = 4;
  private static final int ROUNDS = 200;

  private static final Gid NOWHERE = Gid.ofIpv4(0x7f7f_0001);

  /** An ACK timeout. */
  private static final int MILLISECOND = 8;

  /** A thread that waits for one event after another. */
  private static final class Waiter {
    final Semaphore events = new Semaphore(0);

    Waiter(CompletionChannel channel) {
      Thread.ofPlatform().daemon().start(() -> takeAll(channel));
    }

    private void takeAll(CompletionChannel channel) {
      try {
        while (true) {
          CompletionQueue cq = channel.getCqEvent();
          cq.requestNotification(false);
          cq.ackEvents(1);
          events.release();
        }
      } catch (VerbsException closed) {
        // The test has ended.
      }
    }

    void awaitEvent(int round) throws InterruptedException {
      assertTrue(
          events.tryAcquire(20, TimeUnit.SECONDS), "nobody woke the thread in round " + round);
    }
  }

  @ParameterizedTest
  @CsvSource({"linux,1", "netty,1", "linux,4"})
  void everyThreadThatWaitsIsWokenByItsOwnMessage(String transport, int engines)
      throws InterruptedException {
    try (UnattendedDevice left = new UnattendedDevice(transport, 1);
        UnattendedDevice right = new UnattendedDevice(transport, engines)) {
      List<RcSide> senders = new ArrayList<>();
      List<RcSide> receivers = new ArrayList<>();
      List<Waiter> waiters = new ArrayList<>();
      for (int i = 0; i < WAITING; i++) {
        RcSide from = new RcSide(left.open(), 4096);
        RcSide to = new RcSide(right.open(), 4096, i % engines);
        RcSide.connect(from, to, 14, 7);
        to.cq.requestNotification(false);
        senders.add(from);
        receivers.add(to);
        waiters.add(new Waiter(to.channel));
      }
      Random random = new Random(1);
      for (int round = 0; round < ROUNDS; round++) {
        int i = random.nextInt(WAITING);
        assertEquals(0, receivers.get(i).receive(round, 0, 64));
        assertEquals(0, senders.get(i).send(round, 0, 64));
        waiters.get(i).awaitEvent(round);
        assertEquals(1, receivers.get(i).await(1).size());
        assertEquals(1, senders.get(i).await(1).size());
      }
      Stream.concat(senders.stream(), receivers.stream()).forEach(RcSide::close);
    }
  }

  /** All engines feed its channel, so it cannot block in the socket of one. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void aThreadThatWaitsForSeveralEnginesIsWokenByEach(int engines) throws InterruptedException {
    try (UnattendedDevice left = new UnattendedDevice("linux", 1);
        UnattendedDevice right = new UnattendedDevice("linux", engines);
        RcSide receiver = new RcSide(right.open(), 4096)) {
      List<RcSide> senders = new ArrayList<>();
      List<AnotherQueue> queues = new ArrayList<>();
      for (int i = 0; i < engines; i++) {
        RcSide from = new RcSide(left.open(), 4096);
        AnotherQueue queue = new AnotherQueue(receiver, i);
        RcSide.connect(from.qp, receiver.gid, queue.qp.qpNum(), 14, 7);
        RcSide.connect(queue.qp, from.gid, from.qp.qpNum(), 14, 7);
        queue.cq.requestNotification(false);
        senders.add(from);
        queues.add(queue);
      }
      Waiter waiter = new Waiter(receiver.channel);
      Random random = new Random(1);
      for (int round = 0; round < ROUNDS; round++) {
        int i = random.nextInt(engines);
        queues.get(i).receive();
        assertEquals(0, senders.get(i).send(round, 0, 64));
        waiter.awaitEvent(round);
        Poll.until(queues.get(i)::poll);
        assertEquals(1, senders.get(i).await(1).size());
      }
      senders.forEach(RcSide::close);
    }
  }

  /**
   * The leader leaves, alone or with threads whose events have come, too; then another thread
   * leads.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whenTheLeaderLeavesAnotherThreadLeads(int leaving) throws InterruptedException {
    try (UnattendedDevice device = new UnattendedDevice("linux", 1)) {
      Progress progress = device.driver.whole();
      Map<Thread, AtomicBoolean> over = new HashMap<>();
      for (int i = 0; i < WAITING; i++) {
        AtomicBoolean flag = new AtomicBoolean();
        Thread thread =
            Thread.ofPlatform().daemon().start(() -> progress.await(flag::get, Long.MAX_VALUE));
        over.put(thread, flag);
      }
      List<Thread> threads = leaderFirst(over.keySet());
      List<Thread> first = threads.subList(0, leaving);
      first.forEach(thread -> over.get(thread).set(true));
      device.ports.getFirst().wakeup();
      first.forEach(LockSupport::unpark); // as for an event of its own
      allEnd(first);
      over.values().forEach(flag -> flag.set(true));
      device.ports.getFirst().wakeup(); // as an arrival wakes the leader, and only the leader
      allEnd(threads);
    }
  }

  /** A thread that waits for all engines makes the background thread of each lead. */
  @Test
  void aThreadThatMayLeadRelievesTheBackgroundThread() throws InterruptedException {
    try (UnattendedDevice device = new UnattendedDevice("linux", 2)) {
      AtomicBoolean allOver = new AtomicBoolean();
      Thread ofAll = waits(device.driver.whole(), allOver);
      for (int round = 0; round < WAITING; round++) {
        Poll.until(() -> ofAll.getState() == Thread.State.TIMED_WAITING);
        Poll.until(() -> !asleep("roce4j-unattended"));
        AtomicBoolean over = new AtomicBoolean();
        Thread ofOne = waits(device.driver.each().getFirst(), over);
        Poll.until(() -> asleep("roce4j-unattended"));
        over.set(true);
        device.ports.getFirst().wakeup(); // as an arrival wakes the leader, and only the leader
        allEnd(List.of(ofOne));
      }
      allOver.set(true);
      LockSupport.unpark(ofAll);
      allEnd(List.of(ofAll));
    }
  }

  private static Thread waits(Progress progress, AtomicBoolean over) {
    return Thread.ofPlatform().daemon().start(() -> progress.await(over::get, Long.MAX_VALUE));
  }

  /** Whether the background thread with this name waits for its next periodic check. */
  private static boolean asleep(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(name))
        .allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING);
  }

  /** A thread that posts meanwhile leaves a mark, which causes another turn. */
  @Test
  void anEventIsToldAlsoWhenAnotherTurnFollows() throws InterruptedException {
    try (UnattendedDevice device = new UnattendedDevice("linux", 1);
        RcSide side = new RcSide(device.open(), 4096)) {
      RcSide.connect(side.qp, side.gid, side.qp.qpNum(), 14, 7);
      side.qp.modify(new QpAttr().qpState(QpState.ERR));
      side.cq.requestNotification(false);
      Waiter waiter = new Waiter(side.channel);
      for (int round = 0; round < 10; round++) {
        device.driver.whole().exclusively(() -> asAnother(() -> side.send(1, 0, 64)));
        waiter.awaitEvent(round);
        assertEquals(1, side.await(1).size());
      }
    }
  }

  private static Thread asAnother(Runnable what) {
    Thread other = Thread.ofPlatform().start(what);
    Poll.until(() -> !other.isAlive());
    return other;
  }

  /** The timer belongs to a request that was posted while another thread's turn was ending. */
  @Test
  void aTimerIsToldAlsoWhenAnotherTurnSetIt() throws Exception {
    try (UnattendedDevice device = new UnattendedDevice("linux", 1);
        RcSide lonely = new RcSide(device.open(), 4096);
        RdmaEnd busy = new RdmaEnd(device.open(), QpType.UD);
        AddressHandle nowhere = busy.pd().createAh(AhAttr.roce(NOWHERE, 0))) {
      QpBringUp.toRts(busy.qp(), QpBringUp.attributes());
      lonely.cq.requestNotification(false);
      Waiter waiter = new Waiter(lonely.channel);
      CyclicBarrier together = new CyclicBarrier(2);
      Thread other =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                      meet(together);
                      SendRequestList request = busy.request(round, WrOpcode.SEND, 0, 64);
                      assertEquals(0, busy.qp().postSend(request.ud(nowhere, 77, QpBringUp.QKEY)));
                      busy.poll();
                      meet(together);
                    }
                  });
      for (int round = 0; round < ROUNDS; round++) {
        lonely.qp.modify(new QpAttr().qpState(QpState.RESET));
        RcSide.connect(lonely.qp, NOWHERE, 77, MILLISECOND, 0);
        meet(together);
        assertEquals(0, lonely.send(round, 0, 64));
        meet(together);
        waiter.awaitEvent(round);
        assertEquals(1, lonely.await(1).size());
      }
      other.join();
    }
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new AssertionError(e);
    }
  }

  private static void allEnd(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(20_000);
      assertFalse(thread.isAlive(), "nobody leads, and a thread sleeps");
    }
  }

  /** Followers are parked; the leader is in a system call and looks as if it ran. */
  private static List<Thread> leaderFirst(Collection<Thread> threads) {
    List<Thread> followers = new ArrayList<>();
    Poll.until(
        () -> {
          followers.clear();
          threads.stream()
              .filter(thread -> thread.getState() == Thread.State.TIMED_WAITING)
              .forEach(followers::add);
          return followers.size() == WAITING - 1;
        });
    List<Thread> ordered = new ArrayList<>(threads);
    ordered.removeAll(followers);
    ordered.addAll(followers);
    return ordered;
  }
}
