package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Gid;

class ExchangedAddressTest {
  private static final String MESSAGE = "0000:000011:a1b2c3:00000000000000000000ffff0a4d0002\0";

  private static final ExchangedAddress ADDRESS =
      new ExchangedAddress(0, 0x11, 0xa1b2c3, Gid.parse("10.77.0.2"));

  @Test
  void writesTheBytesOfTheCProgram() {
    assertArrayEquals(bytes(MESSAGE), ADDRESS.encode());
    assertEquals(52, ADDRESS.encode().length);
  }

  @Test
  void readsTheBytesOfTheCProgram() {
    assertEquals(Optional.of(ADDRESS), ExchangedAddress.decode(bytes(MESSAGE)));
  }

  @Test
  void readsUpperCaseDigits() {
    String upper = MESSAGE.replace("a1b2c3", "A1B2C3").replace("ffff", "FFFF");
    assertEquals(Optional.of(ADDRESS), ExchangedAddress.decode(bytes(upper)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0000:000011:a1b2c3:00000000000000000000ffff0a4d0002\0\0",
        "GET / HTTP/1.1\r\n",
        "0000:000011:a1b2c3:00000000000000000000ffff0a4d0002",
        "0000:000011:a1b2c3:00000000000000000000ffff0a4d000\0\0",
        "0000:000011:a1b2c3 00000000000000000000ffff0a4d0002\0",
        "0000:-00011:a1b2c3:00000000000000000000ffff0a4d0002\0",
        "000g:000011:a1b2c3:00000000000000000000ffff0a4d0002\0",
        "0000:0000011:a1b2c3:00000000000000000000ffff0a4d002\0",
      })
  void refusesWhatIsNoAddress(String text) {
    assertEquals(Optional.empty(), ExchangedAddress.decode(bytes(text)));
  }

  @Property
  void readsWhatItWrites(
      @ForAll @IntRange(max = 0xffff) int lid,
      @ForAll @IntRange(max = 0xffffff) int qpn,
      @ForAll @IntRange(max = 0xffffff) int psn,
      @ForAll long high,
      @ForAll long low) {
    ExchangedAddress address = new ExchangedAddress(lid, qpn, psn, new Gid(high, low));
    assertEquals(Optional.of(address), ExchangedAddress.decode(address.encode()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
