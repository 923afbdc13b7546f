package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Many threads on one device, each with its own queues, and all on one channel. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyThreadsTest {
  private static final int THREADS = 64;
  private static final int MESSAGES = 10;
  private static final int BYTES = 3000;
  private static final int MESSAGES_OF_A_CONNECTION = 150;
  private static final long PATIENCE_NS = 30_000_000_000L;

  /** Two connected queue pairs that one thread drives. */
  private static final class Line {
    final RcSide a;
    final RcSide b;

    Line(RdmaDevice left, RdmaDevice right, int number) {
      a = side(left, number);
      b = side(right, number);
      RcSide.connect(a, b, 17, 7);
    }

    private static RcSide side(RdmaDevice device, int number) {
      Context context = device.open();
      return new RcSide(context, 2 * BYTES, number % context.queryDevice().numCompVectors());
    }

    /**
     * Exchanges messages, one at a time, and compares each with the received bytes; returns their
     * number.
     */
    int exchange(int seed) {
      int verified = 0;
      for (int n = 0; n < MESSAGES; n++) {
        a.memory().fill((byte) (seed + n));
        b.receive(100 + n, BYTES, BYTES);
        a.send(n, 0, BYTES);
        assertEquals(List.of(new RcSide.Completion(100 + n, WcStatus.SUCCESS, BYTES)), one(b));
        assertEquals(n, one(a).getFirst().wrId());
        byte last = b.memory().get(ValueLayout.JAVA_BYTE, 2 * BYTES - 1);
        assertEquals((byte) (seed + n), last);
        assertEquals(-1, b.memory().asSlice(BYTES).mismatch(a.memory().asSlice(0, BYTES)));
        verified++;
      }
      return verified;
    }

    private static List<RcSide.Completion> one(RcSide side) {
      long end = System.nanoTime() + PATIENCE_NS;
      List<RcSide.Completion> polled = side.poll();
      while (polled.isEmpty() && System.nanoTime() - end < 0) {
        Thread.yield();
        polled = side.poll();
      }
      return polled;
    }

    void close() {
      a.close();
      b.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "linux-4", "fabric", "fabric-4"})
  void eachWithItsOwnQueuePairs(String transport) throws Exception {
    try (AnyNetwork network = new AnyNetwork(transport);
        ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
      RdmaDevice left = network.device();
      RdmaDevice right = network.device();
      List<Line> lines = new ArrayList<>();
      CyclicBarrier together = new CyclicBarrier(THREADS);
      List<Future<Integer>> results = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Line line = new Line(left, right, i);
        lines.add(line);
        int seed = i * 3;
        results.add(
            pool.submit(
                () -> {
                  together.await();
                  return line.exchange(seed);
                }));
      }
      for (Future<Integer> result : results) {
        assertEquals(MESSAGES, result.get(120, TimeUnit.SECONDS));
      }
      lines.forEach(Line::close);
    }
  }

  /** One of several receiving queue pairs on a channel that several threads wait on. */
  private static final class Receiver {
    final CompletionQueue cq;
    final QueuePair qp;
    final WorkCompletions completions = new WorkCompletions(1);
    private final WorkCompletions sent = new WorkCompletions(16);
    private final RecvRequestList receive = new RecvRequestList(1, 1).add();
    private final SendRequestList message =
        new SendRequestList(1, 1, 0).add().opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
    private int taken;

    Receiver(Context context, CompletionChannel channel, int number) {
      int vectors = context.queryDevice().numCompVectors();
      cq = context.createCq(16, this, channel, number % vectors);
      qp =
          context
              .allocPd()
              .createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(4, 4, 1, 1, 0)));
    }

    /** Requests the next message; the caller holds this object's lock. */
    void next(QueuePair sender) {
      while (sender.sendCq().poll(sent) > 0) {
        assertEquals(WcStatus.SUCCESS, sent.status(0));
      }
      assertEquals(0, qp.postRecv(receive));
      assertEquals(0, sender.postSend(message));
    }
  }

  /**
   * The next message of a connection is sent only when a thread has taken the last one after its
   * event: a lost wake-up stops everything.
   */
  @ParameterizedTest
  @ValueSource(strings = {"linux", "linux-4", "netty"})
  void noWakeUpIsLostOnASharedChannel(String transport) throws Exception {
    int connections = 4;
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide to = new RcSide(network.device(), 4096);
        RcSide from = new RcSide(network.device(), 4096)) {
      Map<CompletionQueue, QueuePair> senders = new ConcurrentHashMap<>();
      for (int i = 0; i < connections; i++) {
        Receiver receiver = new Receiver(to.context, to.channel, i);
        QueuePair sender = from.queuePair();
        RcSide.connect(receiver.qp, from.gid, sender.qpNum(), 17, 7);
        RcSide.connect(sender, to.gid, receiver.qp.qpNum(), 17, 7);
        senders.put(receiver.cq, sender);
        receiver.cq.requestNotification(false);
      }
      AtomicInteger left = new AtomicInteger(connections * MESSAGES_OF_A_CONNECTION);
      try (ExecutorService pool = Executors.newFixedThreadPool(3)) {
        List<Future<?>> waiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          waiters.add(pool.submit(() -> serve(to, senders, left)));
        }
        senders.forEach(
            (cq, sender) -> {
              synchronized (cq.userContext()) {
                ((Receiver) cq.userContext()).next(sender);
              }
            });
        for (Future<?> waiter : waiters) {
          waiter.get(120, TimeUnit.SECONDS);
        }
      }
      assertEquals(0, left.get());
    }
  }

  private static void serve(
      RcSide to, Map<CompletionQueue, QueuePair> senders, AtomicInteger left) {
    while (left.get() > 0) {
      CompletionQueue cq;
      try {
        cq = to.channel.getCqEvent(PATIENCE_NS);
      } catch (VerbsException closed) {
        assertEquals(0, left.get(), closed::toString);
        return;
      }
      assertNotNull(cq, () -> "no event came, " + left + " messages are missing");
      Receiver receiver = (Receiver) cq.userContext();
      synchronized (receiver) {
        cq.ackEvents(1);
        if (!armed(cq, left)) {
          return;
        }
        for (int taken = cq.poll(receiver.completions); taken > 0; ) {
          assertEquals(WcStatus.SUCCESS, receiver.completions.status(0));
          if (left.decrementAndGet() == 0) {
            to.context.close(); // ends the waits of the others
            return;
          }
          if (++receiver.taken < MESSAGES_OF_A_CONNECTION) {
            receiver.next(senders.get(cq));
          }
          taken = cq.poll(receiver.completions);
        }
      }
    }
  }

  /** False if the last message was taken, and the queue was destroyed with its context. */
  private static boolean armed(CompletionQueue cq, AtomicInteger left) {
    try {
      cq.requestNotification(false);
      return true;
    } catch (VerbsException destroyed) {
      assertEquals(0, left.get(), destroyed::toString);
      return false;
    }
  }
}
