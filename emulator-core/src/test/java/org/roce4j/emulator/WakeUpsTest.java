package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * A thread that waits on a virtual network sleeps until another thread acts. A sleeper that nobody
 * wakes looks after two seconds, or never.
 */
@Timeout(60)
class WakeUpsTest {
  private static final int ROUNDS = 10;

  /** Long enough for a sleeper to find that nothing is left to happen. */
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);

  @AutoClose private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final WorkCompletions completions = new WorkCompletions(4);
  private final End sender = new End("roce0", "10.0.0.1");
  private final End first = new End("roce1", "10.0.0.2");
  private final End second = new End("roce2", "10.0.0.3");

  /** A device whose queue pair receives messages without bytes. */
  private final class End {
    final Context context;
    final CompletionChannel channel;
    final CompletionQueue cq;

    End(String name, String address) {
      context = network.device(name, Gid.parse(address)).open();
      channel = context.createCompletionChannel();
      cq = context.createCq(8, null, channel, 0);
    }

    QueuePair queuePair() {
      return context
          .allocPd()
          .createQp(new QpInitAttr().cq(cq).sqSigAll(false).cap(new QpCapabilities(8, 8, 1, 1, 0)));
    }

    CompletableFuture<Void> getsAnEvent() {
      cq.requestNotification(false);
      return CompletableFuture.runAsync(
          () -> assertSame(cq, channel.getCqEvent()), task -> Thread.ofPlatform().start(task));
    }

    void takesTheCompletion() {
      cq.ackEvents(1);
      assertEquals(1, cq.poll(completions));
    }
  }

  private QueuePair connection(End to) {
    QueuePair from = sender.queuePair();
    QueuePair at = to.queuePair();
    QpBringUp.toRts(
        from, QpBringUp.attributes(AhAttr.roce(to.context.queryGid(1, 0), 0), at.qpNum()));
    QpBringUp.toRts(
        at, QpBringUp.attributes(AhAttr.roce(sender.context.queryGid(1, 0), 0), from.qpNum()));
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      list.add().wrId(1);
      for (int i = 0; i < 8; i++) {
        at.postRecvOrThrow(list);
      }
    }
    return from;
  }

  private static void send(QueuePair from) {
    try (SendRequestList list = new SendRequestList(1, 1, 0)) {
      list.add().opcode(WrOpcode.SEND);
      from.postSendOrThrow(list);
    }
  }

  /** A thread that nobody wakes would be joined for ever. */
  private static void comes(CompletableFuture<Void> event) throws Exception {
    event.get(20, TimeUnit.SECONDS);
  }

  @Test
  void whoWaitsWhileNothingIsLeftIsWokenByASend() throws Exception {
    QueuePair[] connections = new QueuePair[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      connections[i] = connection(first);
    }
    long beganNs = System.nanoTime();
    for (QueuePair connection : connections) {
      CompletableFuture<Void> event = first.getsAnEvent();
      LockSupport.parkNanos(PAUSE_NS);
      send(connection);
      comes(event);
      first.takesTheCompletion();
    }
    assertTrue(System.nanoTime() - beganNs < TimeUnit.SECONDS.toNanos(ROUNDS));
  }

  /** One of those who wait looks at the network for all; another one must follow it. */
  @Test
  void whoWaitsWithOthersIsWokenForItsOwnEvent() throws Exception {
    QueuePair toFirst = connection(first);
    QueuePair toSecond = connection(second);
    CompletableFuture<Void> eventOfFirst = first.getsAnEvent();
    LockSupport.parkNanos(PAUSE_NS);
    CompletableFuture<Void> eventOfSecond = second.getsAnEvent();
    LockSupport.parkNanos(PAUSE_NS);
    send(toSecond);
    comes(eventOfSecond);
    second.takesTheCompletion();

    eventOfSecond = second.getsAnEvent();
    LockSupport.parkNanos(PAUSE_NS);
    send(toFirst);
    comes(eventOfFirst);
    first.takesTheCompletion();
    LockSupport.parkNanos(PAUSE_NS);
    send(toSecond);
    comes(eventOfSecond);
    second.takesTheCompletion();
  }
}
