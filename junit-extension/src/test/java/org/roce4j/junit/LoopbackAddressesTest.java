package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.verbs.Gid;

@DisabledOnOs(value = OS.MAC, disabledReason = "has one loopback address")
class LoopbackAddressesTest {
  @Test
  void everyTestHasOtherAddresses() {
    LoopbackAddresses first = LoopbackAddresses.of(List.of(), 2);
    LoopbackAddresses second = LoopbackAddresses.of(List.of(), 2);
    assertEquals(2, first.gids().size());
    assertNotEquals(first.gids(), second.gids());
    assertTrue(first.gids().getFirst().toString().startsWith("::ffff:127."));
  }

  /** Two processes whose numbers differ by less than 254, and 256 tests of each. */
  @Test
  void processAndTestAreInTheAddress() {
    int process = 1 + (int) (ProcessHandle.current().pid() % 254);
    Set<Integer> tests = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      List<Gid> gids = LoopbackAddresses.of(List.of(), 2).gids();
      int first = gids.getFirst().ipv4();
      assertEquals(0x7f00 | process, first >>> 16);
      assertEquals(1, first & 0xff);
      assertEquals(first + 1, gids.getLast().ipv4());
      tests.add(first >>> 8 & 0xff);
    }
    assertTrue(tests.size() > 200, tests::toString);
  }

  @Test
  void whereThePortIsTakenAnotherOneServes() throws IOException {
    LoopbackAddresses usual = LoopbackAddresses.of(List.of(), 2);
    List<Gid> gids = usual.gids();
    try (DatagramSocket other = new DatagramSocket(null)) {
      other.bind(new InetSocketAddress(gids.getLast().toInetAddress(), usual.udpPort()));
      LoopbackAddresses chosen = LoopbackAddresses.of(gids, 2);
      assertEquals(gids, chosen.gids());
      assertNotEquals(usual.udpPort(), chosen.udpPort());
      for (Gid gid : gids) {
        InetSocketAddress free = new InetSocketAddress(gid.toInetAddress(), chosen.udpPort());
        try (DatagramSocket device = new DatagramSocket(free)) {
          assertEquals(chosen.udpPort(), device.getLocalPort());
        }
      }
    }
  }
}
