package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.verbs.Gid;

class XrcAddressTest {
  private static final String TEXT =
      "0001:000011:00ab12:a1b2c3:000f03:00000000000000000000ffff0a4d0002";
  private static final XrcAddress ADDRESS =
      new XrcAddress(
          new ExchangedAddress(1, 0x11, 0xa1b2c3, Gid.parse("10.77.0.2")), 0xab12, 0xf03);

  @Test
  void isSixFieldsAndANul() {
    assertEquals(TEXT + "\0", new String(ADDRESS.encode(), StandardCharsets.US_ASCII));
    assertEquals(XrcAddress.LENGTH, ADDRESS.encode().length);
  }

  @Test
  void isReadInEitherCase() {
    assertEquals(Optional.of(ADDRESS), decode(TEXT + "\0"));
    assertEquals(Optional.of(ADDRESS), decode(TEXT.toUpperCase() + "\0"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        TEXT,
        TEXT + "\0\0",
        "GET / HTTP/1.1\r\nHost: some.where.example\r\nAccept: text/html\r\n\r\n   ",
        "0001:000011:a1b2c3:00000000000000000000ffff0a4d0002\0--------------",
      })
  void refusesAnythingElse(String text) {
    assertEquals(Optional.empty(), decode(text));
  }

  private static Optional<XrcAddress> decode(String text) {
    return XrcAddress.decode(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
