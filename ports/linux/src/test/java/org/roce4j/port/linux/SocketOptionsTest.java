package org.roce4j.port.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.PortOptions;
import org.roce4j.port.linux.UdpSocket.Sharing;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/**
 * What the kernel knows of a socket, option by option: some show only on a machine with two
 * interfaces, under load, or with a peer of another kind.
 */
@EnabledOnOs(OS.LINUX)
class SocketOptionsTest {
  private static final MethodHandle GETSOCKOPT =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("getsockopt"),
              FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));

  /** The index of the loopback interface. */
  private static final int LOOPBACK = 1;

  private final Arena arena = Arena.ofAuto();
  private final MemorySegment errno = Libc.errnoOf(arena);

  /** A kernel that does not know an option, as that of gVisor, says nothing of it. */
  private int valueOf(int level, int option, UdpSocket socket) throws Throwable {
    MemorySegment found = arena.allocate(JAVA_INT);
    MemorySegment length = arena.allocateFrom(JAVA_INT, Integer.BYTES);
    int result = (int) GETSOCKOPT.invokeExact(socket.fd(), level, option, found, length);
    assumeTrue(result == 0, "the kernel does not know the option");
    return found.get(JAVA_INT, 0);
  }

  private void has(UdpSocket socket, int level, int option, int value) throws Throwable {
    assertEquals(value, valueOf(level, option, socket));
  }

  private static PortOptions options(Gid gid) {
    return PortOptions.of(List.of(gid)).withUdpPort(NumberedDatagrams.freeUdpPort());
  }

  private UdpSocket open(boolean ipv4, Sharing sharing) {
    assumeTrue(ipv4 || NumberedDatagrams.haveIpv6());
    Gid gid = Gid.parse(ipv4 ? "127.0.0.1" : "::1");
    return UdpSocket.ofAddress(
        errno, options(gid), gid.high(), gid.low(), ipv4 ? 0 : LOOPBACK, sharing);
  }

  private UdpSocket join(boolean ipv4, UdpSocket member) {
    Gid gid = Gid.parse(ipv4 ? "239.1.2.3" : "ff15::1234");
    return UdpSocket.ofGroup(errno, options(gid), gid.high(), gid.low(), member);
  }

  @ParameterizedTest(name = "{0}: {4}")
  @CsvSource({
    "ipv4, 1, 40, 1, SO_RXQ_OVFL: what it drops is counted",
    "ipv4, 0, 10, 3, IP_MTU_DISCOVER: PROBE",
    "ipv4, 0, 2, 64, IP_TTL",
    "ipv4, 0, 13, 1, IP_RECVTOS: marks of congestion",
    "ipv4, 0, 12, 1, IP_RECVTTL: the hop limit of a network header",
    "ipv4, 17, 104, 1, UDP_GRO: trains",
    "ipv6, 1, 40, 1, SO_RXQ_OVFL: what it drops is counted",
    "ipv6, 41, 26, 1, IPV6_V6ONLY: another socket has the IPv4 addresses",
    "ipv6, 41, 23, 3, IPV6_MTU_DISCOVER: PROBE",
    "ipv6, 41, 62, 1, IPV6_DONTFRAG",
    "ipv6, 41, 16, 64, IPV6_UNICAST_HOPS",
    "ipv6, 41, 66, 1, IPV6_RECVTCLASS: marks of congestion",
    "ipv6, 41, 51, 1, IPV6_RECVHOPLIMIT",
    "ipv6, 17, 102, 1, UDP_NO_CHECK6_RX: rxe and hardware send checksum 0",
    "ipv6, 17, 104, 1, UDP_GRO: trains"
  })
  void everySocketReceivesAs(String family, int level, int option, int value, String what)
      throws Throwable {
    boolean ipv4 = family.equals("ipv4");
    UdpSocket member = open(ipv4, Sharing.ALONE);
    UdpSocket joined = join(ipv4, member);
    try {
      has(member, level, option, value);
      has(joined, level, option, value);
    } finally {
      member.close(errno);
      joined.close(errno);
    }
  }

  @ParameterizedTest(name = "{0}: {4}")
  @CsvSource({
    "ipv4, 0, 34, 1, IP_MULTICAST_LOOP: members on this machine hear",
    "ipv4, 0, 32, 0x0100007f, IP_MULTICAST_IF: by the interface of the address",
    "ipv6, 41, 19, 1, IPV6_MULTICAST_LOOP: members on this machine hear",
    "ipv6, 41, 17, 1, IPV6_MULTICAST_IF: by the interface of the address"
  })
  void anAddressSendsToGroupsAs(String family, int level, int option, int value, String what)
      throws Throwable {
    UdpSocket socket = open(family.equals("ipv4"), Sharing.ALONE);
    try {
      has(socket, level, option, value);
    } finally {
      socket.close(errno);
    }
  }

  @ParameterizedTest(name = "{0}: {4}")
  @CsvSource({
    "ipv4, 1, 2, 1, SO_REUSEADDR: several devices join",
    "ipv4, 0, 49, 0, IP_MULTICAST_ALL: only what comes by its own interface",
    "ipv6, 1, 2, 1, SO_REUSEADDR: several devices join",
    "ipv6, 41, 29, 0, IPV6_MULTICAST_ALL: only what comes by its own interface"
  })
  void aGroupIsHeardAs(String family, int level, int option, int value, String what)
      throws Throwable {
    boolean ipv4 = family.equals("ipv4");
    UdpSocket member = open(ipv4, Sharing.ALONE);
    UdpSocket joined = join(ipv4, member);
    try {
      has(joined, level, option, value);
    } finally {
      member.close(errno);
      joined.close(errno);
    }
  }

  /** The first lets others join once it has the address; a socket alone lets nobody. */
  @ParameterizedTest
  @EnumSource(Sharing.class)
  void anAddressIsShared(Sharing sharing) throws Throwable {
    UdpSocket socket = open(true, sharing);
    try {
      has(socket, 1, 15, sharing == Sharing.ALONE ? 0 : 1); // SO_REUSEPORT
    } finally {
      socket.close(errno);
    }
  }

  @Test
  void aSocketIsOfItsAddressInBothHalves() {
    Gid own = Gid.parse("127.0.0.1");
    UdpSocket socket = open(true, Sharing.ALONE);
    try {
      assertTrue(socket.is(own.high(), own.low()));
      assertTrue(socket.isHeardBy(own));
      for (Gid other :
          List.of(new Gid(own.high() + 1, own.low()), new Gid(own.high(), own.low() + 1))) {
        assertFalse(socket.is(other.high(), other.low()));
        assertFalse(socket.isHeardBy(other));
      }
    } finally {
      socket.close(errno);
    }
  }

  /** The kernel doubles what it is asked for, and bounds it without the privilege. */
  @ParameterizedTest(name = "{2}")
  @CsvSource({"8, 33, rmem_max", "7, 32, wmem_max"})
  void aBufferHasItsSizeOrTheMostThatIsAllowed(int option, int privileged, String bound)
      throws Throwable {
    UdpSocket socket = open(true, Sharing.ALONE);
    try {
      int size = valueOf(1, option, socket);
      SocketOptions options = new SocketOptions(errno, socket.fd(), 0, 0);
      int most = Integer.parseInt(Files.readString(Path.of("/proc/sys/net/core", bound)).strip());
      boolean allowed = options.tryToSet(1, privileged, PortOptions.SOCKET_BUFFER_BYTES);
      int due = PortOptions.SOCKET_BUFFER_BYTES;
      assertEquals(2 * (allowed ? due : Math.min(due, most)), size);
    } finally {
      socket.close(errno);
    }
  }

  /** The kernel lists index and name of the interface, the group, and the number of its members. */
  @Test
  void anIpv6GroupIsJoinedByTheInterfaceOfTheAddressThatHearsIt() throws IOException {
    Path list = Path.of("/proc/net/igmp6");
    assumeTrue(Files.isReadable(list));
    UdpSocket member = open(false, Sharing.ALONE);
    UdpSocket joined = join(false, member);
    try {
      assertEquals(LOOPBACK, member.scope());
      assertEquals(LOOPBACK, joined.scope());
      assertTrue(joined.isHeardBy(Gid.parse("::1")));
      assertTrue(
          Files.readAllLines(list).stream()
              .map(line -> line.strip().split("\\s+"))
              .anyMatch(
                  column ->
                      column[0].equals("1")
                          && column[2].equals("ff150000000000000000000000001234")));
    } finally {
      member.close(errno);
      joined.close(errno);
    }
  }

  /** No descriptor is -1. */
  @Test
  void aRefusalNamesOptionAndAddress() {
    Gid gid = Gid.parse("fd00:1::1");
    SocketOptions options = new SocketOptions(errno, -1, gid.high(), gid.low());
    assertFalse(options.tryToSet(1, 2, 1));
    VerbsException refused = assertThrows(VerbsException.class, () -> options.set(1, 2, 1));
    String message = refused.getMessage();
    assertTrue(message.contains("option 2 of level 1 on the socket of fd00:1::1"), message);
  }
}
