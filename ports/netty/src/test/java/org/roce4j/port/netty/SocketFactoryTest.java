package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
}
