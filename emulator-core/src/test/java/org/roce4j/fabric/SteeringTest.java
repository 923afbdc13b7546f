package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

/** Several ports that share an address. */
class SteeringTest {
  private static final int PORTS = 4;
  private static final Gid SHARED = Gid.parse("10.0.0.9");
  private static final Gid GROUP = Gid.parse("239.1.2.3");

  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));
  private final FabricPeer sender = new FabricPeer(fabric, "10.0.0.1");

  private static List<FabricPeer> attach(Fabric fabric, Steering steering) {
    return fabric.attach(List.of(SHARED), PORTS, steering).stream()
        .map(port -> new FabricPeer(fabric, port))
        .toList();
  }

  private void send(int number, int destQp) {
    sender.destQp = destQp;
    sender.send(SHARED, number, 1, 100);
    FabricTest.drain(fabric);
  }

  @Test
  void theLastBitsOfDestQpNameThePort() {
    List<FabricPeer> ports = attach(fabric, Steering.DEST_QP);
    for (int number = 0; number < 2 * PORTS; number++) {
      send(number, 0x4_3210 + number);
    }
    for (int i = 0; i < PORTS; i++) {
      assertEquals(List.of(i, i + PORTS), ports.get(i).numbers());
    }
  }

  /** A header of 12 bytes alone has a queue pair; what is shorter reaches the first port. */
  @ParameterizedTest
  @CsvSource({"8, 0", "12, 3"})
  void aHeaderAloneHasAQueuePair(int bytes, int reached) {
    List<FabricPeer> ports = attach(fabric, Steering.DEST_QP);
    sender.destQp = 3;
    sender.send(SHARED, 0, 1, bytes);
    FabricTest.drain(fabric);
    assertEquals(1, ports.get(reached).arrivals.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"DEST_QP", "SOURCE"})
  void whatIsSentToAGroupReachesTheFirstOnce(Steering steering) {
    List<FabricPeer> ports = attach(fabric, steering);
    ports.getFirst().port.join(GROUP, SHARED);
    sender.destQp = 0xffffff;
    sender.send(GROUP, 0, 3, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(0, 1, 2), ports.getFirst().numbers());
    assertEquals(3, ports.stream().mapToInt(port -> port.arrivals.size()).sum());
  }

  @Test
  void theSourceNamesThePortAndTheSeedSaysWhich() {
    Set<Integer> reached = new HashSet<>();
    for (int seed = 0; seed < 20; seed++) {
      int port = portOfEverything(seed);
      assertEquals(port, portOfEverything(seed));
      reached.add(port);
    }
    assertEquals(PORTS, reached.size());
  }

  private static int portOfEverything(int seed) {
    try (Fabric network = new Fabric(FabricOptions.of(seed))) {
      FabricPeer sender = new FabricPeer(network, "10.0.0.1");
      List<FabricPeer> ports = attach(network, Steering.SOURCE);
      for (sender.destQp = 16; sender.destQp < 24; sender.destQp++) {
        sender.send(SHARED, sender.destQp, 1, 100);
      }
      FabricTest.drain(network);
      List<Integer> received = ports.stream().map(port -> port.arrivals.size()).toList();
      assertTrue(received.contains(8), received::toString);
      return received.indexOf(8);
    }
  }

  @Test
  void theAddressIsFreeWhenAllAreClosed() {
    List<FabricPeer> ports = attach(fabric, Steering.DEST_QP);
    ports.getFirst().close();
    send(0, 16);
    send(1, 17);
    assertEquals(List.of(), ports.getFirst().numbers());
    assertEquals(List.of(1), ports.get(1).numbers());
    assertEquals(1, fabric.counts().dropped(DropReason.UNREACHABLE));
    refused(Errno.EADDRINUSE, () -> fabric.attach(List.of(SHARED)));
    ports.forEach(FabricPeer::close);
    fabric.attach(List.of(SHARED)).close();
  }

  @Test
  void eachHasABufferOfItsOwn() {
    try (Fabric small = new Fabric(FabricOptions.of(1).withReceiveBufferBytes(150))) {
      FabricPeer from = new FabricPeer(small, "10.0.0.1");
      List<FabricPort> ports = small.attach(List.of(SHARED), 2, Steering.DEST_QP);
      for (from.destQp = 16; from.destQp < 20; from.destQp++) {
        from.send(SHARED, 0, 1, 100);
      }
      FabricTest.drain(small);
      for (FabricPort port : ports) {
        assertEquals(1, port.waiting());
        assertEquals(1, port.counters().get(Counter.SOCKET_RECEIVE_DROPPED));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-4, 0, 3, Integer.MIN_VALUE})
  void theirNumberIsAPowerOfTwo(int count) {
    refused(Errno.EINVAL, () -> fabric.attach(List.of(SHARED), count, Steering.DEST_QP));
    fabric.attach(List.of(SHARED)).close();
  }
}
