package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

class CompletionChannelDeadlineTest {
  private final List<Long> waits = new ArrayList<>();

  /** Every wait ends after 40 ns because of an event, which another thread takes. */
  private final class Rivals extends Progress.Idle {
    private long nowNs = 1_000_000;

    @Override
    public long nowNs() {
      return nowNs;
    }

    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
      waits.add(timeoutNs);
      nowNs += 40;
      return timeoutNs > 0;
    }
  }

  @Test
  void isKeptWhenOthersTakeTheEvents() {
    Device device = LoneEngine.device(Gid.parse("10.0.0.1"), Mtu.MTU_1024, DeviceLimits.DEFAULT);
    device.attach(null, new Rivals());
    CompletionChannel channel = EmulatedContext.open(device, () -> {}).createCompletionChannel();
    assertNull(channel.getCqEvent(100));
    assertEquals(List.of(100L, 60L, 20L, -20L), waits);
  }
}
