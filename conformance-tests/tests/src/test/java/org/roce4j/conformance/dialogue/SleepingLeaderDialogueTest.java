package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
import org.roce4j.device.Device;
import org.roce4j.device.EmulatedContext;
import org.roce4j.device.GidTable;
import org.roce4j.device.PortControl;
import org.roce4j.drive.AnyThreadDriver;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/**
 * A waiting thread sleeps in the port until the next timer, and is woken when another thread sets
 * an earlier one. A clock may have any value, below zero, too: {@link System#nanoTime} says so.
 */
@Holds(Rule.ACK_TIMEOUT)
class SleepingLeaderDialogueTest {
  private static final Gid HERE = Gid.parse("10.0.0.1");

  @ParameterizedTest
  @ValueSource(longs = {1L << 50, -1L << 50, Long.MAX_VALUE - 30_000_000})
  @DisplayName("a thread that sleeps without end is woken when a request starts the ACK timer")
  void isWokenForATimerThatIsSetMeanwhile(long clock) throws InterruptedException {
    StillPort port = new StillPort(clock, 1000);
    Device device =
        new Device(
            null,
            DeviceLimits.DEFAULT,
            new GidTable(List.of(HERE), 0),
            Mtu.MTU_1024,
            new SplittableRandom(1),
            EngineTrace.NONE);
    // Never started: no background thread repairs a lost wake-up here.
    AnyThreadDriver driver = new AnyThreadDriver("still", device.engine(0), port);
    device.attach(PortControl.NONE, driver);
    QueuePair qp = StillPort.inRts(EmulatedContext.open(device, () -> {}), 0);
    AtomicBoolean over = new AtomicBoolean();
    Thread waiting = new Thread(() -> driver.await(over::get, Long.MAX_VALUE));
    waiting.start();
    port.asleep.await();
    int before = port.wakeups.get();
    try (Arena arena = Arena.ofConfined()) {
      assertEquals(0, qp.postSend(new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND)));
    }
    int after = port.wakeups.get();
    over.set(true);
    port.wakeup();
    waiting.join();
    assertTrue(after > before, "nobody woke the thread that sleeps");
  }
}
