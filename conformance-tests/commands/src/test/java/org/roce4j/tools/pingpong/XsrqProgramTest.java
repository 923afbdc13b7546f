package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.OwnNetwork;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** Both roles of {@code --service xrc} with {@link XsrqProgram}. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class XsrqProgramTest {
  private static final String PEER = OwnNetwork.address(13);
  private static final String OURS = OwnNetwork.address(14);
  private static final int TESTS = 50;

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void asItsClients(int clients) throws Exception {
    try (ServerSocket listening = new ServerSocket(0, clients);
        XsrqProgram server = new XsrqProgram(device(), clients, TESTS)) {
      CompletableFuture<CommandRun> run =
          CompletableFuture.supplyAsync(
              () -> ours("127.0.0.1 --clients " + clients, listening.getLocalPort()));
      for (int i = 0; i < clients; i++) {
        server.exchange(listening.accept(), false);
      }
      server.play(true);
      assertVerified(run.get(60, TimeUnit.SECONDS), clients);
    }
  }

  @Test
  void asItsServer() throws Exception {
    int port = UdpPingPongTest.freePort();
    CompletableFuture<CommandRun> run = CompletableFuture.supplyAsync(() -> ours("--server", port));
    UdpPingPongTest.awaitListening(port);
    try (XsrqProgram client = new XsrqProgram(device(), 1, TESTS)) {
      client.exchange(new Socket("127.0.0.1", port), true);
      client.play(false);
      assertVerified(run.get(60, TimeUnit.SECONDS), 1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HTTP/1.1 400 Bad Request | does not speak the protocol of ibv_xsrq_pingpong: it sent",
        "0000:000011:000012:a1b2c3:000003:00000000000000000000000000000000 | gave no GID: start"
            + " its",
      })
  void aServerThatCannotBeAnsweredIsToldOf(String answer, String words) throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 1)) {
      CompletableFuture<CommandRun> run =
          CompletableFuture.supplyAsync(
              () -> ours("127.0.0.1", listening.getLocalPort()),
              command -> Thread.ofPlatform().daemon().start(command));
      try (Socket peer = listening.accept()) {
        peer.getInputStream().readNBytes(XrcAddress.LENGTH);
        byte[] message =
            Arrays.copyOf(answer.getBytes(StandardCharsets.US_ASCII), XrcAddress.LENGTH);
        peer.getOutputStream().write(message);
        CommandRun told = run.get(60, TimeUnit.SECONDS);
        assertEquals(1, told.status(), told::toString);
        assertTrue(told.err().contains(words), told::err);
      }
    }
  }

  private static Context device() {
    return Emulator.device(DeviceOptions.of("peer", Gid.parse(PEER))).open();
  }

  private static CommandRun ours(String role, int port) {
    return CommandRun.pingPong(
        "--service xrc --iters %d --bind %s --port %d %s".formatted(TESTS, OURS, port, role));
  }

  private static void assertVerified(CommandRun run, int clients) {
    assertEquals(0, run.status(), run.err());
    assertEquals(
        clients * TESTS * 4096L
            + " bytes verified (the peer is ibv_xsrq_pingpong, which sends back what it received)",
        run.lastLine());
  }
}
