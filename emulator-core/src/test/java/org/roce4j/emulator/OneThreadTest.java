package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;

/** A virtual network that only one thread uses. */
class OneThreadTest {
  private final FabricDevices network = new FabricDevices(FabricOptions.of(1)).forOneThread();
  private final EmulatedDevice device = network.device("roce0", Gid.ofIpv4(0x0A000001));

  @Test
  void aWaitEndsAtItsTimeWithoutARealWaitForOthers() {
    try (network;
        Context context = device.open();
        CompletionChannel channel = context.createCompletionChannel()) {
      long begin = System.nanoTime();
      for (int i = 0; i < 100; i++) {
        assertNull(channel.getCqEvent(TimeUnit.HOURS.toNanos(1)));
      }
      assertEquals(TimeUnit.HOURS.toNanos(100), network.fabric().nowNs());
      assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(20));
    }
  }

  @Test
  void aWaitThatNothingCanEndIsToldAtOnce() {
    try (network;
        Context context = device.open();
        CompletionChannel channel = context.createCompletionChannel()) {
      long begin = System.nanoTime();
      for (int i = 0; i < 20; i++) {
        VerbsException endless = assertThrows(VerbsException.class, channel::getCqEvent);
        assertEquals(Errno.ETIMEDOUT, endless.errno());
      }
      assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(20), "each took a grace");
    }
  }

  /** The thread may wait for their answers. */
  @Test
  void aWaitSendsTheRequestsThatWereHeldForLaterOnes() {
    EmulatedDevice peer = network.device("roce1", Gid.ofIpv4(0x0A000002));
    try (network;
        Context context = device.open();
        Context peers = peer.open();
        CompletionChannel channel = context.createCompletionChannel();
        SendRequestList send = new SendRequestList(1, 1, 0)) {
      QueuePair to = queuePair(peers);
      QueuePair qp = queuePair(context);
      QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(peers.queryGid(1, 0), 0), to.qpNum()));
      send.add().opcode(WrOpcode.SEND);
      int sent;
      do {
        sent = network.fabric().underWay().datagrams().size();
        assertNull(channel.getCqEvent(0)); // the turns that are due
        qp.postSendOrThrow(send);
      } while (network.fabric().underWay().datagrams().size() > sent);
      assertNull(channel.getCqEvent(0));
      assertEquals(0, network.fabric().nowNs());
      assertEquals(sent + 1, network.fabric().underWay().datagrams().size());
    }
  }

  private static QueuePair queuePair(Context context) {
    return context
        .allocPd()
        .createQp(
            new QpInitAttr().cq(context.createCq(256)).cap(new QpCapabilities(256, 1, 1, 1, 0)));
  }

  @Test
  void anotherThreadIsRefusedAndKeepsNothing() {
    try (network;
        Context context = device.open()) {
      CompletionException thrown =
          assertThrows(
              CompletionException.class,
              () -> CompletableFuture.runAsync(() -> context.allocPd().close()).join());
      VerbsException refused = (VerbsException) thrown.getCause();
      assertEquals(Errno.EPERM, refused.errno());
      assertTrue(refused.getMessage().contains("alone"), refused.getMessage());
      context.allocPd().close();
    }
  }
}
