package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.port.PortContract;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Gid;

class NettyEpollPortTest extends PortContract {
  @BeforeEach
  void needsEpoll() {
    assumeTrue(Epoll.isAvailable(), "Netty's epoll library does not load here");
  }

  @Override
  protected PortProvider provider() {
    return new NettyPortProvider();
  }

  @Test
  void epollIsPreferred() {
    assertEquals("netty-epoll", open(options(Gid.parse("127.0.0.1"))).capabilities().name());
  }
}
