package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.device.PortControl;
import org.roce4j.engine.Planted;
import org.roce4j.engine.counter.Counter;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.FabricPort;
import org.roce4j.fabric.Steering;
import org.roce4j.port.Port;
import org.roce4j.port.PortAround;
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

  /** Remembers its additional addresses, and may refuse to have any. */
  private static final class PlayedAddresses extends PortAround {
    final Set<Gid> added = new HashSet<>();
    final Set<Gid> joined = new HashSet<>();
    private final Planted refuses;

    PlayedAddresses(Port port, Planted refuses) {
      super(port);
      this.refuses = refuses;
    }

    @Override
    public void add(Gid address) {
      if (refuses != null) {
        refuses.raise();
      }
      added.add(address);
    }

    @Override
    public void remove(Gid address) {
      added.remove(address);
    }

    @Override
    public void join(Gid group, Gid own) {
      joined.add(group);
    }

    @Override
    public void leave(Gid group, Gid own) {
      joined.remove(group);
    }
  }

  @Test
  void eachHasAnAddedAddressUntilItIsRemovedAndOneReceivesTheGroups() {
    Gid address = Gid.parse("10.0.0.9");
    Gid group = Gid.parse("239.0.0.1");
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      List<PlayedAddresses> ports = new ArrayList<>();
      for (Port each : fabric.attach(List.of(Gid.parse("10.0.0.1")), 4, Steering.DEST_QP)) {
        ports.add(new PlayedAddresses(each, null));
      }
      List<PortSwitch> switches = ports.stream().map(PortSwitch::new).toList();
      PortControl control = new EveryPort(switches, new PortStates(switches));
      control.add(address);
      ports.forEach(each -> assertEquals(Set.of(address), each.added));
      control.join(group, address);
      assertEquals(1, ports.stream().filter(each -> each.joined.contains(group)).count());
      control.leave(group, address);
      ports.forEach(each -> assertEquals(Set.of(), each.joined));
      control.remove(address);
      ports.forEach(each -> assertEquals(Set.of(), each.added));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, EXCEPTION", "1, EXCEPTION", "2, EXCEPTION", "3, EXCEPTION",
    "0, ERROR", "1, ERROR", "2, ERROR", "3, ERROR"
  })
  void anAddressThatOnePortRefusesIsLeftByAll(int refusing, Planted refusal) {
    Gid address = Gid.parse("10.0.0.9");
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      List<PlayedAddresses> ports = new ArrayList<>();
      for (Port each : fabric.attach(List.of(Gid.parse("10.0.0.1")), 4, Steering.DEST_QP)) {
        ports.add(new PlayedAddresses(each, ports.size() == refusing ? refusal : null));
      }
      List<PortSwitch> switches = ports.stream().map(PortSwitch::new).toList();
      PortControl control = new EveryPort(switches, new PortStates(switches));
      assertSame(refusal.thrown(), assertThrows(Throwable.class, () -> control.add(address)));
      ports.forEach(each -> assertEquals(Set.of(), each.added));
    }
  }
}
