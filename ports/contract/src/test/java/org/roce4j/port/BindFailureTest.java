package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/**
 * The process that holds an address is found in every table of the kernel, under every name that it
 * may have.
 */
@EnabledOnOs(OS.LINUX)
class BindFailureTest {
  @TempDir private Path directory;

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

  /** A socket of the kernel itself has no inode. */
  @ParameterizedTest
  @CsvSource({"0, by the kernel (is a Linux rxe device configured?)", "1, ''"})
  void theKernelIsAHolderToo(String inode, String words) throws IOException {
    String line = "  7: 0100007F:12B7 00000000:0000 07 0:0 00:0 0  0  0 " + inode + " 2 0 0";
    Path table = Files.writeString(directory.resolve("udp"), "  sl local_address\n" + line + "\n");
    assertEquals(words, BindFailure.owner(table, List.of("0100007F:12B7")).strip());
    assertEquals("", BindFailure.owner(table, List.of("0100007F:12B8")));
    Path cut =
        Files.writeString(
            directory.resolve("cut"), line.substring(0, line.lastIndexOf(inode + " 2")));
    assertEquals("", BindFailure.owner(cut, List.of("0100007F:12B7")));
  }

  @Test
  void theNextFreeLoopbackAddressIsProposed() throws IOException {
    List<DatagramSocket> held = new ArrayList<>();
    try {
      held.add(new DatagramSocket(new InetSocketAddress("127.0.0.1", 0)));
      int port = held.getFirst().getLocalPort();
      for (int last = 2; last <= 9; last++) {
        held.add(new DatagramSocket(new InetSocketAddress("127.0.0." + last, port)));
      }
      assertTrue(remedy(Errno.EADDRINUSE, "127.0.0.1", port).endsWith("; use 127.0.0.10 instead"));
      for (int last = 10; last <= 253; last++) { // each proposal was free, and still is
        held.add(new DatagramSocket(new InetSocketAddress("127.0.0." + last, port)));
      }
      assertTrue(remedy(Errno.EADDRINUSE, "127.0.0.1", port).endsWith("; use 127.0.0.254 instead"));
      held.add(new DatagramSocket(new InetSocketAddress("127.0.0.254", port)));
      String none = "; stop that program or use another address";
      assertTrue(remedy(Errno.EADDRINUSE, "127.0.0.1", port).endsWith(none));
      for (String other : List.of("192.0.2.1", "126.0.0.1", "128.0.0.1", "::1", "fd00::7f00:1")) {
        String remedy = remedy(Errno.EADDRINUSE, other, port);
        assertTrue(remedy.endsWith(" is in use" + none), remedy);
      }
    } finally {
      held.forEach(DatagramSocket::close);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "EADDRNOTAVAIL, 192.0.2.1 is no address of this machine; it has",
    "EADDRNOTAVAIL, 127.0.0.1",
    "EACCES, not permitted to bind 192.0.2.1:4791",
    "EPERM, not permitted to bind 192.0.2.1:4791",
    "ENODEV, name the network interface of a link-local address",
    "EINVAL, name the network interface of a link-local address",
    "ENOBUFS, cannot bind 192.0.2.1:4791 (",
  })
  void everyFailureHasItsWords(Errno errno, String words) {
    String remedy = remedy(errno, "192.0.2.1", 4791);
    assertTrue(remedy.contains(words), remedy);
  }

  private static String remedy(Errno errno, String address, int port) {
    Gid gid = Gid.parse(address);
    VerbsException refused = BindFailure.explain(errno, gid.high(), gid.low(), port);
    assertEquals(errno, refused.errno());
    return refused.remedy();
  }
}
