package org.roce4j.tools.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

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
