package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.emulator.cm.EmulatedCmChannel;
import org.roce4j.engine.Progress;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** The length of a wait for an event, and its end when the object is destroyed. */
class WaitDeadlineTest {
  private static final long FOR_EVER = Deadlines.NEVER;

  private final List<Long> waits = new ArrayList<>();

  /** Every wait ends after 40 ns with an event that another thread takes. */
  private class Rivals extends Progress.Idle {
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

  /** The first wait ends the test. */
  private final class Only extends Rivals {
    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
      waits.add(timeoutNs);
      throw new IllegalStateException("waits");
    }
  }

  /** While a thread waits, another one closes the context and with it all its objects. */
  private final class Closing extends Rivals {
    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
      assertFalse(condition.getAsBoolean(), "nothing has happened yet");
      context.close();
      assertTrue(condition.getAsBoolean(), "what it waits for is gone");
      return true;
    }
  }

  /** A wait for an event, with a limit in nanoseconds. */
  enum Wait {
    COMPLETION_EVENT(
        (context, limitNs) -> context.createCompletionChannel().getCqEvent(limitNs), Errno.EINVAL),
    ASYNC_EVENT(Context::getAsyncEvent, Errno.ENODEV),
    EVENT_OF_IDS(
        (context, limitNs) -> EmulatedCmChannel.open(List.of(context)).take(limitNs), Errno.ENODEV);

    private final BiFunction<Context, Long, Object> verb;
    private final Errno gone;

    Wait(BiFunction<Context, Long, Object> verb, Errno gone) {
      this.verb = verb;
      this.gone = gone;
    }
  }

  private Context context;

  private void open(int engines, Progress drive) {
    Device device = LoneEngine.ofEngines(engines, Gid.parse("10.0.0.1"));
    device.attach(null, drive, Collections.nCopies(engines, drive));
    context = EmulatedContext.open(device, () -> {});
  }

  @ParameterizedTest
  @EnumSource
  void isKeptWhenOthersTakeTheEvents(Wait wait) {
    open(1, new Rivals());
    assertNull(wait.verb.apply(context, 100L));
    assertEquals(List.of(100L, 60L, 20L), waits.subList(0, 3));
    assertTrue(waits.size() == 3 || waits.getLast() <= 0, waits::toString);
  }

  /** A moment so far away that the clock wraps before it. */
  @ParameterizedTest
  @EnumSource
  void isNoneIfItIsLongerThanHalfOfWhatTheClockCounts(Wait wait) {
    open(1, new Only());
    for (long limit : new long[] {FOR_EVER / 2 - 1, FOR_EVER / 2, FOR_EVER - 1, FOR_EVER}) {
      assertThrows(IllegalStateException.class, () -> wait.verb.apply(context, limit));
    }
    assertEquals(List.of(FOR_EVER / 2 - 1, FOR_EVER, FOR_EVER, FOR_EVER), waits);
  }

  @ParameterizedTest
  @EnumSource
  void endsWhenWhatIsWaitedForIsGone(Wait wait) {
    for (int engines = 1; engines <= 2; engines++) {
      open(engines, new Closing());
      VerbsException gone =
          assertThrows(VerbsException.class, () -> wait.verb.apply(context, FOR_EVER));
      assertEquals(wait.gone, gone.errno());
    }
  }
}
