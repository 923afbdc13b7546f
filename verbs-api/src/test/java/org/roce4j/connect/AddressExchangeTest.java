package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Refusals;

/** The sockets over which addresses are exchanged. */
class AddressExchangeTest {
  static Stream<Arguments> timeouts() {
    return Stream.of(
        Arguments.of(Duration.ZERO, 1),
        Arguments.of(Duration.ofNanos(999_999), 1),
        Arguments.of(Duration.ofMillis(7).plusNanos(1), 7),
        Arguments.of(Duration.ofMillis(Integer.MAX_VALUE), Integer.MAX_VALUE),
        Arguments.of(Duration.ofMillis(Integer.MAX_VALUE + 1L), Integer.MAX_VALUE),
        Arguments.of(ChronoUnit.FOREVER.getDuration(), Integer.MAX_VALUE));
  }

  /** Sockets take 0 for no timeout. */
  @ParameterizedTest
  @MethodSource("timeouts")
  void noTimeoutOfASocketIsZero(Duration patience, int milliseconds) {
    assertEquals(milliseconds, AddressExchange.milliseconds(patience));
  }

  /** Each side waits for the other's short messages. */
  @Test
  void shortMessagesAreSentAtOnceAndAConnectionThatIsGoneIsReset() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
      AddressExchange exchange = new AddressExchange(socket, Duration.ofSeconds(9));
      assertTrue(socket.getTcpNoDelay());
      socket.shutdownOutput();
      Refusals.refused(Errno.ECONNRESET, exchange::sayDone);
    }
  }

  @Test
  void aServerThatIsNotThereCostsNoDescriptor() throws IOException {
    File open = new File("/proc/self/fd");
    assumeTrue(open.isDirectory());
    int port;
    try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = nobody.getLocalPort();
    }
    int before = 0;
    for (int i = 0; i < 40; i++) {
      Refusals.refused(
          Errno.ECONNREFUSED, () -> AddressExchange.call("127.0.0.1", port, Duration.ofSeconds(9)));
      before = i == 0 ? open.list().length : before;
    }
    assertTrue(open.list().length < before + 20, "descriptors grow with the calls");
  }
}
