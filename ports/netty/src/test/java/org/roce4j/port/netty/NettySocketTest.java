package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Gid;

/** What the port asks of its sockets without any system call. */
class NettySocketTest {
  private static NettySocket socket(Gid gid) {
    return new NettySocket(new EmbeddedChannel(), gid.high(), gid.low(), null, false) {
      @Override
      void setTrafficClass(int trafficClass) {}

      @Override
      void setHopLimit(int hopLimit) {}

      @Override
      void closeUnderneath() {}
    };
  }

  @ParameterizedTest
  @CsvSource({
    "fd00:1::1, fd00:1::1, true",
    "fd00:1::1, fd00:2::1, false",
    "fd00:1::1, fd00:1::2, false",
    "10.0.0.1, 10.0.0.2, false"
  })
  void itIsOfOneAddressInBothHalves(String own, String other, boolean same) {
    Gid asked = Gid.parse(other);
    NettySocket socket = socket(Gid.parse(own));
    assertEquals(same, socket.is(asked.high(), asked.low()));
    assertEquals(same, socket.isHeardBy(asked));
  }
}
