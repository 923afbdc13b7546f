package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;

/** The exchange of addresses with a peer that the test plays, byte by byte. */
@Timeout(60)
class PlayedExchangeTest {
  private static final String HERE = "127.0.0.1";
  private static final ConnectionOptions HASTY =
      ConnectionOptions.DEFAULT.withTimeout(Duration.ofMillis(120));
  private static final String ADDRESS = "0000:000011:a1b2c3:00000000000000000000ffff0a000002\0";

  @AutoClose private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  private final Context context = network.device("this", Gid.parse("10.0.0.1")).open();

  /** A peer's part of the exchange. */
  private interface Part {
    void play(Socket socket) throws IOException;
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String read(Socket socket, int bytes) throws IOException {
    return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.ISO_8859_1);
  }

  /** Connects to a server that does its part. */
  private Connection call(ConnectionOptions options, Part part) throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.ofLiteral(HERE))) {
      CompletableFuture<Void> peer =
          CompletableFuture.runAsync(
              () -> {
                try (Socket socket = listening.accept()) {
                  part.play(socket);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      Connection made = Connection.connect(context, HERE, listening.getLocalPort(), options);
      peer.get(20, TimeUnit.SECONDS);
      return made;
    }
  }

  private void refusedCall(Errno errno, String words, ConnectionOptions options, Part part) {
    String told = refused(errno, () -> call(options, part)).remedy();
    assertTrue(told.contains(words), told);
  }

  /** A client with its part calls; the connection that accept gives. */
  private Connection accepted(Part part) throws IOException {
    try (Listener listener = Connection.listen(context, 0, HASTY);
        Socket socket = new Socket(HERE, listener.port())) {
      socket.setSoTimeout(20_000);
      part.play(socket);
      try {
        return listener.accept();
      } finally {
        String answer = read(socket, 53); // until the listener hangs up
        assertTrue(answer.isEmpty() || answer.length() == 52, answer);
      }
    }
  }

  @Test
  void aMessageInPiecesIsOneMessage() throws Exception {
    try (Connection end =
        call(
            ConnectionOptions.DEFAULT,
            socket -> {
              String own = read(socket, 52);
              assertTrue(own.matches("0000:\\p{XDigit}{6}:\\p{XDigit}{6}:.*\0"), own);
              socket.setTcpNoDelay(true);
              for (int i = 0; i < ADDRESS.length(); i += 13) {
                write(socket, ADDRESS.substring(i, i + 13));
              }
              assertEquals("done\0", read(socket, 5));
            })) {
      assertEquals(0x11, end.qp().query().destQpNum());
      assertEquals(0xA1B2C3, end.qp().query().rqPsn());
      assertEquals(QpState.RTS, end.qp().state());
    }
  }

  @Test
  void aClientThatIsDoneIsAccepted() throws Exception {
    try (Connection end = accepted(socket -> write(socket, ADDRESS + "done\0"))) {
      assertEquals(QpState.RTS, end.qp().state());
      assertEquals(0x11, end.qp().query().destQpNum());
    }
  }

  @Test
  void aClientThatSaysSomethingElseInTheEndIsRefused() {
    for (String last : new String[] {"gone\0", "done\n"}) {
      String told =
          refused(Errno.EPROTO, () -> accepted(socket -> write(socket, ADDRESS + last))).remedy();
      assertTrue(told.contains("it sent '" + last.substring(0, 4) + ".'"), told);
    }
  }

  @Test
  void aClientThatSaysNothingIsGivenUp() {
    String told = refused(Errno.ETIMEDOUT, () -> accepted(socket -> {})).remedy();
    assertTrue(told.contains("did not send its address within 120 ms"), told);
    told = refused(Errno.ETIMEDOUT, () -> accepted(socket -> write(socket, ADDRESS))).remedy();
    assertTrue(told.contains("did not send 'done' within 120 ms"), told);
  }

  @Test
  void aServerThatSaysSomethingElseIsRefused() {
    String web = "HTTP/1.1 400 Bad Request\r\nServer: some web server of the host\r\n\r\n";
    refusedCall(
        Errno.EPROTO,
        "it sent 'HTTP/1.1 400 Bad Request..Server: some web server of': is the port",
        ConnectionOptions.DEFAULT,
        socket -> write(socket, web));
    refusedCall(
        Errno.EPROTO,
        "gave no GID: start its program with -g INDEX",
        ConnectionOptions.DEFAULT,
        socket -> write(socket, "0001:000012:00ff00:" + "0".repeat(32) + "\0"));
  }

  @Test
  void aServerThatLeavesOrSaysNothingIsTold() {
    refusedCall(
        Errno.ECONNRESET,
        "hung up before it sent its address (after 4 of 52 bytes): its own output may say why",
        ConnectionOptions.DEFAULT,
        socket -> {
          read(socket, 52);
          write(socket, "0000");
        });
    refusedCall(
        Errno.ETIMEDOUT,
        "is connected but did not send its address within 120 ms: is the port another",
        HASTY,
        socket -> read(socket, 53)); // until the client gives up
  }

  @Test
  void aServerThatIsNowhereIsTold() throws IOException {
    int port;
    try (ServerSocket closed = new ServerSocket(0)) {
      port = closed.getLocalPort();
    }
    String told =
        refused(Errno.ECONNREFUSED, () -> Connection.connect(context, HERE, port)).remedy();
    assertTrue(told.startsWith(HERE + " TCP port " + port + " refuses the connection"), told);
    told =
        refused(Errno.EHOSTUNREACH, () -> Connection.connect(context, "no.such.host.invalid", 1))
            .remedy();
    assertEquals("no host is called 'no.such.host.invalid': give its address", told);
    told = refused(Errno.EINVAL, () -> Connection.connect(context, null, port)).remedy();
    assertEquals("host is missing: it must not be null", told);
  }

  /** A thread that is interrupted neither calls nor sends, and the flag stays set. */
  @Test
  void anInterruptEndsTheExchange() throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.ofLiteral(HERE));
        SocketChannel channel = SocketChannel.open(listening.getLocalSocketAddress());
        AddressExchange exchange = new AddressExchange(channel.socket(), Duration.ofSeconds(20))) {
      Thread.currentThread().interrupt();
      refused(
          Errno.EINTR, () -> Connection.connect(context, HERE, listening.getLocalPort()).close());
      refused(Errno.EINTR, exchange::awaitDone);
      refused(Errno.EINTR, exchange::sayDone);
      assertTrue(Thread.interrupted());
    }
  }

  @Test
  void aListenerHoldsItsPortUntilItIsClosed() throws Exception {
    try (Listener listener = Connection.listen(context, 0, HASTY)) {
      AutoCloseable whatItWaitsAt = listener;
      int port = listener.port();
      assertEquals("listener on TCP port " + port, listener.toString());
      String told = refused(Errno.EADDRINUSE, () -> Connection.listen(context, port)).remedy();
      assertTrue(told.startsWith("cannot listen on TCP port " + port + ": "), told);
      told = refused(Errno.ETIMEDOUT, listener::accept).remedy();
      assertTrue(told.startsWith("no peer came to TCP port " + port + " within 120 ms"), told);
      whatItWaitsAt.close();
      refused(Errno.ECANCELED, listener::accept);
      Connection.listen(context, port).close();
    }
    for (int port : new int[] {-1, 65_536}) {
      refused(Errno.EINVAL, () -> Connection.listen(context, port));
    }
    try (Listener last = Connection.listen(context, 65_535)) {
      assertEquals(65_535, last.port());
    } catch (VerbsException e) {
      assertEquals(Errno.EADDRINUSE, e.errno());
    }
  }

  @Test
  void closingAListenerEndsTheWaitOfAnotherThread() throws Exception {
    try (Listener listener = Connection.listen(context, 0)) {
      CompletableFuture<Errno> ended =
          CompletableFuture.supplyAsync(
              () -> refused(Errno.ECANCELED, () -> listener.accept(Duration.ofHours(1))).errno());
      AutoCloseable whatItWaitsAt = listener;
      while (!ended.isDone()) {
        whatItWaitsAt.close();
        Thread.onSpinWait();
      }
      assertEquals(Errno.ECANCELED, ended.get());
    }
  }

  @Test
  void twoEndsFindEachOtherByAListener() throws Exception {
    Context other = network.device("other", Gid.parse("10.0.0.2")).open();
    try (Listener listener = Connection.listen(context, 0)) {
      CompletableFuture<Connection> accepted = CompletableFuture.supplyAsync(listener::accept);
      try (Connection client = Connection.connect(other, HERE, listener.port());
          Connection server = accepted.get(20, TimeUnit.SECONDS)) {
        assertEquals(server.ownAddress().psn(), client.qp().query().rqPsn());
        assertEquals(client.ownAddress().psn(), server.qp().query().rqPsn());
        client.send("hello");
        assertEquals("hello", server.receiveString());
        server.send("hello yourself");
        assertEquals("hello yourself", client.receiveString());
      }
    }
  }
}
