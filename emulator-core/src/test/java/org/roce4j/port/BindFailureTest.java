package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** Who holds an address is found in every table of the kernel, under every name it may have. */
@EnabledOnOs(OS.LINUX)
class BindFailureTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, INET, 127.0.0.1",
    "127.0.0.1, INET, 0.0.0.0",
    "127.0.0.1, INET6, 127.0.0.1",
    "127.0.0.1, INET6, ::",
    "::1, INET6, ::1",
    "::1, INET6, ::"
  })
  void theHolderOfAnAddressIsNamed(String wanted, StandardProtocolFamily family, String bound)
      throws IOException {
    try (DatagramChannel holder = DatagramChannel.open(family)) {
      holder.bind(new InetSocketAddress(bound, 0));
      int port = ((InetSocketAddress) holder.getLocalAddress()).getPort();
      Gid gid = Gid.parse(wanted);
      VerbsException refused = BindFailure.explain(Errno.EADDRINUSE, gid.high(), gid.low(), port);
      assertEquals(Errno.EADDRINUSE, refused.errno());
      String us = "in use by process " + ProcessHandle.current().pid() + " (";
      assertTrue(refused.remedy().contains(us), refused.remedy());
    }
  }
}
