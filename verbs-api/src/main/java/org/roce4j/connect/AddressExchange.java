package org.roce4j.connect;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.PoolWorker;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * The TCP connection over which two ends tell each other their addresses, as {@code
 * ibv_rc_pingpong} does. The C programs read each message with one {@code read()}, so each message
 * is written in one call, and never before the peer expects it. Not thread-safe.
 *
 * <pre>
 *   client            server
 *   call
 *   send         --&gt;  receive, then to RTS
 *   receive      &lt;--  send
 *   sayDone      --&gt;  awaitDone
 *   to RTS
 * </pre>
 */
final class AddressExchange implements AutoCloseable {
  private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

  /** The longest timeout of a socket, whose milliseconds are an int. */
  private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

  private final Socket socket;
  private final Duration patience;

  /** An exchange over an accepted TCP connection, which closing the exchange closes. */
  AddressExchange(Socket socket, Duration patience) throws IOException {
    this.socket = socket;
    this.patience = patience;
    socket.setTcpNoDelay(true);
  }

  /** A timeout for sockets: at least 1, because 0 would mean no timeout. */
  static int milliseconds(Duration patience) {
    return patience.compareTo(LONGEST) > 0
        ? Integer.MAX_VALUE
        : (int) Math.max(1, patience.toMillis());
  }

  /**
   * Connects to a server; tries each address of its name.
   *
   * @throws VerbsException EINTR if the thread is interrupted
   */
  static AddressExchange call(String host, int port, Duration patience) {
    RequiredArgument.check(host, "host");
    return PoolWorker.await(() -> callHere(host, port, patience));
  }

  private static AddressExchange callHere(String host, int port, Duration patience) {
    VerbsException last = null;
    for (InetAddress address : addresses(host)) {
      try {
        return new AddressExchange(connect(address, port, patience), patience);
      } catch (IOException e) {
        SocketWait.checkNotInterrupted();
        last = unreachable(address, port, patience, e);
      }
    }
    throw last;
  }

  /** Connects by a channel: an interrupt ends its wait, but not that of a socket alone. */
  private static Socket connect(InetAddress address, int port, Duration patience)
      throws IOException {
    Socket socket = SocketChannel.open().socket();
    // A channel whose connection fails is closed by itself.
    socket.connect(new InetSocketAddress(address, port), milliseconds(patience));
    return socket;
  }

  private static InetAddress[] addresses(String host) {
    try {
      return InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      throw new VerbsException(
          Errno.EHOSTUNREACH, "no host is called '" + host + "': give its address", e);
    }
  }

  private static VerbsException unreachable(
      InetAddress address, int port, Duration patience, IOException e) {
    String peer = address.getHostAddress() + " TCP port " + port;
    return switch (e) {
      case SocketTimeoutException timeout ->
          new VerbsException(
              Errno.ETIMEDOUT,
              Wording.of(
                  "%s did not answer within %d ms: is the host up and the port open in its"
                      + " firewall?",
                  peer, milliseconds(patience)),
              timeout);
      case NoRouteToHostException none ->
          new VerbsException(
              Errno.EHOSTUNREACH, "there is no route to " + peer + ": is the address right?", none);
      case ConnectException refused ->
          new VerbsException(
              Errno.ECONNREFUSED,
              peer + " refuses the connection: start the program that listens first, on this port",
              refused);
      default ->
          new VerbsException(
              Errno.EHOSTUNREACH, "cannot connect to " + peer + ": " + e.getMessage(), e);
    };
  }

  void send(ExchangedAddress own) {
    write(own.encode());
  }

  /** Sends the client's last message: it has received the server's address. */
  void sayDone() {
    write(DONE);
  }

  private void write(byte[] message) {
    try {
      socket.getOutputStream().write(message);
    } catch (IOException e) {
      SocketWait.checkNotInterrupted();
      throw new VerbsException(
          Errno.ECONNRESET,
          peer() + " hung up (" + e.getMessage() + "): its own output may say why",
          e);
    }
  }

  /** Waits for the peer's address. */
  ExchangedAddress receive() {
    byte[] message = read(ExchangedAddress.LENGTH, "its address");
    ExchangedAddress address =
        ExchangedAddress.decode(message).orElseThrow(() -> otherProtocol(message));
    if (address.gid().isZero()) {
      throw new VerbsException(
          Errno.EPROTO,
          peer() + " gave no GID: start its program with -g INDEX (see ibv_devinfo -v)");
    }
    return address;
  }

  /** Waits for the client's last message. */
  void awaitDone() {
    byte[] message = read(DONE.length, "'done'");
    if (!Arrays.equals(message, DONE)) {
      throw otherProtocol(message);
    }
  }

  private VerbsException otherProtocol(byte[] message) {
    String text = new String(message, StandardCharsets.ISO_8859_1);
    return Errno.EPROTO.refusal(
        "%s does not exchange addresses as ibv_rc_pingpong does, it sent '%s': is the port"
            + " another service's?",
        peer(), text.replaceAll("[^\\x20-\\x7e]", "."));
  }

  private byte[] read(int length, String what) {
    return PoolWorker.await(() -> readHere(length, what));
  }

  private byte[] readHere(int length, String what) {
    try {
      byte[] message = new byte[length];
      InputStream in = socket.getInputStream();
      SocketWait wait = new SocketWait(patience);
      for (int got = 0; got < length; ) {
        int from = got;
        int more =
            wait.until(
                ms -> {
                  socket.setSoTimeout(ms);
                  return in.read(message, from, length - from);
                });
        if (more < 0) {
          throw new EOFException("after " + got + " of " + length + " bytes");
        }
        got += more;
      }
      return message;
    } catch (SocketTimeoutException e) {
      throw new VerbsException(
          Errno.ETIMEDOUT,
          Wording.of(
              "%s is connected but did not send %s within %d ms: is the port another service's? A"
                  + " slow peer needs a longer ConnectionOptions.timeout",
              peer(), what, patience.toMillis()),
          e);
    } catch (IOException e) {
      throw new VerbsException(
          Errno.ECONNRESET,
          Wording.of(
              "%s hung up before it sent %s (%s): its own output may say why",
              peer(), what, e.getMessage()),
          e);
    }
  }

  private String peer() {
    return socket.getInetAddress().getHostAddress() + " TCP port " + socket.getPort();
  }

  static void closeQuietly(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception e) {
      // The exchange is complete, so a failure to close loses nothing.
    }
  }

  /** Closes the TCP connection, which messages do not use. */
  @Override
  public void close() {
    closeQuietly(socket);
  }
}
