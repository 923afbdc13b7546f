package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.OwnNetwork;

/**
 * Games over real datagrams, on loopback addresses that no other process uses, not even another
 * build on this machine. Only Linux has all of 127.0.0.0/8.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class UdpPingPongTest {
  private static final String A = OwnNetwork.address(1);
  private static final String B = OwnNetwork.address(2);

  @ParameterizedTest
  @CsvSource({
    "auto,rc --size 10000,10000",
    "auto,rc --size 10000 --events,10000",
    "netty,rc --size 10000,10000",
    "netty,rc --size 10000 --events,10000",
    "auto,uc,4096",
    "auto,uc --events,4096",
    "netty,uc,4096",
    "netty,uc --events,4096",
    "auto,ud,1024",
    "auto,ud --events,1024",
    "netty,ud,1024",
    "netty,ud --events,1024",
    "auto,srq,4096",
    "auto,srq --events,4096",
    "netty,srq,4096",
    "netty,srq --events,4096",
    "auto,xrc,4096",
    "auto,xrc --events,4096",
    "netty,xrc,4096",
    "netty,xrc --events,4096",
  })
  void bothEndsOfOneProcessPlay(String transport, String service, int size) {
    CommandRun run =
        CommandRun.pingPong(
            "--iters 200 --bind "
                + A
                + ","
                + B
                + " --transport "
                + transport
                + " --service "
                + service);
    assertEquals(0, run.status(), run.err());
    assertEquals(2 * 200 * size + " bytes verified", run.lastLine());
  }

  @ParameterizedTest
  @CsvSource({
    "rc --size 5000,5000",
    "rc --size 5000 --events,5000",
    "uc --size 5000,5000",
    "ud,1024",
    "ud --events,1024",
    "srq --size 5000,5000",
    "srq --size 5000 --events --qps 3,5000",
    "xrc --size 5000,5000",
    "xrc --size 5000 --events,5000",
  })
  void twoEndsFindEachOtherByTheExchange(String service, int size) throws Exception {
    int port = freePort();
    String plan = "--iters 200 --port " + port + " --service " + service;
    CompletableFuture<CommandRun> server =
        CompletableFuture.supplyAsync(
            () -> CommandRun.pingPong("--server --bind " + A + " " + plan));
    awaitListening(port);
    CommandRun client = CommandRun.pingPong("--bind " + B + " 127.0.0.1 " + plan);

    assertEquals(0, client.status(), client.err());
    assertEquals(200 * size + " bytes verified", client.lastLine());
    CommandRun other = server.get(60, TimeUnit.SECONDS);
    assertEquals(0, other.status(), other.err());
    assertEquals(200 * size + " bytes verified", other.lastLine());
  }

  /** Each client has a connection to the server and messages of its own. */
  @ParameterizedTest
  @CsvSource({"''", "--events"})
  void clientsOfOneProcessPlayWithOneServer(String events) throws Exception {
    int port = freePort();
    String plan = "--service xrc --clients 3 --iters 50 --port " + port + " " + events;
    CompletableFuture<CommandRun> server =
        CompletableFuture.supplyAsync(
            () -> CommandRun.pingPong(("--server --bind " + A + " " + plan).strip()));
    awaitListening(port);
    CommandRun client = CommandRun.pingPong(("--bind " + B + " 127.0.0.1 " + plan).strip());

    assertEquals(0, client.status(), client.err());
    assertEquals(3 * 50 * 4096 + " bytes verified", client.lastLine());
    CommandRun other = server.get(60, TimeUnit.SECONDS);
    assertEquals(0, other.status(), other.err());
    assertEquals(3 * 50 * 4096 + " bytes verified", other.lastLine());
  }

  @Test
  void anAddressInUseIsOneLineThatNamesAFreeOne() throws Exception {
    int port = freePort();
    CompletableFuture<CommandRun> server =
        CompletableFuture.supplyAsync(
            () -> CommandRun.pingPong("--server --bind " + A + " --port " + port));
    awaitListening(port);

    CommandRun run = CommandRun.of("pingpong --bind " + A + "," + B);

    assertEquals(1, run.status(), run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains(A), run.err());
    assertTrue(run.err().contains("EADDRINUSE"), run.err());
    CommandRun client = CommandRun.pingPong("--bind " + B + " --port " + port + " 127.0.0.1");
    assertEquals(0, client.status(), client.err());
    assertEquals(0, server.get(60, TimeUnit.SECONDS).status());
  }

  @ParameterizedTest
  @ValueSource(strings = {"rc", "ud", "uc"})
  void bothSidesPlayOverTheSecondPortOfADevice(String service) {
    String one = OwnNetwork.address(3);
    String two = OwnNetwork.address(4);
    String device = "--set device.dual.addresses=%s;%s --device dual".formatted(one, two);
    CommandRun run =
        CommandRun.pingPong("%s --ib-port 2 --iters 20 --service %s".formatted(device, service));
    assertEquals(0, run.status(), run.err());
    assertTrue(run.out().contains("server: device dual, address " + two), run.out());
    assertFalse(run.out().contains(one), run.out());
  }

  @Test
  void anAddressOfAnotherHostIsOneLine() {
    CommandRun run = CommandRun.of("pingpong --bind 192.0.2.1");
    assertEquals(2, run.status(), run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("192.0.2.1"), run.err());
  }

  @Test
  void anUnknownDeviceIsOneLine() {
    CommandRun run = CommandRun.of("pingpong --device nonsense");
    assertEquals(2, run.status(), run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("nonsense"), run.err());
  }

  static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0)) {
      return any.getLocalPort();
    }
  }

  /** Reads the kernel's table, because a connection would use up the server's only accept. */
  static void awaitListening(int port) throws IOException {
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
