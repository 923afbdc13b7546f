package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.roce4j.conformance.bench.Expect.refused;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.WcStatus;

/** A program that waits for events in its own loop, with a {@link Selector} that the hook wakes. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventLoopTest {
  private static final int EXCHANGES = 20;
  private static final long SECOND_NS = 1_000_000_000L;

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty", "linux-4"})
  @Tag("ibv_get_cq_event")
  void aSelectorComesBackForEachCompletionEvent(String transport) throws IOException {
    try (AnyNetwork network = new AnyNetwork(transport);
        Selector selector = Selector.open();
        RcSide a = new RcSide(network.device(), 4096);
        RcSide b = new RcSide(network.device(), 4096)) {
      RcSide.connect(a, b, 14, 7);
      b.channel.onEvent(selector::wakeup);
      for (int i = 1; i <= EXCHANGES; i++) {
        b.cq.requestNotification(false);
        assertEquals(0, b.receive(i, 0, 100));
        assertEquals(0, a.send(i, 0, 100));
        var cq = b.channel.getCqEvent(0);
        while (cq == null) {
          selector.select();
          cq = b.channel.getCqEvent(0);
        }
        assertSame(b.cq, cq);
        cq.ackEvents(1);
        assertEquals(List.of(new RcSide.Completion(i, WcStatus.SUCCESS, 100)), b.await(1));
        assertEquals(WcStatus.SUCCESS, a.await(1).getFirst().status());
      }
      refused(Errno.EOPNOTSUPP, b.channel::fd);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "fabric"})
  @Tag("ibv_get_async_event")
  void aTimedWaitForAsynchronousEventsEnds(String transport) throws IOException {
    try (AnyNetwork network = new AnyNetwork(transport);
        Selector selector = Selector.open()) {
      RdmaDevice device = network.device();
      try (Context context = device.open()) {
        assertNull(context.getAsyncEvent(0));
        assertNull(context.getAsyncEvent(1_000_000));
        context.onAsyncEvent(selector::wakeup);
        ((EmulatedDevice) device).port(false);
        selector.select();
        AsyncEvent down = context.getAsyncEvent(SECOND_NS);
        assertEquals(EventType.PORT_ERR, down.type());
        down.ack();
        assertNull(context.getAsyncEvent(1_000_000));
      }
    }
  }
}
