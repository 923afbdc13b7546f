package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Over real datagrams, on loopback addresses that nobody else uses; Linux alone has all of
 * 127.0.0.0/8.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class UdpPingPongTest {
  private static final String A = "127.77.0.1";
  private static final String B = "127.77.0.2";

  @ParameterizedTest
  @CsvSource({
    "auto,''",
    "auto,--events",
    "netty,''",
    "netty,--events",
  })
  void bothEndsOfOneProcessPlay(String transport, String events) {
    CommandRun run =
        CommandRun.of(
            ("pingpong --iters 200 --size 10000 --bind "
                    + A
                    + ","
                    + B
                    + " --transport "
                    + transport
                    + " "
                    + events)
                .strip());
    assertEquals(0, run.status(), run.err());
    assertEquals("4000000 bytes verified", run.lastLine());
  }

  @ParameterizedTest
  @CsvSource({"''", "--events"})
  void twoEndsFindEachOtherByTheExchange(String events) throws Exception {
    int port = freePort();
    String traffic = "--iters 200 --size 10000 --port " + port + " " + events;
    CompletableFuture<CommandRun> server =
        CompletableFuture.supplyAsync(
            () -> CommandRun.of("pingpong --server --bind " + A + " " + traffic.strip()));
    awaitListening(port);
    CommandRun client = CommandRun.of("pingpong --bind " + B + " 127.0.0.1 " + traffic.strip());

    assertEquals(0, client.status(), client.err());
    assertEquals("2000000 bytes verified", client.lastLine());
    CommandRun other = server.get(30, TimeUnit.SECONDS);
    assertEquals(0, other.status(), other.err());
    assertEquals("2000000 bytes verified", other.lastLine());
  }

  @Test
  void anAddressInUseIsOneLineThatNamesAFreeOne() throws Exception {
    int port = freePort();
    CompletableFuture<CommandRun> server =
        CompletableFuture.supplyAsync(
            () -> CommandRun.of("pingpong --server --patience 5 --bind " + A + " --port " + port));
    awaitListening(port);

    CommandRun run = CommandRun.of("pingpong --bind " + A + "," + B);

    assertEquals(1, run.status(), run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains(A), run.err());
    assertTrue(run.err().contains("EADDRINUSE"), run.err());
    CommandRun client = CommandRun.of("pingpong --bind " + B + " --port " + port + " 127.0.0.1");
    assertEquals(0, client.status(), client.err());
    assertEquals(0, server.get(30, TimeUnit.SECONDS).status());
  }

  @Test
  void anAddressOfAnotherHostIsOneLine() {
    CommandRun run = CommandRun.of("pingpong --bind 192.0.2.1");
    assertEquals(1, run.status(), run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("192.0.2.1"), run.err());
  }

  @Test
  void anUnknownDeviceIsOneLine() {
    CommandRun run = CommandRun.of("pingpong --device nonsense");
    assertEquals(1, run.status(), run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("nonsense"), run.err());
  }

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0)) {
      return any.getLocalPort();
    }
  }

  /** Reads the kernel's table: connecting would spend the server's only accept. */
  private static void awaitListening(int port) throws IOException {
    String listening = String.format(Locale.ROOT, ":%04X .* 0A .*", port);
    while (true) {
      for (String table : new String[] {"/proc/net/tcp", "/proc/net/tcp6"}) {
        for (String line : Files.readAllLines(Path.of(table))) {
          if (line.matches(".*" + listening)) {
            return;
          }
        }
      }
      Thread.onSpinWait();
    }
  }
}
