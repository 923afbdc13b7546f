package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.roce4j.device.WaitingThreads.Waiting;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

class WaitingThreadsTest {
  private final List<Waiting> seen = new ArrayList<>();

  /** Looks who waits, in the midst of a wait. */
  private final class Looking extends Progress.Idle {
    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
      seen.addAll(ofThisThread());
      return false;
    }
  }

  private static List<Waiting> ofThisThread() {
    return WaitingThreads.now().stream()
        .filter(waiting -> waiting.thread() == Thread.currentThread())
        .toList();
  }

  @Test
  void aThreadIsNamedWithVerbAndObjectForAsLongAsItWaits() {
    Device device = LoneEngine.device(Gid.parse("10.0.0.1"), Mtu.MTU_1024, DeviceLimits.DEFAULT);
    device.attach(null, new Looking());
    CompletionChannel channel = EmulatedContext.open(device, () -> {}).createCompletionChannel();
    assertNull(channel.getCqEvent(100));
    assertEquals(1, seen.size());
    assertEquals(Thread.currentThread(), seen.getFirst().thread());
    assertEquals("getCqEvent", seen.getFirst().verb());
    assertEquals(channel, seen.getFirst().object());
    assertEquals(List.of(), ofThisThread());
  }
}
