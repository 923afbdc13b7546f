package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Gid;

class NettyNioPortTest extends NettyPortContract {
  @Override
  public PortProvider provider() {
    return new NettyPortProvider(false);
  }

  @Test
  void nioIsWhatIsTested() {
    assertEquals("netty-nio", open(options(Gid.parse("127.0.0.1"))).capabilities().name());
  }
}
