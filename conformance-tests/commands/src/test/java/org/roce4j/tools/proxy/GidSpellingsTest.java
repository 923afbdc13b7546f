package org.roce4j.tools.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Gid;

class GidSpellingsTest {
  private static final Gid END = Gid.parse("127.0.40.1");
  private static final Gid FACING_PEER = Gid.parse("127.0.40.2");

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
    // the sender's name for its peer, too
    "00000000000000000000ffff0a00000300000000000000000000ffff0a000001, 2,"
        + "00000000000000000000ffff0a00000200000000000000000000ffff0a000004",
    // the GID of another end, and a prefix of a GID
    "00000000000000000000ffff0a000009 00000000000000000000ffff0a00000, 0,"
        + "00000000000000000000ffff0a000009 00000000000000000000ffff0a00000",
  })
  void textIsChangedInPlace(String here, int count, String there) throws IOException {
    byte[] bytes = here.getBytes(StandardCharsets.US_ASCII);
    assertEquals(
        there, new String(streamed(bytes, count, bytes.length), StandardCharsets.US_ASCII));
    for (int part = 1; part < bytes.length; part++) {
      assertEquals(there, new String(streamed(bytes, count, part), StandardCharsets.US_ASCII));
    }
  }

  /**
   * The bytes of a program, in the parts in which it sends them, and the bytes that arrive at the
   * other end.
   */
  private static byte[] passed(Gid end, Gid facingPeer, byte[] here, int... parts)
      throws IOException {
    Gid facingEnd = Gid.parse("127.0.40.3");
    Gid peer = Gid.parse("127.0.40.4");
    ByteArrayOutputStream there = new ByteArrayOutputStream();
    try (ServerSocket server = new ServerSocket()) {
      server.bind(new InetSocketAddress(peer.toInetAddress(), 0));
      int port = server.getLocalPort();
      Readdressing forth = new Readdressing(end, facingPeer, facingEnd, peer);
      Readdressing back = new Readdressing(peer, facingEnd, facingPeer, end);
      try (Exchange exchange = new Exchange(new Exchange.Ports(port, port), forth, back);
          Socket client = new Socket(facingEnd.toInetAddress(), port);
          Socket accepted = server.accept()) {
        int sent = 0;
        for (int part : parts) {
          client.getOutputStream().write(here, sent, part);
          there.writeBytes(accepted.getInputStream().readNBytes(part));
          sent += part;
        }
        client.getOutputStream().write(here, sent, here.length - sent);
        client.shutdownOutput();
        there.writeBytes(accepted.getInputStream().readAllBytes());
        assertEquals("1 TCP connections, 1 GIDs changed", exchange.toString());
      }
    }
    return there.toByteArray();
  }

  /** A long stream, cut into parts at any place. */
  @Test
  void aGidThatLiesAcrossTheRoomOfAConnectionIsChanged() throws Exception {
    byte[] here = new byte[70_000];
    byte[] there = here.clone();
    System.arraycopy(text(END), 0, here, 65_520, 32);
    System.arraycopy(text(FACING_PEER), 0, there, 65_520, 32);
    assertArrayEquals(there, passed(END, FACING_PEER, here));
  }

  /** The sender may wait in the middle of a GID for any time. */
  @ParameterizedTest
  @ValueSource(ints = {1, 12, 30, 31})
  void aGidThatIsSentInTwoPartsIsChanged(int first) throws Exception {
    byte[] there = passed(END, FACING_PEER, text(END), first);
    assertEquals(FACING_PEER.toHex(), new String(there, StandardCharsets.US_ASCII));
  }

  /**
   * The peer gets the first part before the second is sent, although the first could begin a GID.
   */
  @Test
  void theBeginningOfAGidIsNotKeptForEver() throws Exception {
    Gid end = Gid.parse("fd00::1");
    byte[] here = ("a message that ends in f" + end.toHex()).getBytes(StandardCharsets.US_ASCII);
    byte[] there = passed(end, FACING_PEER, here, 24);
    assertEquals(
        "a message that ends in f" + FACING_PEER.toHex(),
        new String(there, StandardCharsets.US_ASCII));
  }

  private static byte[] text(Gid gid) {
    return gid.toHex().getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void sixteenBytesAreChangedWhereverTheyStand() throws IOException {
    byte[] bytes = new byte[40];
    System.arraycopy(Gid.parse("10.0.0.1").toBytes(), 0, bytes, 7, 16);
    byte[] there = new byte[40];
    System.arraycopy(Gid.parse("10.0.0.4").toBytes(), 0, there, 7, 16);
    byte[] cutShort = Arrays.copyOf(bytes, 22);
    assertArrayEquals(cutShort, streamed(cutShort, 0, 22));
    for (int part = 1; part <= bytes.length; part++) {
      assertArrayEquals(there, streamed(bytes, 1, part));
    }
  }

  /** The output for bytes that arrive in parts of this length. */
  private byte[] streamed(byte[] bytes, int count, int part) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    GidStream stream = new GidStream(spellings);
    int changed = 0;
    for (int at = 0; at < bytes.length; at += part) {
      stream.readFrom(new ByteArrayInputStream(bytes, at, part));
      changed += stream.change();
      stream.sendTo(out);
    }
    stream.sendAllTo(out);
    assertEquals(count, changed);
    return out.toByteArray();
  }

  /** Bytes that no end's GID can begin are sent at once. */
  @Test
  void onlyWhatDiffersWaits() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    GidStream stream = new GidStream(spellings);
    byte[] here = text(Gid.parse("10.0.0.1"));
    stream.readFrom(new ByteArrayInputStream(here, 0, 31));
    stream.sendTo(out);
    assertFalse(stream.waits());
    assertEquals(31, out.size());
    Gid far = Gid.parse("10.16.0.1");
    stream =
        new GidStream(new GidSpellings(new Readdressing(Gid.parse("10.0.0.1"), far, far, far)));
    stream.readFrom(new ByteArrayInputStream(here, 0, 31));
    stream.sendTo(out);
    assertTrue(stream.waits());
    assertEquals(31 + 26, out.size());
  }
}
