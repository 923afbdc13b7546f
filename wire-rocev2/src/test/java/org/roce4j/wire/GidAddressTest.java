package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GidAddressTest {
  @ParameterizedTest
  @CsvSource({
    "10.1.2.3,        0000:0000:0000:0000:0000:ffff:0a01:0203",
    "127.0.0.1,       0000:0000:0000:0000:0000:ffff:7f00:0001",
    "255.255.255.255, 0000:0000:0000:0000:0000:ffff:ffff:ffff",
    "fd00::1:2,       fd00:0000:0000:0000:0000:0000:0001:0002",
    "0:ffff:102:304::, 0000:ffff:0102:0304:0000:0000:0000:0000",
    "::1,             0000:0000:0000:0000:0000:0000:0000:0001",
    "::,              0000:0000:0000:0000:0000:0000:0000:0000",
    "fe80::1,         fe80:0000:0000:0000:0000:0000:0000:0001",
    "2001:db8:0:0:1:0:0:1, 2001:0db8:0000:0000:0001:0000:0000:0001",
    "2001:db8:0:1:1:1:1:1, 2001:0db8:0000:0001:0001:0001:0001:0001"
  })
  void addressAndGidAreTheSame(String literal, String gid) {
    InetAddress address = InetAddress.ofLiteral(literal);
    long high = GidAddress.highOf(address);
    long low = GidAddress.lowOf(address);
    assertEquals(gid, GidAddress.text(high, low));
    assertEquals(address, GidAddress.toInetAddress(high, low));
    assertEquals(address instanceof Inet4Address, GidAddress.isIpv4Mapped(high, low));
    assertEquals(address, InetAddress.ofLiteral(GidAddress.addressText(high, low)));
  }

  @ParameterizedTest
  @CsvSource({
    "10.1.2.3, true",
    "255.255.255.254, true",
    "255.255.255.255, false",
    "0.0.0.0, false",
    "0.0.0.1, true",
    "239.1.2.3, false",
    "::, false",
    "::1, true",
    "1::, true",
    "1::ffff:0:0, true",
    "1::ffff:ffff:ffff, true",
    "ff02::1, false",
    "fe80::1, true"
  })
  void aHostIsNeitherAGroupNorEverybodyNorNobody(String literal, boolean host) {
    InetAddress address = InetAddress.ofLiteral(literal);
    assertEquals(host, GidAddress.isHost(GidAddress.highOf(address), GidAddress.lowOf(address)));
  }

  @ParameterizedTest
  @CsvSource({
    "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "0:0:0:0:0:0:0:0, ::",
    "1:0:0:0:0:0:0:0, 1::",
    "0:0:0:0:0:0:0:1, ::1",
    "fe80:0:0:0:0:0:0:1, fe80::1",
    "1:0:0:2:0:0:0:3, 1:0:0:2::3"
  })
  void ipv6IsWrittenAsPeopleWriteIt(String literal, String text) {
    InetAddress address = InetAddress.ofLiteral(literal);
    assertEquals(
        text, GidAddress.addressText(GidAddress.highOf(address), GidAddress.lowOf(address)));
  }

  @Property
  void everyGidIsAnAddressAndBack(@ForAll long high, @ForAll long low) {
    InetAddress address = GidAddress.toInetAddress(high, low);
    assertEquals(high, GidAddress.highOf(address));
    assertEquals(low, GidAddress.lowOf(address));
    assertEquals(address, InetAddress.ofLiteral(GidAddress.addressText(high, low)));
  }

  @Property
  void everyIpv4AddressIsMapped(@ForAll int address) {
    long low = GidAddress.ipv4Mapped(address);
    assertTrue(GidAddress.isIpv4Mapped(GidAddress.ipv4MappedHigh(), low));
    assertEquals(address, GidAddress.ipv4(low));
    assertFalse(GidAddress.isIpv4Mapped(1, low));
  }

  @Test
  void theZoneIsNoPartOfAGid() throws Exception {
    byte[] bytes = InetAddress.ofLiteral("fe80::7").getAddress();
    InetAddress zoned = Inet6Address.getByAddress(null, bytes, 1);
    assertEquals(0xFE80L << 48, GidAddress.highOf(zoned));
    assertEquals(7, GidAddress.lowOf(zoned));
    assertTrue(
        Arrays.equals(
            bytes,
            GidAddress.toInetAddress(GidAddress.highOf(zoned), GidAddress.lowOf(zoned))
                .getAddress()));
  }

  @ParameterizedTest
  @CsvSource({
    "224.1.2.3,   true,  01005e010203",
    "239.255.0.1, true,  01005e7f0001",
    "ff0e::ffff:1.2.3.4, true, 333301020304",
    "ff02::1:ff00:5, true, 3333ff000005",
    "10.0.0.1,    false, ",
    "240.0.0.1,   false, ",
    "fe80::1,     false, "
  })
  void groupsAndTheirFrames(String literal, boolean multicast, String mac) {
    InetAddress address = InetAddress.ofLiteral(literal);
    long high = GidAddress.highOf(address);
    long low = GidAddress.lowOf(address);
    assertEquals(multicast, GidAddress.isMulticast(high, low));
    assertEquals(address.isMulticastAddress(), GidAddress.isMulticast(high, low));
    if (multicast) {
      assertEquals(Long.parseLong(mac, 16), GidAddress.multicastMac(high, low));
    }
  }

  @Test
  void defaultGidHoldsTheMac() {
    assertEquals(0x5054_00FF_FE12_3456L, GidAddress.eui64(0x5254_0012_3456L));
  }
}
