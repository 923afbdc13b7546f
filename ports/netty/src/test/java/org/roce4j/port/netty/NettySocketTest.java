package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Gid;

/** What the port asks of its sockets without any system call. */
class NettySocketTest {
  private static NotingSocket socket(Gid gid) {
    return new NotingSocket(new EmbeddedChannel(), gid, true);
  }

  @ParameterizedTest
  @CsvSource({
    "fd00:1::1, fd00:1::1, true",
    "fd00:1::1, fd00:2::1, false",
    "fd00:1::1, fd00:1::2, false",
    "10.0.0.1, 10.0.0.2, false"
  })
  void itIsOfOneAddressInBothHalves(String own, String other, boolean same) {
    Gid asked = Gid.parse(other);
    NettySocket socket = socket(Gid.parse(own));
    assertEquals(same, socket.is(asked.high(), asked.low()));
    assertEquals(same, socket.isHeardBy(asked));
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.1, true", "fd00::1, false", "::1, false"})
  void ipv4IsWhatIsMapped(String own, boolean ipv4) {
    assertEquals(ipv4, socket(Gid.parse(own)).ipv4());
  }

  @Test
  void aGroupIsHeardByTheAddressThatHasJoined() {
    Gid group = Gid.parse("ff15::1");
    Gid own = Gid.parse("fd00:1::1");
    NettySocket socket = socket(group);
    assertTrue(socket.isHeardBy(group));
    socket.heardBy(own);
    assertTrue(socket.is(group.high(), group.low()));
    assertTrue(socket.isHeardBy(own));
    assertEquals(own, new Gid(socket.heardHigh(), socket.heardLow()));
    assertFalse(socket.isHeardBy(Gid.parse("fd00:2::1")));
    assertFalse(socket.isHeardBy(Gid.parse("fd00:1::2")));
  }

  /** A path without a hop limit leaves that of the socket. */
  @Test
  void theKernelIsToldWhatChanges() throws IOException {
    NotingSocket socket = socket(Gid.parse("fd00::1"));
    socket.network(0, 64);
    socket.network(0, 64);
    socket.network(0x22, 64);
    socket.network(0x22, 0);
    socket.network(0x22, 64);
    socket.network(0x22, 1);
    socket.network(0, 1);
    assertEquals(List.of("class 0", "hops 64", "class 34", "hops 1", "class 0"), socket.calls);
  }

  @Test
  void theDatagramsOfEachReadAreCounted() {
    NettySocket socket = socket(Gid.parse("fd00::1"));
    socket.readBegins();
    assertEquals(0, socket.nextTrainIndex());
    assertEquals(1, socket.nextTrainIndex());
    socket.readBegins();
    assertEquals(0, socket.nextTrainIndex());
  }

  @Test
  void theLastWhoLeavesIsKnown() {
    NettySocket socket = socket(Gid.parse("ff15::1"));
    socket.join();
    assertFalse(socket.leave());
    assertTrue(socket.leave());
  }

  @Test
  void whereTrainsAreRefusedNoneIsTriedAgain() {
    NettySocket socket = socket(Gid.parse("fd00::1"));
    assertTrue(socket.trains());
    socket.refuseTrains();
    assertFalse(socket.trains());
  }
}
