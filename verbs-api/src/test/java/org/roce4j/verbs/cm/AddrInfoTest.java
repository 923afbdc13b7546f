package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;

class AddrInfoTest {

  private static void refused(Errno errno, String node, String service, AddrInfo hints) {
    assertEquals(
        errno,
        assertThrows(VerbsException.class, () -> AddrInfo.resolve(node, service, hints)).errno());
  }

  @Test
  void aNodeIsWhereToConnect() {
    AddrInfo found = AddrInfo.resolve("::1", "7471", null);
    assertEquals(new InetSocketAddress("::1", 7471), found.dstAddr());
    assertEquals(StandardProtocolFamily.INET6, found.family());
    assertEquals(PortSpace.TCP, found.portSpace());
    assertEquals(QpType.RC, found.qpType());
    assertNull(found.srcAddr());
    assertEquals(
        new InetSocketAddress("10.0.0.1", 0), AddrInfo.resolve("10.0.0.1", null, null).dstAddr());
    assertEquals(
        new InetSocketAddress("127.0.0.1", 9), AddrInfo.resolve(null, "9", null).dstAddr());
  }

  @Test
  void aPassiveOneWithoutNodeIsTheWildcard() {
    AddrInfo hints = new AddrInfo().flags(AddrInfo.PASSIVE).portSpace(PortSpace.UDP);
    AddrInfo found = AddrInfo.resolve(null, "5", hints);
    assertEquals(new InetSocketAddress("0.0.0.0", 5), found.srcAddr());
    assertEquals(QpType.UD, found.qpType());
    assertEquals(AddrInfo.PASSIVE, found.flags());
    hints.family(StandardProtocolFamily.INET6);
    assertEquals(new InetSocketAddress("::", 0), AddrInfo.resolve(null, "0", hints).srcAddr());
  }

  @Test
  void whatHintsSayBesidesIsKept() {
    AddrInfo hints =
        new AddrInfo()
            .srcAddr(new InetSocketAddress("10.0.0.2", 4))
            .route(new byte[] {1})
            .connect(new byte[] {2, 3});
    for (String node : new String[] {null, "10.0.0.1"}) {
      AddrInfo found = AddrInfo.resolve(node, node == null ? null : "3", hints);
      assertEquals(hints.srcAddr(), found.srcAddr());
      assertArrayEquals(hints.route(), found.route());
      assertArrayEquals(hints.connect(), found.connect());
    }
  }

  @Test
  void hintsAloneComeBack() {
    AddrInfo hints = new AddrInfo().qpType(QpType.UD).dstAddr(new InetSocketAddress("10.0.0.1", 3));
    AddrInfo found = AddrInfo.resolve(null, null, hints);
    assertEquals(hints.dstAddr(), found.dstAddr());
    assertEquals(PortSpace.UDP, found.portSpace());
  }

  /** Space IB has every service; the others connect, or exchange datagrams. */
  @ParameterizedTest
  @EnumSource(QpType.class)
  void eachServiceHasItsSpaces(QpType type) {
    for (PortSpace space : PortSpace.values()) {
      AddrInfo hints = new AddrInfo().portSpace(space).qpType(type);
      if (space == PortSpace.IB || (type == QpType.UD) == (space != PortSpace.TCP)) {
        AddrInfo found = AddrInfo.resolve("10.0.0.1", "1", hints);
        assertEquals(space, found.portSpace());
        assertEquals(type, found.qpType());
      } else {
        refused(Errno.EINVAL, "10.0.0.1", "1", hints);
      }
    }
  }

  @Test
  void whatCannotBeFoundIsRefused() {
    refused(Errno.EINVAL, null, null, null);
    refused(Errno.EINVAL, "127.0.0.1", "65536", null);
    refused(Errno.EINVAL, "127.0.0.1", "http", null);
    for (PortSpace space : List.of(PortSpace.TCP, PortSpace.UDP, PortSpace.IPOIB)) {
      QpType other = space == PortSpace.TCP ? QpType.UD : QpType.RC;
      refused(Errno.EINVAL, "10.0.0.1", "1", new AddrInfo().portSpace(space).qpType(other));
    }
    refused(Errno.EADDRNOTAVAIL, "localhost", "1", new AddrInfo().flags(AddrInfo.NUMERICHOST));
    refused(Errno.EADDRNOTAVAIL, "", "1", null);
    refused(Errno.EADDRNOTAVAIL, "[nobody", "1", null);
    refused(
        Errno.EAFNOSUPPORT, "127.0.0.1", "1", new AddrInfo().family(StandardProtocolFamily.INET6));
  }

  /** Each of node and service missing, for each family and either kind of end. */
  @ParameterizedTest
  @CsvSource({
    "         , 7, INET , true , 0.0.0.0  , 7", "localhost, 1, INET , true , 127.0.0.1, 1",
    "         , 7, INET6, true , ::       , 7", "         , 7,      , true , 0.0.0.0  , 7",
    "         , 7, INET , false, 127.0.0.1, 7", "         , 7, INET6, false, ::1      , 7",
    "         , 7,      , false, 127.0.0.1, 7", "10.0.0.1 ,  ,      , false, 10.0.0.1 , 0",
    "10.0.0.1 , 0, INET , true , 10.0.0.1 , 0", "fd00::1  , 65535, INET6, false, fd00::1, 65535",
    "localhost, 1, INET , false, 127.0.0.1, 1"
  })
  void addressOfNodeAndService(
      String node,
      String service,
      StandardProtocolFamily family,
      boolean passive,
      String address,
      int port) {
    AddrInfo hints = new AddrInfo().family(family).flags(passive ? AddrInfo.PASSIVE : 0);
    AddrInfo found = AddrInfo.resolve(node, service, hints);
    InetSocketAddress at = new InetSocketAddress(address, port);
    assertEquals(passive ? at : null, found.srcAddr());
    assertEquals(passive ? null : at, found.dstAddr());
    String name = "localhost".equals(node) ? node : null;
    assertEquals(passive ? name : null, found.srcCanonname());
    assertEquals(passive ? null : name, found.dstCanonname());
    if (!"localhost".equals(node)) {
      AddrInfo numeric = hints.flags(hints.flags() | AddrInfo.NUMERICHOST);
      assertEquals(found.toString(), AddrInfo.resolve(node, service, numeric).toString());
    }
  }

  @Test
  void servicesThatAreNoPorts() {
    for (String service : List.of("-1", "65536", "", "1 ", "0x1")) {
      refused(Errno.EINVAL, "127.0.0.1", service, null);
    }
  }
}
