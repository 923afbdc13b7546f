package org.roce4j.tools.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Gid;

class GidSpellingsTest {
  private final GidSpellings spellings =
      new GidSpellings(
          new Readdressing(
              Gid.parse("10.0.0.1"),
              Gid.parse("10.0.0.4"),
              Gid.parse("10.0.0.3"),
              Gid.parse("10.0.0.2")));

  @ParameterizedTest
  @CsvSource({
    // perftest's key
    "0a:00000000000000000000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:01:00000000:, 1,"
        + "0a:00000000000000000000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:04:00000000:",
    // the address of ibv_rc_pingpong
    "0000:000011:b2cb81:00000000000000000000ffff0a000001, 1,"
        + "0000:000011:b2cb81:00000000000000000000ffff0a000004",
    // what the sender calls its peer, too
    "00000000000000000000ffff0a00000300000000000000000000ffff0a000001, 2,"
        + "00000000000000000000ffff0a00000200000000000000000000ffff0a000004",
    // somebody else's, and one cut short
    "00000000000000000000ffff0a000009 00000000000000000000ffff0a00000, 0,"
        + "00000000000000000000ffff0a000009 00000000000000000000ffff0a00000",
  })
  void textIsChangedInPlace(String here, int count, String there) {
    byte[] bytes = here.getBytes(StandardCharsets.US_ASCII);
    assertEquals(count, spellings.change(bytes, bytes.length));
    assertEquals(there, new String(bytes, StandardCharsets.US_ASCII));
  }

  /** However the bytes of a long stream are cut for the way. */
  @Test
  void aGidThatLiesAcrossTheRoomOfAConnectionIsChanged() throws Exception {
    Gid end = Gid.parse("127.0.40.1");
    Gid facingPeer = Gid.parse("127.0.40.2");
    Gid facingEnd = Gid.parse("127.0.40.3");
    Gid peer = Gid.parse("127.0.40.4");
    byte[] here = new byte[70_000];
    byte[] there = here.clone();
    System.arraycopy(text(end), 0, here, 65_520, 32);
    System.arraycopy(text(facingPeer), 0, there, 65_520, 32);
    try (ServerSocket server = new ServerSocket()) {
      server.bind(new InetSocketAddress(peer.toInetAddress(), 0));
      int port = server.getLocalPort();
      Readdressing forth = new Readdressing(end, facingPeer, facingEnd, peer);
      Readdressing back = new Readdressing(peer, facingEnd, facingPeer, end);
      try (Exchange exchange = new Exchange(new Exchange.Ports(port, port), forth, back);
          Socket client = new Socket(facingEnd.toInetAddress(), port);
          Socket accepted = server.accept()) {
        client.getOutputStream().write(here);
        client.shutdownOutput();
        assertArrayEquals(there, accepted.getInputStream().readAllBytes());
        assertEquals("1 TCP connections, 1 GIDs changed", exchange.toString());
      }
    }
  }

  private static byte[] text(Gid gid) {
    return gid.toHex().getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void sixteenBytesAreChangedWhereverTheyStand() {
    byte[] bytes = new byte[40];
    System.arraycopy(Gid.parse("10.0.0.1").toBytes(), 0, bytes, 7, 16);
    byte[] there = new byte[40];
    System.arraycopy(Gid.parse("10.0.0.4").toBytes(), 0, there, 7, 16);
    assertEquals(0, spellings.change(bytes.clone(), 22));
    assertEquals(1, spellings.change(bytes, 40));
    assertArrayEquals(there, bytes);
  }
}
