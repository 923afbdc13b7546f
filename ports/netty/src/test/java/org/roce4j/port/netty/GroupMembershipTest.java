package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Gid;

/** Both kinds of sockets join an IPv6 group, which the kernel then lists. */
class GroupMembershipTest {
  private static final Path LIST = Path.of("/proc/net/igmp6");
  private static final Gid OWN = Gid.parse("::1");
  private static final Gid GROUP = Gid.parse("ff15::1235");

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anIpv6GroupIsJoinedByTheInterfaceOfTheAddressThatHearsIt(boolean epoll) throws IOException {
    assumeTrue(!epoll || Epoll.isAvailable(), "Netty's epoll library does not load here");
    assumeTrue(NumberedDatagrams.haveIpv6() && Files.isReadable(LIST));
    SocketFactory sockets = epoll ? new EpollSockets() : new NioSockets();
    PortOptions options = PortOptions.of(List.of(OWN)).withUdpPort(NumberedDatagrams.freeUdpPort());
    NettySocket member = sockets.open(options, OWN.high(), OWN.low());
    NettySocket joined = sockets.openGroup(options, GROUP.high(), GROUP.low(), member);
    List<String> listed = Files.readAllLines(LIST);
    joined.closeUnderneath();
    member.closeUnderneath();
    String line = "lo ff150000000000000000000000001235 ";
    assertTrue(
        listed.stream().anyMatch(each -> each.replaceAll("\\s+", " ").contains(line)),
        listed::toString);
  }
}
