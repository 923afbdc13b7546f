package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** Both kinds of sockets say why an address cannot be had. */
class RefusedBindTest {
  private final int udpPort = NumberedDatagrams.freeUdpPort();

  private NettySocket open(SocketFactory sockets, String address) throws IOException {
    Gid gid = Gid.parse(address);
    PortOptions options = PortOptions.of(List.of(gid)).withUdpPort(udpPort);
    return sockets.open(options, gid.high(), gid.low());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itIsTakenOrOfNobodyHere(boolean epoll) throws IOException {
    assumeTrue(!epoll || Epoll.isAvailable(), "Netty's epoll library does not load here");
    SocketFactory sockets = epoll ? new EpollSockets() : new NioSockets();
    NettySocket taken = open(sockets, "127.0.0.1");
    try {
      assertEquals(Errno.EADDRINUSE, refusal(sockets, "127.0.0.1"));
      assertEquals(Errno.EADDRNOTAVAIL, refusal(sockets, "192.0.2.1"));
    } finally {
      taken.closeUnderneath();
    }
  }

  private Errno refusal(SocketFactory sockets, String address) {
    return assertThrows(VerbsException.class, () -> open(sockets, address)).errno();
  }
}
