package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.cm.EmulatedCmChannel;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

/** A wait with repeated false wake-ups lasts no longer than its limit. */
class WaitDeadlineTest {
  private final List<Long> waits = new ArrayList<>();

  /** Every wait ends after 40 ns with an event that another thread takes. */
  private final class Rivals extends Progress.Idle {
    private long nowNs = 1_000_000;

    @Override
    public long nowNs() {
      return nowNs;
    }

    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
      waits.add(timeoutNs);
      assertTrue(waits.size() < 10, waits::toString);
      nowNs += 40;
      return timeoutNs > 0;
    }
  }

  /** A wait for at most 100 ns. */
  enum Wait {
    COMPLETION_EVENT(context -> context.createCompletionChannel().getCqEvent(100)),
    ASYNC_EVENT(context -> context.getAsyncEvent(100)),
    EVENT_OF_IDS(context -> EmulatedCmChannel.open(List.of(context)).take(100));

    private final Function<Context, Object> verb;

    Wait(Function<Context, Object> verb) {
      this.verb = verb;
    }
  }

  @ParameterizedTest
  @EnumSource
  void isKeptWhenOthersTakeTheEvents(Wait wait) {
    Gid address = Gid.parse("10.0.0.1");
    Device device =
        new Device(
            Emulator.device(DeviceOptions.of("waits", address)),
            DeviceLimits.DEFAULT,
            new GidTable(List.of(address), 0),
            Mtu.MTU_1024,
            new SplittableRandom(1),
            EngineTrace.NONE);
    device.attach(null, new Rivals());
    assertNull(wait.verb.apply(EmulatedContext.open(device, () -> {})));
    assertEquals(List.of(100L, 60L, 20L), waits.subList(0, 3));
    assertTrue(waits.size() == 3 || waits.getLast() <= 0, waits::toString);
  }
}
