package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.verbs.Gid;

/** The exchange with a peer that makes the same calls as {@code ibv_rc_pingpong}. */
@Timeout(120)
class PingPongExchangeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String PROGRAM = "ibv_rc_pingpong";
  private static final String C_ADDRESS = "0000:000012:00ff00:00000000000000000000ffff0a4d0002\0";
  private static final ExchangedAddress OURS =
      new ExchangedAddress(0, 0x11, 0xa1b2c3, Gid.parse("10.77.0.1"));
  private static final String OUR_TEXT = "0000:000011:a1b2c3:00000000000000000000ffff0a4d0001\0";

  private CompletableFuture<Void> peer = CompletableFuture.completedFuture(null);

  @AfterEach
  void thePeerIsContent() throws Exception {
    peer.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aClientSpeaksFirstWaitsForTheAnswerAndSaysDone() throws IOException {
    try (ServerSocket listening = loopback()) {
      peer =
          play(
              () -> {
                try (Socket socket = listening.accept()) {
                  assertEquals(OUR_TEXT, oneRead(socket, 52));
                  assertEquals(0, socket.getInputStream().available(), "nothing sent ahead");
                  write(socket, C_ADDRESS);
                  assertEquals("done\0", oneRead(socket, 5));
                  assertEquals(-1, socket.getInputStream().read(), "then it hangs up");
                }
              });
      try (PingPongExchange exchange =
          new PingPongExchange(
              PeerConnection.connect("127.0.0.1", listening.getLocalPort(), PATIENCE))) {
        exchange.send(List.of(OURS), 1);
        ExchangedAddress theirs = exchange.receive(1, 1, PROGRAM).getFirst();
        exchange.sayDone();

        assertEquals(new ExchangedAddress(0, 0x12, 0xff00, Gid.parse("10.77.0.2")), theirs);
      }
    }
  }

  @Test
  void aServerListensAnswersAndWaitsForDone() {
    try (PeerConnection.PeerListener listener = new PeerConnection.PeerListener(0, PATIENCE)) {
      peer =
          play(
              () -> {
                try (Socket socket = new Socket("127.0.0.1", listener.port())) {
                  write(socket, C_ADDRESS);
                  assertEquals(OUR_TEXT, oneRead(socket, 52));
                  write(socket, "done\0");
                }
              });
      try (PingPongExchange exchange = new PingPongExchange(listener.accept())) {
        assertEquals(0x12, exchange.receive(1, 1, PROGRAM).getFirst().qpn());
        exchange.send(List.of(OURS), 1);
        exchange.awaitDone();
      }
    }
  }

  @Test
  void ofSeveralQueuePairsAllMessagesAreMovedTheUnusedOnesZero() throws IOException {
    try (ServerSocket listening = loopback()) {
      peer =
          play(
              () -> {
                try (Socket socket = listening.accept()) {
                  byte[] theirs = socket.getInputStream().readNBytes(256 * 52);
                  String text = new String(theirs, StandardCharsets.ISO_8859_1);
                  assertEquals(OUR_TEXT + OUR_TEXT, text.substring(0, 104));
                  assertEquals(
                      "0000:000000:000000:00000000000000000000000000000000\0".repeat(254),
                      text.substring(104));
                  write(socket, C_ADDRESS + C_ADDRESS + text.substring(104));
                }
              });
      try (PingPongExchange exchange =
          new PingPongExchange(
              PeerConnection.connect("127.0.0.1", listening.getLocalPort(), PATIENCE))) {
        exchange.send(List.of(OURS, OURS), 256);
        assertEquals(2, exchange.receive(256, 2, "ibv_srq_pingpong").size());
      }
    }
  }

  @Test
  void saysThatThePeerHasFewerQueuePairs() {
    String zero = "0000:000000:000000:00000000000000000000000000000000\0";
    try (PeerConnection.PeerListener listener = new PeerConnection.PeerListener(0, PATIENCE)) {
      peer =
          play(
              () -> {
                try (Socket socket = new Socket("127.0.0.1", listener.port())) {
                  write(socket, C_ADDRESS + zero.repeat(255));
                  assertEquals(-1, socket.getInputStream().read());
                }
              });
      try (PingPongExchange exchange = new PingPongExchange(listener.accept())) {
        ToolFailure failure =
            assertThrows(ToolFailure.class, () -> exchange.receive(256, 2, "ibv_srq_pingpong"));
        assertTrue(
            failure.getMessage().endsWith("give both sides the same --qps (ibv_srq_pingpong: -q)"),
            failure.getMessage());
      }
    }
  }

  @Test
  void aServerTakesOneClientOnly() throws IOException {
    try (PeerConnection.PeerListener listener = new PeerConnection.PeerListener(0, PATIENCE);
        Socket first = new Socket("127.0.0.1", listener.port());
        PingPongExchange exchange = new PingPongExchange(listener.accept())) {
      assertTrue(first.isConnected());
      assertEquals(InetAddress.ofLiteral("127.0.0.1"), exchange.localAddress());
      assertThrows(IOException.class, () -> new Socket("127.0.0.1", listener.port()).close());
    }
  }

  @Test
  void saysWhereNobodyListens() throws IOException {
    int port;
    try (ServerSocket closed = loopback()) {
      port = closed.getLocalPort();
    }
    ToolFailure failure =
        assertThrows(ToolFailure.class, () -> PeerConnection.connect("127.0.0.1", port, PATIENCE));

    assertEquals(ToolFailure.RUN_TIME, failure.exitCode());
    assertTrue(
        failure.getMessage().startsWith("127.0.0.1 TCP port " + port + " refuses"),
        failure.getMessage());
  }

  @Test
  void saysThatAHostIsUnknown() {
    ToolFailure failure =
        assertThrows(
            ToolFailure.class,
            () -> PeerConnection.connect("no.such.host.invalid", 18515, PATIENCE));
    assertEquals("no host is called 'no.such.host.invalid'", failure.getMessage());
  }

  @Test
  void saysThatThePortIsTakenAndNamesAFreeOne() {
    try (PeerConnection.PeerListener listener = new PeerConnection.PeerListener(0, PATIENCE)) {
      ToolFailure failure =
          assertThrows(
              ToolFailure.class,
              () -> new PeerConnection.PeerListener(listener.port(), PATIENCE).close());
      assertTrue(
          failure
              .getMessage()
              .matches("cannot listen on TCP port \\d+: .*--port \\(\\d+ is free\\)"),
          failure.getMessage());
    }
  }

  @Test
  void givesAPeerThatIsSilentAsLongAsItWasToldAndSaysSo() throws IOException {
    Duration patience = Duration.ofSeconds(1);
    try (PeerConnection.PeerListener listener = new PeerConnection.PeerListener(0, patience);
        Socket silent = new Socket("127.0.0.1", listener.port());
        PingPongExchange exchange = new PingPongExchange(listener.accept())) {
      assertTrue(silent.isConnected());
      long startNs = System.nanoTime();
      ToolFailure failure = assertThrows(ToolFailure.class, () -> exchange.receive(1, 1, PROGRAM));
      assertTrue(System.nanoTime() - startNs >= patience.toNanos(), "earlier than told");
      assertEquals(
          "127.0.0.1 is connected but did not send its address within 1 s; a slower peer needs a"
              + " larger --patience here",
          failure.getMessage());
    }
  }

  /** A watcher waits for ever, but the next read does not. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void givesAPeerThatWasWatchedNoMoreTime() throws IOException {
    try (PeerConnection.PeerListener listener =
            new PeerConnection.PeerListener(0, Duration.ofSeconds(1));
        Socket slow = new Socket("127.0.0.1", listener.port());
        PeerConnection line = listener.accept()) {
      line.watch();
      slow.getOutputStream().write('a');
      while (!line.spoke()) {
        Thread.onSpinWait();
      }
      assertEquals("a", PeerConnection.printable(line.read(1, "a letter")));
      ToolFailure failure = assertThrows(ToolFailure.class, () -> line.read(1, "another"));
      assertTrue(failure.getMessage().contains("did not send another within 1 s"));
    }
  }

  @Test
  void saysThatThePeerHungUp() {
    assertEquals(
        "127.0.0.1 hung up before it sent its address (after 4 of 52 bytes); its own output may"
            + " say why",
        failureOfServerThatHears("0000").getMessage());
  }

  @Test
  void saysThatThePeerSpeaksAnotherProtocol() {
    String message =
        failureOfServerThatHears("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n")
            .getMessage();
    assertTrue(
        message.startsWith(
            "127.0.0.1 does not speak the pingpong protocol: it sent 'GET / HTTP/1.1..Host"),
        message);
  }

  @Test
  void saysThatTheCProgramNeedsAGidIndex() {
    String message =
        failureOfServerThatHears("0001:000012:00ff00:00000000000000000000000000000000\0")
            .getMessage();
    assertTrue(message.contains("gave no GID: start its ibv_rc_pingpong with -g"), message);
  }

  private ToolFailure failureOfServerThatHears(String text) {
    try (PeerConnection.PeerListener listener = new PeerConnection.PeerListener(0, PATIENCE)) {
      peer =
          play(
              () -> {
                try (Socket socket = new Socket("127.0.0.1", listener.port())) {
                  write(socket, text);
                  socket.shutdownOutput();
                  assertEquals(-1, socket.getInputStream().read());
                }
              });
      try (PingPongExchange exchange = new PingPongExchange(listener.accept())) {
        return assertThrows(ToolFailure.class, () -> exchange.receive(1, 1, PROGRAM));
      }
    }
  }

  private interface Play {
    void run() throws IOException;
  }

  private static CompletableFuture<Void> play(Play play) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            play.run();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  /** Reads like the C programs: one call, and bytes that arrive later are ignored. */
  private static String oneRead(Socket socket, int length) throws IOException {
    byte[] buffer = new byte[length];
    int count = socket.getInputStream().read(buffer);
    return new String(buffer, 0, Math.max(0, count), StandardCharsets.ISO_8859_1);
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static ServerSocket loopback() throws IOException {
    return new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"));
  }
}
