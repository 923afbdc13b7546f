package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.device.PortControl;
import org.roce4j.engine.counter.Counter;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.FabricPort;
import org.roce4j.fabric.Steering;
import org.roce4j.port.PortSwitch;
import org.roce4j.verbs.Gid;

/**
 * The events and counters of the one port of a device whose engines each have a port of their own.
 */
class EveryPortTest {
  @Test
  void countersAreThoseOfAllEnginesTogether() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      List<FabricPort> ports = fabric.attach(List.of(Gid.parse("10.0.0.1")), 4, Steering.DEST_QP);
      for (int i = 0; i < ports.size(); i++) {
        ports.get(i).counters().add(Counter.SOCKET_RECEIVE_DROPPED, 1L << 8 * i);
      }
      List<PortSwitch> switches = ports.stream().map(PortSwitch::new).toList();
      PortControl control = new EveryPort(switches, new PortStates(switches));
      assertEquals(0x01010101L, control.counters().get(Counter.SOCKET_RECEIVE_DROPPED.label()));
    }
  }
}
