package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;

/** Two programs, each on a thread, that find each other by a TCP address and port. */
@Timeout(120)
class ConnectTest {
  private static final String HERE = "127.0.0.1";
  private static final ConnectionOptions HASTY =
      ConnectionOptions.DEFAULT.withTimeout(Duration.ofMillis(300));

  @Nested
  @EmulatedRdma
  class OnTheFabric extends OnAnyPort {}

  @Nested
  @EmulatedRdma(faults = "loss=2%")
  class OnTheFabricWithLoss extends OnAnyPort {}

  @Nested
  @EmulatedRdma(transport = "linux")
  class OnPortLinux extends OnAnyPort {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends OnAnyPort {}

  abstract static class OnAnyPort {
    /**
     * The common pool of a machine of two processors has one worker, which must not keep the task
     * from running that it waits for: the client of an accept, the sender of two messages.
     */
    @Test
    void tasksOfAPoolOfOneWorkerWaitForEachOther(RdmaDevice a, RdmaDevice b) throws Exception {
      try (ForkJoinPool pool = new ForkJoinPool(1);
          Listener listener = Connection.listen(a, 0)) {
        var accepts = CompletableFuture.supplyAsync(listener::accept, pool);
        var connects =
            CompletableFuture.supplyAsync(() -> Connection.connect(b, HERE, listener.port()), pool);
        try (Connection server = accepts.get();
            Connection client = connects.get()) {
          var first = CompletableFuture.supplyAsync(server::receiveString, pool);
          var second = CompletableFuture.supplyAsync(server::receiveString, pool);
          var sends =
              CompletableFuture.runAsync(
                  () -> {
                    client.send("hello");
                    client.send("hello");
                  },
                  pool);
          assertEquals("hello", first.get());
          assertEquals("hello", second.get());
          sends.get();
        }
      }
    }

    @Test
    void aServerAnswersItsClients(RdmaDevice a, RdmaDevice b) throws Exception {
      // All ends stay open until both sides are done: where the ACK of a message is lost, the
      // message is sent again, and only an open end acknowledges it.
      List<Connection> ends = new CopyOnWriteArrayList<>();
      try (Listener listener = Connection.listen(a, 0)) {
        CompletableFuture<Void> server =
            play(
                () -> {
                  for (int i = 0; i < 2; i++) {
                    Connection client = listener.accept();
                    ends.add(client);
                    client.send("you said " + client.receiveString());
                    assertEquals("bye", client.receiveString());
                  }
                });
        ends.add(askTheServer(b, listener, "hello"));
        ends.add(askTheServer(b, listener, "good day"));
        server.get(60, TimeUnit.SECONDS);
      } finally {
        ends.forEach(Connection::close);
      }
    }

    private static Connection askTheServer(RdmaDevice device, Listener listener, String word) {
      Connection connection = Connection.connect(device, HERE, listener.port());
      connection.send(word);
      assertEquals("you said " + word, connection.receiveString());
      connection.send("bye");
      return connection;
    }

    @Test
    void bothSidesOfAConnectionMaySendAtOnce(Context a, Context b) throws Exception {
      connected(
          a,
          b,
          ConnectionOptions.DEFAULT,
          (server, client) -> {
            CompletableFuture<Void> sender = play(() -> sendNumbers(server));
            CompletableFuture<Void> other = play(() -> sendNumbers(client));
            CompletableFuture<Void> receiver = play(() -> receiveNumbers(server));
            receiveNumbers(client);
            CompletableFuture.allOf(sender, other, receiver).get(60, TimeUnit.SECONDS);
          });
    }

    private static void sendNumbers(Connection to) {
      for (int i = 0; i < 200; i++) {
        to.send("" + i);
      }
    }

    private static void receiveNumbers(Connection from) {
      for (int i = 0; i < 200; i++) {
        assertEquals("" + i, from.receiveString());
      }
    }

