package org.roce4j.connect;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.function.Supplier;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.PoolWorker;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * Waits for peers that connect; made by {@link Connection#listen}. Thread-safe: several threads may
 * accept; {@link #close} ends their waits.
 */
public final class Listener implements AutoCloseable {
  private final Supplier<Connection> maker;
  private final ConnectionOptions options;
  private final ServerSocket socket;

  Listener(Supplier<Connection> maker, int port, ConnectionOptions options) {
    this.maker = maker;
    this.options = RequiredArgument.check(options, "options");
    if (port < 0 || port > 65_535) {
      throw new VerbsException(Errno.EINVAL, "a TCP port is 0 to 65535, not " + port);
    }
    try {
      socket = new ServerSocket();
    } catch (IOException e) {
      throw cannotListen(port, e);
    }
    try {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(port));
    } catch (IOException e) {
      AddressExchange.closeQuietly(socket);
      throw cannotListen(port, e);
    }
  }

  private static VerbsException cannotListen(int port, IOException e) {
    return new VerbsException(
        Errno.EADDRINUSE,
        Wording.of(
            "cannot listen on TCP port %d: %s; take another, or 0 for a free one",
            port, e.getMessage()),
        e);
  }

  /** The TCP port it listens on. */
  public int port() {
    return socket.getLocalPort();
  }

  /** Waits for the next peer, as long as {@link ConnectionOptions#timeout} says. */
  public Connection accept() {
    return accept(options.timeout());
  }

  /**
   * Waits for the next peer and connects to it. If a peer fails to connect, this call throws; the
   * listener can accept further peers.
   *
   * @throws VerbsException ETIMEDOUT if none comes in time, ECANCELED if the listener is closed
   *     meanwhile, EINTR if the thread is interrupted, which closes the listener if it is a virtual
   *     one; else as {@link Connection#connect}
   */
  public Connection accept(Duration timeout) {
    try (AddressExchange exchange = new AddressExchange(next(timeout), options.timeout())) {
      return answer(exchange);
    } catch (IOException e) {
      throw new VerbsException(
          Errno.ECONNRESET, "the peer hung up at once: its own output may say why", e);
    }
  }

  private Connection answer(AddressExchange exchange) {
    Connection made = maker.get();
    boolean connected = false;
    try {
      made.toRts(exchange.receive());
      exchange.send(made.ownAddress());
      exchange.awaitDone();
      connected = true;
      return made;
    } finally {
      if (!connected) {
        made.close();
      }
    }
  }

  private Socket next(Duration timeout) {
    return PoolWorker.await(() -> nextHere(timeout));
  }

  private Socket nextHere(Duration timeout) {
    try {
      return new SocketWait(timeout)
          .until(
              ms -> {
                socket.setSoTimeout(ms);
                return socket.accept();
              });
    } catch (SocketTimeoutException e) {
      throw new VerbsException(
          Errno.ETIMEDOUT,
          Wording.of(
              "no peer came to TCP port %d within %d ms: does it call this port and address? A"
                  + " longer Duration waits longer",
              port(), timeout.toMillis()),
          e);
    } catch (IOException e) {
      throw new VerbsException(
          Errno.ECANCELED, "no peer came: " + e.getMessage() + "; listen again", e);
    }
  }

  /** Stops listening; accepted connections stay open. */
  @Override
  public void close() {
    AddressExchange.closeQuietly(socket);
  }

  @Override
  public String toString() {
    return "listener on TCP port " + port();
  }
}
