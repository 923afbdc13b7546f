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
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

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
