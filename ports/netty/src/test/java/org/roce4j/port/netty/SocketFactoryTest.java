package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Gid;

class SocketFactoryTest {
  /** An address that several interfaces may have needs the name of the interface. */
  @ParameterizedTest
  @CsvSource({
    "fe80::1, true",
    "ff01::1234, true",
    "ff02::1234, true",
    "ff05::1234, false",
    "ff15::1234, false",
    "fd00::1, false",
    "::1, false"
  })
  void whatIsOfALinkIsOfAnInterface(String address, boolean scoped) throws SocketException {
    Gid gid = Gid.parse(address);
    NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
    InetSocketAddress found = SocketFactory.address(gid.high(), gid.low(), 4791, loopback);
    assertEquals(4791, found.getPort());
    assertEquals(
        scoped ? loopback.getIndex() : 0, ((Inet6Address) found.getAddress()).getScopeId());
  }

  /** Also 169.254.1.1, which is of a link as well: IPv4 sockets know no interface. */
  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1", "169.254.1.1", "224.0.0.1"})
  void anIpv4AddressIsOfNoInterface(String address) throws SocketException {
    Gid gid = Gid.parse(address);
    NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
    InetSocketAddress found = SocketFactory.address(gid.high(), gid.low(), 4791, loopback);
    assertEquals(gid.toInetAddress(), found.getAddress());
    assertInstanceOf(Inet4Address.class, found.getAddress());
  }

  /** Each address of 127.0.0.0/8 works, although the interface has one. */
  @ParameterizedTest
  @CsvSource({"127.0.0.1, true", "127.0.0.2, true", "192.0.2.1, false", "2001:db8::1, false"})
  void theInterfaceOfAnAddressIsThatWhichHasIt(String address, boolean loopback)
      throws SocketException {
    Gid gid = Gid.parse(address);
    NetworkInterface own = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
    assertEquals(loopback ? own : null, SocketFactory.scope(gid.high(), gid.low()));
  }
}
