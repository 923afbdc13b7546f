package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.emulator.cm.EmulatedCmChannel;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.ProviderId;

/**
 * A thread that waits for reports of two devices sleeps in the port of the first, where nothing
 * else wakes it: no background thread looks in.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChannelWakesTest {
  private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");

  private final PlayedDevice first = played();
  private final PlayedDevice second = played();
  private final EmulatedCmChannel channel =
      EmulatedCmChannel.open(List.of(first.context, second.context));
  private final AtomicReference<String> taken = new AtomicReference<>();
  private final Thread waiting = Thread.ofPlatform().daemon().unstarted(this::take);

  private static PlayedDevice played() {
    PlayedDevice played = new PlayedDevice(true, 1, 1, EngineTrace.NONE);
    PlayedPort port = played.port();
    port.whenTimed = () -> port.clock.addAndGet(1_000); // ends the spinning
    return played;
  }

  private void take() {
    try {
      taken.set("the report of " + channel.take(Deadlines.NEVER).join());
    } catch (VerbsException e) {
      taken.set(e.errno().name());
    }
  }

  private static ProviderId bound(EmulatedCmChannel to) {
    ProviderId id = to.createId(PortSpace.UDP, QpType.UD);
    id.bindAddr(new InetSocketAddress(PlayedPort.HERE.toInetAddress(), 7471));
    return id;
  }

  private void sleeps() {
    waiting.start();
    PlayedDevice.until(first.port()::hasSleeper);
  }

  private void endsWith(String expected) {
    assertTrue(PlayedDevice.ended(waiting, Duration.ofSeconds(20)), "nobody woke the thread");
    assertEquals(expected, taken.get());
  }

  @Test
  void theReportOfAnotherDeviceWakesTheThreadThatWaitsOnTheFirst() {
    ProviderId id = bound(EmulatedCmChannel.open(List.of(second.context)));
    id.migrate(channel);
    sleeps();
    id.joinMulticast(GROUP, JoinFlag.FULLMEMBER, "the second");
    endsWith("the report of the second");
  }

  @Test
  void theReportOfTheFirstDeviceWakesTheThreadThatWaitsThere() {
    ProviderId id = bound(channel);
    sleeps();
    id.joinMulticast(GROUP, JoinFlag.FULLMEMBER, "the first");
    endsWith("the report of the first");
  }

  @Test
  void theEndOfTheChannelWakesTheThreadThatWaits() {
    sleeps();
    channel.close();
    endsWith("EINVAL");
  }

  /** It goes on on the second device, which is open. */
  @Test
  void theEndOfADeviceWakesTheThreadThatWaitsThere() {
    sleeps();
    first.context.close();
    PlayedDevice.until(second.port()::hasSleeper);
    second.context.close();
    endsWith("ENODEV");
  }
}