    @Test
    void closingEndsTheWaitOfAnotherThread(Context a, Context b) throws Exception {
      connected(
          a,
          b,
          ConnectionOptions.DEFAULT.withTimeout(Duration.ofHours(1)),
          (server, client) -> {
            CompletableFuture<Void> waiting = play(server::receive);
            client.send("first");
            waiting.get(60, TimeUnit.SECONDS);
            CompletableFuture<Void> again = play(server::receive);
            while (!again.isDone()) {
              server.close();
            }
            ExecutionException ended = assertThrows(ExecutionException.class, again::get);
            assertEquals(Errno.ENOTCONN, ((VerbsException) ended.getCause()).errno());
          });
    }
  }

  /** The actions with a connected pair. */
  private interface Game {
    void play(Connection server, Connection client) throws Exception;
  }

  private static void connected(Context a, Context b, ConnectionOptions options, Game game)
      throws Exception {
    try (Listener listener = Connection.listen(a, 0, options)) {
      CompletableFuture<Connection> accepted = CompletableFuture.supplyAsync(listener::accept);
      try (Connection client = Connection.connect(b, HERE, listener.port(), options);
          Connection server = accepted.get(60, TimeUnit.SECONDS)) {
        game.play(server, client);
      }
    }
  }

  @Nested
  @EmulatedRdma(transport = EmulatedRdma.UDP)
  class OverUdp {
    @Test
    void theQueuePairsAreAsThoseOfTheCProgram(Context a, Context b) throws Exception {
      connected(
          a,
          b,
          ConnectionOptions.DEFAULT,
          (server, client) -> {
            QpAttr attr = client.qp().query();
            assertEquals(Mtu.MTU_1024, attr.pathMtu());
            assertEquals(17, attr.timeout()); // a peer on a busy machine is not given up
            assertEquals(7, attr.rnrRetry());
            assertEquals(server.qp().query().sqPsn(), attr.rqPsn());
          });
    }

    @Test
    void aMessageThatIsTooLongForThePeerEndsTheConnectionOnBothSides(Context a, Context b)
        throws Exception {
      try (Listener listener =
          Connection.listen(a, 0, ConnectionOptions.DEFAULT.withMessageBytes(16))) {
        CompletableFuture<Connection> accepted = CompletableFuture.supplyAsync(listener::accept);
        try (Connection client = Connection.connect(b, HERE, listener.port());
            Connection server = accepted.get(60, TimeUnit.SECONDS)) {
          FailedRequestException sent =
              assertThrows(FailedRequestException.class, () -> client.send(new byte[17]));
          assertEquals(WcStatus.REM_INV_REQ_ERR, sent.status());
          assertTrue(
              sent.remedy().contains("same messageBytes and pathMtu (SEND of 17 bytes: "),
              sent.remedy());
          FailedRequestException received =
              assertThrows(FailedRequestException.class, server::receive);
          assertEquals(WcStatus.LOC_LEN_ERR, received.status());
          assertTrue(received.remedy().contains("more than the 16 bytes"), received.remedy());
        }
      }
    }

    @Test
    void nobodyListens(Context context) throws IOException {
      int port;
      try (ServerSocket closed = new ServerSocket(0)) {
        port = closed.getLocalPort();
      }
      told(
          Errno.ECONNREFUSED,
          HERE + " TCP port " + port + " refuses the connection: start the program that listens",
          () -> Connection.connect(context, HERE, port));
      told(
          Errno.EHOSTUNREACH,
          "no host is called 'no.such.host.invalid'",
          () -> Connection.connect(context, "no.such.host.invalid", 18515));
    }

    @Test
    void nobodyComes(Context context) {
      try (Listener listener = Connection.listen(context, 0, HASTY)) {
        told(Errno.ETIMEDOUT, "no peer came to TCP port " + listener.port(), listener::accept);
        told(
            Errno.EADDRINUSE,
            "take another, or 0 for a free one",
            () -> Connection.listen(context, listener.port()));
        CompletableFuture<Connection> accepting =
            CompletableFuture.supplyAsync(() -> listener.accept(Duration.ofMinutes(1)));
        AutoCloseable whatItWaitsAt = listener;
        while (!accepting.isDone()) {
          assertDoesNotThrow(whatItWaitsAt::close);
        }
        ExecutionException ended = assertThrows(ExecutionException.class, accepting::get);
        assertEquals(Errno.ECANCELED, ((VerbsException) ended.getCause()).errno());
      }
    }

