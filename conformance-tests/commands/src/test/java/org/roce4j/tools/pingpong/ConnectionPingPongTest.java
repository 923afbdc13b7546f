package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.connect.Connection;
import org.roce4j.connect.ConnectionOptions;
import org.roce4j.connect.Listener;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.OwnNetwork;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;

/**
 * A program with a {@link Connection} plays with {@code roce4j pingpong} as with {@code
 * ibv_rc_pingpong}: with the exchange over TCP, the attributes and the game of the C program.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class ConnectionPingPongTest {
  private static final RdmaDevice DEVICE =
      Emulator.device(DeviceOptions.of("here", Gid.parse(OwnNetwork.address(11))));
  private static final ConnectionOptions PATIENT =
      ConnectionOptions.DEFAULT
          .withTimeout(Duration.ofSeconds(60))
          .withAttributes(attr -> attr.timeout(20));
  private static final String GAME = "--iters 100 --bind " + OwnNetwork.address(12) + " ";

  /** The first message of the C program. */
  private static final byte FILL = 0x7b;

  @ParameterizedTest
  @ValueSource(strings = {"", "--events ", "--transport netty "})
  void theProgramThatListensAnswersTheGame(String how) throws Exception {
    try (Listener listener = Connection.listen(DEVICE, 0, PATIENT)) {
      CompletableFuture<CommandRun> client =
          CompletableFuture.supplyAsync(
              () -> CommandRun.pingPong(GAME + how + "--port " + listener.port() + " 127.0.0.1"));
      try (Connection game = listener.accept()) {
        for (int i = 0; i < 100; i++) {
          game.send(game.receive().bytes());
        }
        won(client);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--events ", "--transport netty "})
  void theProgramThatConnectsPlaysTheGame(String how) throws Exception {
    int port = UdpPingPongTest.freePort();
    CompletableFuture<CommandRun> server =
        CompletableFuture.supplyAsync(
            () -> CommandRun.pingPong(GAME + how + "--server --port " + port));
    UdpPingPongTest.awaitListening(port);
    try (Connection game = Connection.connect(DEVICE, "127.0.0.1", port, PATIENT)) {
      byte[] message = new byte[4096];
      Arrays.fill(message, FILL);
      for (int i = 0; i < 100; i++) {
        game.send(message);
        message = game.receive().bytes();
        assertEquals(4096, message.length);
      }
      won(server);
    }
  }

  private static void won(CompletableFuture<CommandRun> game) throws Exception {
    CommandRun run = game.get(60, TimeUnit.SECONDS);
    assertEquals(0, run.status(), run.err());
    run.assertPrinted(
        "409600 bytes verified (the peer is ibv_rc_pingpong, which sends back what it received)");
  }
}
