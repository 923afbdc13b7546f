package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.socket.nio.NioChannelOption;
import java.io.File;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** How the sockets of NIO are set; most of it shows only between machines. */
class NioSocketsTest {
  private static final Gid OWN = Gid.parse("127.0.0.1");
  private static final Gid GROUP = Gid.parse("239.1.2.3");

  private final NioSockets sockets = new NioSockets();
  private final int udpPort = NumberedDatagrams.freeUdpPort();
  private final List<NettySocket> opened = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (NettySocket socket : opened.reversed()) {
      socket.closeUnderneath();
    }
  }

  private PortOptions options(Gid gid) {
    return PortOptions.of(List.of(gid)).withUdpPort(udpPort);
  }

  private NettySocket open(Gid gid) throws IOException {
    NettySocket socket = sockets.open(options(gid), gid.high(), gid.low());
    opened.add(socket);
    return socket;
  }

  private NettySocket join(Gid group, NettySocket member) throws IOException {
    NettySocket socket = sockets.openGroup(options(group), group.high(), group.low(), member);
    opened.add(socket);
    return socket;
  }

  private static <T> T valueOf(NettySocket socket, SocketOption<T> option) {
    return socket.channel().config().getOption(NioChannelOption.of(option));
  }

  /** Then each datagram has the identification 0, which the ICRC covers. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void datagramsAreNotFragmented() throws IOException {
    NettySocket own = open(OWN);
    assertTrue(valueOf(own, ExtendedSocketOptions.IP_DONTFRAGMENT));
    assertTrue(valueOf(join(GROUP, own), ExtendedSocketOptions.IP_DONTFRAGMENT));
  }

  @Test
  void itsBuffersAreLargerThanThoseOfAnySocket() throws IOException {
    NettySocket own = open(OWN);
    try (DatagramChannel any = DatagramChannel.open(StandardProtocolFamily.INET)) {
      for (SocketOption<Integer> option :
          List.of(StandardSocketOptions.SO_RCVBUF, StandardSocketOptions.SO_SNDBUF)) {
        assertTrue(valueOf(own, option) > any.getOption(option), option.name());
      }
    }
  }

  @Test
  void anAddressSendsWithTheFieldsOfThePathByItsInterface() throws IOException {
    NettySocket own = open(OWN);
    own.network(0x22, 9);
    assertEquals(0x22, valueOf(own, StandardSocketOptions.IP_TOS));
    assertEquals(9, valueOf(own, StandardSocketOptions.IP_MULTICAST_TTL));
    assertEquals(
        SocketFactory.scope(OWN.high(), OWN.low()),
        valueOf(own, StandardSocketOptions.IP_MULTICAST_IF));
  }

  /** Several devices join; an address is of one. */
  @Test
  void onlyAGroupIsShared() throws IOException {
    NettySocket own = open(OWN);
    assertFalse(valueOf(own, StandardSocketOptions.SO_REUSEADDR));
    assertTrue(valueOf(join(GROUP, own), StandardSocketOptions.SO_REUSEADDR));
  }

  /** A foreign address, an address that has a socket, and an address that is no group. */
  @Test
  void whatIsRefusedLeavesNoDescriptor() throws IOException {
    File descriptors = new File("/proc/self/fd");
    assumeTrue(descriptors.isDirectory());
    NettySocket taken = open(OWN);
    Gid nobody = Gid.parse("192.0.2.1");
    Gid single = Gid.parse("127.0.0.9");
    assertThrows(VerbsException.class, () -> open(nobody)); // the library loads meanwhile
    int before = count(descriptors);
    for (int i = 0; i < 8; i++) {
      assertThrows(VerbsException.class, () -> open(nobody));
      assertThrows(VerbsException.class, () -> open(OWN));
      assertThrows(IllegalArgumentException.class, () -> join(single, taken));
    }
    assertEquals(before, count(descriptors));
  }

  /** The least of some counts: the virtual machine opens a file of the kernel now and then. */
  private static int count(File descriptors) {
    return IntStream.range(0, 5).map(i -> descriptors.list().length).min().orElseThrow();
  }
}