    /** As a pool does that shuts down. The peer of the second wait calls and then says nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theThreadThatAcceptsIsInterrupted(boolean peerCalls, Context context) throws Exception {
      try (Listener listener = Connection.listen(context, 0);
          Socket peer = new Socket()) {
        if (peerCalls) {
          peer.connect(new InetSocketAddress("127.0.0.1", listener.port()));
        }
        CompletableFuture<Errno> ended = new CompletableFuture<>();
        Thread accepting =
            Thread.ofPlatform()
                .start(
                    () -> {
                      VerbsException e =
                          assertThrows(
                              VerbsException.class, () -> listener.accept(Duration.ofHours(1)));
                      ended.complete(Thread.interrupted() ? e.errno() : null);
                    });
        accepting.interrupt();
        assertEquals(Errno.EINTR, ended.get(5, TimeUnit.SECONDS));
        if (!peerCalls) {
          told(Errno.ETIMEDOUT, "no peer came", () -> listener.accept(Duration.ofMillis(1)));
        }
      }
    }

    @Test
    void somethingElseListensOnThePort(Context context) throws Exception {
      String greeting = "HTTP/1.1 400 Bad Request\r\nServer: some web server of the host\r\n\r\n";
      againstServer(
          context,
          Errno.EPROTO,
          "it sent 'HTTP/1.1 400 Bad Request..Server: some web server of': is the port",
          socket -> write(socket, greeting));
      againstServer(
          context,
          Errno.EPROTO,
          "gave no GID: start its program with -g INDEX",
          socket -> write(socket, "0001:000012:00ff00:" + "0".repeat(32) + "\0"));
    }

    @Test
    void thePeerVanishesBeforeItHasToldItsAddress(Context context) throws Exception {
      againstServer(
          context,
          Errno.ECONNRESET,
          "hung up before it sent its address (after 4 of 52 bytes): its own output may say why",
          socket -> {
            read(socket);
            write(socket, "0000");
          });
    }

    @Test
    void thePeerIsSilent(Context context) throws Exception {
      againstServer(
          context,
          Errno.ETIMEDOUT,
          "did not send its address within 300 ms: is the port another service's?",
          socket -> {
            read(socket);
            read(socket); // until the client gives up
          });
    }

    @Test
    void theListenerGoesOnAfterAPeerThatVanished(Context a, Context b) throws Exception {
      try (Listener listener = Connection.listen(a, 0)) {
        try (Socket gone = new Socket(HERE, listener.port())) {
          write(gone, "0000:000011:a1b2c3:00000000000000000000ffff7f000001\0");
          gone.shutdownOutput();
          told(Errno.ECONNRESET, "hung up before it sent 'done'", listener::accept);
        }
        CompletableFuture<Connection> accepted = CompletableFuture.supplyAsync(listener::accept);
        try (Connection client = Connection.connect(b, HERE, listener.port());
            Connection server = accepted.get(60, TimeUnit.SECONDS)) {
          client.send("hello");
          assertEquals("hello", server.receiveString());
        }
      }
    }

    private void againstServer(
        Context context, Errno errno, String words, Consumer<Socket> behaviour) throws Exception {
      ConnectionOptions options = errno == Errno.ETIMEDOUT ? HASTY : ConnectionOptions.DEFAULT;
      try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.ofLiteral(HERE))) {
        CompletableFuture<Void> peer =
            play(
                () -> {
                  try (Socket socket = listening.accept()) {
                    behaviour.accept(socket);
                  }
                });
        told(
            errno,
            words,
            () -> Connection.connect(context, HERE, listening.getLocalPort(), options));
        peer.get(60, TimeUnit.SECONDS);
      }
    }
  }

  private static void told(Errno errno, String words, Runnable call) {
    VerbsException told = refused(errno, call::run);
    assertTrue(told.remedy().contains(words), told.remedy());
  }

  private static void write(Socket socket, String text) {
    try {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void read(Socket socket) {
    try {
      socket.getInputStream().read(new byte[52]);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** One side of a game. */
  private interface Side {
    void play() throws Exception;
  }

  private static CompletableFuture<Void> play(Side side) {
    CompletableFuture<Void> played = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                side.play();
                played.complete(null);
              } catch (Throwable e) {
                played.completeExceptionally(e);
              }
            });
    return played;
  }
}
