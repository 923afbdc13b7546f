package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.PhysicalPortState;
import org.roce4j.verbs.PortState;

/** The events and counters of a port, and the contexts that get them. */
class PortReportTest {
  @Test
  void aPortThatGoesDownAndUpIsToldToEachContextAndCounted() {
    Device device = LoneEngine.device(PlayedPeer.HERE, Mtu.MTU_1024, DeviceLimits.DEFAULT);
    device.attach(PortControl.NONE, Progress.NONE);
    List<Context> contexts =
        List.of(EmulatedContext.open(device, () -> {}), EmulatedContext.open(device, () -> {}));
    new DeviceChanges(device).port(1, false);
    assertEquals(1, contexts.getFirst().counters().get(Counter.LINK_DOWNED.label()));
    new DeviceChanges(device).port(1, true);
    for (Context context : contexts) {
      assertEquals(EventType.PORT_ERR, context.pollAsyncEvent().type());
      assertEquals(EventType.PORT_ACTIVE, context.pollAsyncEvent().type());
      assertEquals(1, context.counters().get(Counter.LINK_DOWNED.label()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void thePortThatIsActiveAloneIsUp(PortState state) {
    Device device = LoneEngine.device(PlayedPeer.HERE, Mtu.MTU_1024, DeviceLimits.DEFAULT);
    device.attach(
        new PlayedPortControl() {
          @Override
          public PortState state(int port) {
            return state;
          }
        },
        Progress.NONE);
    boolean up = state == PortState.ACTIVE;
    assertEquals(up ? List.of(PlayedPeer.HERE) : List.of(), device.addressesUp());
    assertEquals(
        up ? PhysicalPortState.LINK_UP : PhysicalPortState.DISABLED,
        EmulatedContext.open(device, () -> {}).queryPort(1).physState());
  }

  @Test
  void queryPortTellsEachKeyViolationUnderItsOwnNameAndStopsAtSixteenBits() {
    LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
    Context context = lone.pd.context();
    lone.engine.counters().add(Counter.BAD_PKEY, 2);
    lone.engine.counters().add(Counter.BAD_QKEY, 3);
    assertEquals(2, context.queryPort(1).badPkeyCounter());
    assertEquals(3, context.queryPort(1).qkeyViolationCounter());
    lone.engine.counters().add(Counter.BAD_PKEY, 1 << 16);
    assertEquals(0xffff, context.queryPort(1).badPkeyCounter());
  }
}
