package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.ChannelException;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.Socket;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/**
 * What the kernel knows of a socket that Netty's epoll transport reads, option by option: some show
 * only on a machine with two interfaces, or with a peer of another kind.
 */
class EpollSocketsTest {
  private final EpollSockets sockets = new EpollSockets();
  private final int udpPort = NumberedDatagrams.freeUdpPort();
  private final List<NettySocket> opened = new ArrayList<>();

  @BeforeEach
  void needsEpoll() {
    assumeTrue(Epoll.isAvailable(), "Netty's epoll library does not load here");
  }

  @AfterEach
  void close() throws IOException {
    for (NettySocket socket : opened.reversed()) {
      socket.closeUnderneath();
    }
  }

  private NettySocket toClose(NettySocket socket) {
    opened.add(socket);
    return socket;
  }

  private NettySocket open(Gid gid) throws IOException {
    assumeTrue(gid.isIpv4Mapped() || NumberedDatagrams.haveIpv6());
    return toClose(sockets.open(options(gid), gid.high(), gid.low()));
  }

  private PortOptions options(Gid gid) {
    return PortOptions.of(List.of(gid)).withUdpPort(udpPort);
  }

  private static Gid here(String family) {
    return Gid.parse(family.equals("ipv4") ? "127.0.0.1" : "::1");
  }

  private NettySocket join(String family, NettySocket member) throws IOException {
    Gid group = Gid.parse(family.equals("ipv4") ? "239.1.2.3" : "ff15::1234");
    return toClose(sockets.openGroup(options(group), group.high(), group.low(), member));
  }

  /** A kernel that does not know an option says nothing of it. */
  private static void has(NettySocket socket, int level, int option, int value) {
    int descriptor = ((EpollDatagramChannel) socket.channel()).fd().intValue();
    int found;
    try {
      found = new Socket(descriptor).getIntOpt(level, option);
    } catch (IOException e) {
      assumeTrue(false, "the kernel does not know the option: " + e);
      return;
    }
    assertEquals(value, found);
  }

  @ParameterizedTest(name = "{0}: {4}")
  @CsvSource({
    "ipv4, 0, 10, 3, IP_MTU_DISCOVER: PROBE",
    "ipv4, 17, 104, 1, UDP_GRO: trains",
    "ipv6, 41, 23, 3, IPV6_MTU_DISCOVER: PROBE",
    "ipv6, 41, 62, 1, IPV6_DONTFRAG",
    "ipv6, 17, 102, 1, UDP_NO_CHECK6_RX: rxe and hardware send checksum 0",
    "ipv6, 17, 104, 1, UDP_GRO: trains"
  })
  void everySocketReceivesAs(String family, int level, int option, int value, String what)
      throws IOException {
    NettySocket member = open(here(family));
    has(member, level, option, value);
    has(join(family, member), level, option, value);
  }

  @ParameterizedTest(name = "{0}: {4}")
  @CsvSource({
    "ipv4, 0, 32, 0x0100007f, IP_MULTICAST_IF: by the interface of the address",
    "ipv4, 0, 1, 0x22, IP_TOS",
    "ipv4, 0, 2, 9, IP_TTL",
    "ipv4, 0, 33, 9, IP_MULTICAST_TTL",
    "ipv6, 41, 17, 1, IPV6_MULTICAST_IF: by the interface of the address",
    "ipv6, 41, 67, 0x22, IPV6_TCLASS",
    "ipv6, 41, 16, 9, IPV6_UNICAST_HOPS",
    "ipv6, 41, 18, 9, IPV6_MULTICAST_HOPS"
  })
  void anAddressSendsAs(String family, int level, int option, int value, String what)
      throws IOException {
    NettySocket socket = open(here(family));
    socket.network(0x22, 8);
    socket.network(0x22, 9);
    has(socket, level, option, value);
  }

  @ParameterizedTest(name = "{0}: {4}")
  @CsvSource({
    "ipv4, 1, 2, 1, SO_REUSEADDR: several devices join",
    "ipv4, 0, 49, 0, IP_MULTICAST_ALL: only what comes by its own interface",
    "ipv6, 1, 2, 1, SO_REUSEADDR: several devices join",
    "ipv6, 41, 29, 0, IPV6_MULTICAST_ALL: only what comes by its own interface"
  })
  void aGroupIsHeardAs(String family, int level, int option, int value, String what)
      throws IOException {
    has(join(family, open(here(family))), level, option, value);
  }

  /** As large as the system allows; 7 is SO_SNDBUF and 8 SO_RCVBUF. */
  @ParameterizedTest
  @ValueSource(ints = {7, 8})
  void itsBuffersAreLargerThanThoseOfAnySocket(int option) throws IOException {
    EpollDatagramChannel channel = (EpollDatagramChannel) open(here("ipv4")).channel();
    int ours = new Socket(channel.fd().intValue()).getIntOpt(1, option);
    LinuxSocket any = LinuxSocket.newSocketDgram(SocketProtocolFamily.INET);
    int usual = any.getIntOpt(1, option);
    any.close();
    assertTrue(ours > usual, () -> ours + " bytes, usually " + usual);
  }

  /** A foreign address, an address that has a socket, and an address that is no group. */
  @Test
  void whatIsRefusedLeavesNoDescriptor() throws IOException {
    NettySocket taken = open(here("ipv4"));
    Gid nobody = Gid.parse("192.0.2.1");
    Gid single = Gid.parse("127.0.0.9");
    assertThrows(VerbsException.class, () -> open(nobody)); // the library loads meanwhile
    int before = descriptors();
    for (int i = 0; i < 8; i++) {
      assertThrows(VerbsException.class, () -> open(nobody));
      assertThrows(VerbsException.class, () -> open(here("ipv4")));
      assertThrows(
          ChannelException.class,
          () -> sockets.openGroup(options(single), single.high(), single.low(), taken));
    }
    assertEquals(before, descriptors());
  }

  /** The least of some counts: the virtual machine opens a file of the kernel now and then. */
  private static int descriptors() {
    File open = new File("/proc/self/fd");
    return IntStream.range(0, 5).map(i -> open.list().length).min().orElseThrow();
  }
}
