package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.verbs.Refusals.refused;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses of ports, in each form in which programs and tools write them. */
class GidTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 0000:0000:0000:0000:0000:ffff:0a00:0001, ::ffff:10.0.0.1, true, false",
    "239.1.2.3, 0000:0000:0000:0000:0000:ffff:ef01:0203, ::ffff:239.1.2.3, true, true",
    "240.0.0.1, 0000:0000:0000:0000:0000:ffff:f000:0001, ::ffff:240.0.0.1, true, false",
    "223.255.255.255, 0000:0000:0000:0000:0000:ffff:dfff:ffff, ::ffff:223.255.255.255, true, false",
    "fd77::1, fd77:0000:0000:0000:0000:0000:0000:0001, fd77:0:0:0:0:0:0:1, false, false",
    "ff0e::1, ff0e:0000:0000:0000:0000:0000:0000:0001, ff0e:0:0:0:0:0:0:1, false, true",
    "::e000:1, 0000:0000:0000:0000:0000:0000:e000:0001, 0:0:0:0:0:0:e000:1, false, false",
    "1::ffff:10.0.0.1, 0001:0000:0000:0000:0000:ffff:0a00:0001, 1:0:0:0:0:ffff:a00:1, false, false"
  })
  void formsOfAnAddress(String text, String groups, String printed, boolean ipv4, boolean multicast)
      throws Exception {
    Gid gid = Gid.parse(text);
    assertEquals(groups, gid.toGroups());
    assertEquals(printed, gid.toString());
    assertEquals(ipv4, gid.isIpv4Mapped());
    assertEquals(multicast, gid.isMulticast());
    assertEquals(InetAddress.getByName(text), gid.toInetAddress());
    assertEquals(gid, Gid.of(gid.toInetAddress()));
    assertEquals(gid, Gid.ofHex(groups.replace(":", "")));
    assertEquals(gid, Gid.ofBytes(gid.toBytes()));
    if (ipv4) {
      assertEquals(gid, Gid.ofIpv4(gid.ipv4()));
    }
  }

  @Test
  void onlyAllZerosIsZero() {
    assertEquals(true, Gid.ZERO.isZero());
    assertEquals(false, new Gid(0, 1).isZero());
    assertEquals(false, new Gid(1, 0).isZero());
    assertArrayEquals(new byte[16], Gid.ZERO.toBytes());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "10.1", "10.0.1", "10.0.0.1.2", "10.0.0.256", "host", "fd::g"})
  void whatIsNoAddress(String text) {
    String told = refused(Errno.EINVAL, () -> Gid.parse(text)).remedy();
    assertEquals("'" + text + "' is not an IPv4 or IPv6 address literal", told);
  }

  @Test
  void whatHasNotSixteenBytes() {
    for (int length : new int[] {0, 4, 15, 17}) {
      refused(Errno.EINVAL, () -> Gid.ofBytes(new byte[length]));
      refused(Errno.EINVAL, () -> Gid.ofHex("00".repeat(length)));
    }
    refused(Errno.EINVAL, () -> Gid.ofHex("0g".repeat(16)));
  }
}
