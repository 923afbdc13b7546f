package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.PortCapabilities;
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

  /** With don't-fragment, as Linux has it, each datagram has the identification 0. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void whatItPromisesIsOfItsTransport() {
    assertEquals(
        new PortCapabilities(
            "netty-nio", false, 1, IdentificationRule.ZERO, true, false, false, true),
        open(options(LEFT)).capabilities());
  }
}
