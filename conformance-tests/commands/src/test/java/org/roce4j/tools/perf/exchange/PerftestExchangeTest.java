package org.roce4j.tools.perf.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

/** The exchange with a peer that writes and reads the same bytes as {@code ib_write_bw} 4.5. */
@Timeout(120)
class PerftestExchangeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String C_VERSION = "362e3036" + "00".repeat(12);
  private static final String C_KEY =
      hex(
          "0000:0001:000011:b2cb81:000002c9:00007fcd0bc3a000:"
              + "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:02:00000000:\0");
  private static final QueuePairKey OURS =
      new QueuePairKey(0, 1, 0x42, 0xa1b2c3, 0x1234, 0x5000, Gid.parse("10.77.0.1"), 0);
  private static final String OUR_KEY = HexFormat.of().formatHex(OURS.encode());
  private static final String PAGE = "00001000";
  private static final String LINE = "00000040";

  private CompletableFuture<Void> peer = CompletableFuture.completedFuture(null);

  @AfterEach
  void thePeerIsContent() throws Exception {
    peer.get(20, TimeUnit.SECONDS);
  }

  @Test
  void aClientSpeaksFirstInEverySwap() throws IOException {
    try (ServerSocket listening = new ServerSocket(0)) {
      peer =
          play(
              () -> listening.accept(),
              socket -> {
                answer(socket, C_VERSION, C_VERSION);
                answer(socket, PAGE, PAGE);
                answer(socket, LINE, "00000080");
                answer(socket, hex("5\0"), hex("3\0"));
                answer(socket, OUR_KEY, C_KEY);
                answer(socket, "0000000000010000", "0000000000000000");
                answer(socket, "0000000000001388", "0000000000000000");
                answer(socket, "4059000000000000", "0000000000000000");
                answer(socket, "4049000000000000", "0000000000000000");
                answer(socket, "3fe0000000000000", "0000000000000000");
                assertEquals(hex("done\0"), read(socket, 5));
                assertEquals(-1, socket.getInputStream().read(), "then it hangs up");
              });
      try (PerftestExchange exchange =
          new PerftestExchange(
              PeerConnection.connect("127.0.0.1", listening.getLocalPort(), PATIENCE), true)) {
        assertEquals(
            new PerftestExchange.Agreement(4096, 128, Mtu.MTU_1024), exchange.agree(Mtu.MTU_4096));
        assertEquals(0xb2cb81, exchange.keys(List.of(OURS)).getFirst().psn());
        assertEquals(
            BandwidthReport.NONE, exchange.reports(new BandwidthReport(65536, 5000, 100, 50, 0.5)));
        exchange.sayDone();
      }
    }
  }

  @Test
  void aServerAnswersInEverySwap() {
    try (PeerConnection.PeerListener listener = new PeerConnection.PeerListener(0, PATIENCE)) {
      peer =
          play(
              () -> new Socket("127.0.0.1", listener.port()),
              socket -> {
                ask(socket, C_VERSION, C_VERSION);
                ask(socket, PAGE, PAGE);
                ask(socket, LINE, LINE);
                ask(socket, hex("5\0"), hex("3\0"));
                ask(socket, C_KEY, OUR_KEY);
                ask(socket, "0000000000010000", "0000000000000000");
                ask(socket, "0000000000001388", "0000000000000000");
                ask(socket, "4059000000000000", "0000000000000000");
                ask(socket, "4049000000000000", "0000000000000000");
                ask(socket, "3fe0000000000000", "0000000000000000");
              });
      try (PerftestExchange exchange = new PerftestExchange(listener.accept(), false)) {
        assertEquals(Mtu.MTU_1024, exchange.agree(Mtu.MTU_1024).mtu());
        assertEquals(0x2c9, exchange.keys(List.of(OURS)).getFirst().rkey());
        assertEquals(
            new BandwidthReport(65536, 5000, 100, 50, 0.5), exchange.reports(BandwidthReport.NONE));
      }
    }
  }

  @Test
  void aWatchedConnectionTellsThatThePeerSpokeAndLosesNothing() throws Exception {
    CompletableFuture<Void> maySpeak = new CompletableFuture<>();
    try (PeerConnection.PeerListener listener = new PeerConnection.PeerListener(0, PATIENCE)) {
      peer =
          play(
              () -> new Socket("127.0.0.1", listener.port()),
              socket -> {
                maySpeak.join();
                ask(socket, C_KEY, OUR_KEY);
              });
      try (PerftestExchange exchange = new PerftestExchange(listener.accept(), false)) {
        exchange.line().watch();
        assertTrue(!exchange.line().spoke());
        maySpeak.complete(null);
        while (!exchange.line().spoke()) {
          Thread.onSpinWait();
        }
        exchange.meet(OURS, "word");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET / HTTP/1.1, does not speak the perftest protocol",
    "5.33, the oldest that pairs is 5.70",
  })
  void aStrangerIsToldApart(String first, String message) {
    try (PeerConnection.PeerListener listener = new PeerConnection.PeerListener(0, PATIENCE)) {
      byte[] sent = Arrays.copyOf(first.getBytes(StandardCharsets.US_ASCII), 16);
      peer =
          play(
              () -> new Socket("127.0.0.1", listener.port()),
              socket -> ask(socket, HexFormat.of().formatHex(sent), C_VERSION));
      try (PerftestExchange exchange = new PerftestExchange(listener.accept(), false)) {
        ToolFailure failure = assertThrows(ToolFailure.class, () -> exchange.agree(Mtu.MTU_1024));
        assertTrue(failure.getMessage().contains(message), failure.getMessage());
      }
    }
  }

  private interface Opening {
    Socket open() throws IOException;
  }

  private interface Dialogue {
    void play(Socket socket) throws IOException;
  }

  private static CompletableFuture<Void> play(Opening opening, Dialogue dialogue) {
    return CompletableFuture.runAsync(
        () -> {
          try (Socket socket = opening.open()) {
            dialogue.play(socket);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static void ask(Socket socket, String sent, String expected) throws IOException {
    socket.getOutputStream().write(HexFormat.of().parseHex(sent));
    assertEquals(expected, read(socket, expected.length() / 2));
  }

  private static void answer(Socket socket, String expected, String sent) throws IOException {
    assertEquals(expected, read(socket, expected.length() / 2));
    assertEquals(0, socket.getInputStream().available(), "nothing is written ahead");
    socket.getOutputStream().write(HexFormat.of().parseHex(sent));
  }

  private static String read(Socket socket, int length) throws IOException {
    InputStream in = socket.getInputStream();
    return HexFormat.of().formatHex(in.readNBytes(length));
  }

  private static String hex(String text) {
    return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
  }
}
