package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.device.Device;
import org.roce4j.device.GidTable;
import org.roce4j.device.PortControl;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Progress;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.port.PortSwitch;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.PortState;

class PortStatesTest {
  /** A switch is down when its only port is; a switch with several ports goes on. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theOnlyPortTakesEverySwitchDown(int ports) {
    List<Gid> one = List.of(Gid.parse("10.0.0.1"));
    List<Gid> two = List.of(Gid.parse("10.0.0.2"));
    Device device =
        new Device(
            null,
            DeviceLimits.DEFAULT,
            new GidTable(0, ports == 1 ? List.of(one) : List.of(one, two)),
            Mtu.MTU_1024,
            new SplittableRandom(1),
            EngineTrace.NONE);
    device.attach(PortControl.NONE, Progress.NONE);
    List<PortSwitch> switches = List.of(new PortSwitch(null), new PortSwitch(null));
    PortStates states = new PortStates(switches);
    for (boolean up : new boolean[] {false, true, false}) {
      states.port(device, ports, up);
      assertEquals(up ? PortState.ACTIVE : PortState.DOWN, states.state(ports));
      for (PortSwitch each : switches) {
        assertEquals(up || ports > 1, each.isUp());
      }
    }
  }
}
