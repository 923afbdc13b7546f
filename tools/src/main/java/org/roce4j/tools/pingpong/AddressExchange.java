package org.roce4j.tools.pingpong;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Gid;

/**
 * The TCP connection over which two pingpong programs exchange their addresses, with the messages
 * and in the order of {@code ibv_rc_pingpong}. The C programs read each message with one {@code
 * read()}, so each is written in one call and nothing is written ahead.
 *
 * <pre>
 *   client            server
 *   connect
 *   send         --&gt;  receive, then to RTS
 *   receive      &lt;--  send
 *   sayDone      --&gt;  awaitDone
 *   to RTS
 * </pre>
 */
final class AddressExchange implements AutoCloseable {
  private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

  private static final ExchangedAddress NO_ADDRESS = new ExchangedAddress(0, 0, 0, Gid.ZERO);

  private final Socket socket;
  private final Duration patience;

  private AddressExchange(Socket socket, Duration patience) throws IOException {
    this.socket = socket;
    this.patience = patience;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(milliseconds(patience));
  }

  /** As sockets take them, up to 24 days. */
  private static int milliseconds(Duration patience) {
    return (int) Math.min(Integer.MAX_VALUE, patience.toMillis());
  }

  /**
   * Calls the server, at every address its name stands for.
   *
   * @param patience how long each address has to answer, and then the server for each message
   */
  static AddressExchange connect(String host, int port, Duration patience) {
    InetAddress[] addresses;
    try {
      addresses = InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      throw ToolFailure.atRunTime("no host is called '" + host + "'", e);
    }
    ToolFailure last = null;
    for (InetAddress address : addresses) {
      Socket socket = new Socket();
      try {
        socket.connect(new InetSocketAddress(address, port), milliseconds(patience));
        return new AddressExchange(socket, patience);
      } catch (IOException e) {
        closeQuietly(socket);
        last = unreachable(address, port, patience, e);
      }
    }
    throw last;
  }

  private static ToolFailure unreachable(
      InetAddress address, int port, Duration patience, IOException e) {
    String peer = address.getHostAddress() + " TCP port " + port;
    return switch (e) {
      case SocketTimeoutException timeout ->
          ToolFailure.atRunTime(
              peer
                  + " did not answer within "
                  + patience.toSeconds()
                  + " s: is the host up and the port open in its firewall?",
              timeout);
      case NoRouteToHostException none ->
          ToolFailure.atRunTime("there is no route to " + peer, none);
      case ConnectException refused ->
          ToolFailure.atRunTime(
              peer
                  + " refuses the connection ("
                  + refused.getMessage()
                  + "): start the server first, with the same --port",
              refused);
      default -> ToolFailure.atRunTime("cannot connect to " + peer + ": " + e.getMessage(), e);
    };
  }

  /** Where a server waits for its one client. */
  static final class Listener implements AutoCloseable {
    private final ServerSocket socket;
    private final Duration patience;

    /**
     * Listens on every local address.
     *
     * @param patience how long the client may take for each message, once it has called
     */
    Listener(int port, Duration patience) {
      this.patience = patience;
      try {
        socket = new ServerSocket(port, 1);
      } catch (IOException e) {
        throw ToolFailure.atRunTime(
            "cannot listen on TCP port "
                + port
                + ": "
                + e.getMessage()
                + "; choose another with"
                + " --port"
                + freePort(),
            e);
      }
    }

    int port() {
      return socket.getLocalPort();
    }

    /** Takes one client and stops listening, as the C programs do. */
    AddressExchange accept() {
      try (socket) {
        return new AddressExchange(socket.accept(), patience);
      } catch (IOException e) {
        throw ToolFailure.atRunTime("no peer came: " + e.getMessage(), e);
      }
    }

    @Override
    public void close() {
      closeQuietly(socket);
    }

    private static String freePort() {
      try (ServerSocket any = new ServerSocket(0)) {
        return " (" + any.getLocalPort() + " is free)";
      } catch (IOException e) {
        return "";
      }
    }
  }

  /** The local end of the connection. */
  InetAddress localAddress() {
    return socket.getLocalAddress();
  }

  /** The other end of the connection. */
  InetAddress peerAddress() {
    return socket.getInetAddress();
  }

  private String peer() {
    return peerAddress().getHostAddress();
  }

  /**
   * Tells the peer of our queue pairs.
   *
   * @param messages how many the peer wants; those beyond our queue pairs are all zero
   */
  void send(List<ExchangedAddress> own, int messages) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < messages; i++) {
      all.writeBytes((i < own.size() ? own.get(i) : NO_ADDRESS).encode());
    }
    write(all.toByteArray());
  }

  /**
   * Learns of the peer's queue pairs.
   *
   * @param messages how many the peer sends
   * @param queuePairs how many of them, the first, must be real
   * @param program the C program that may be there
   */
  List<ExchangedAddress> receive(int messages, int queuePairs, String program) {
    byte[] all = read(messages * ExchangedAddress.LENGTH, "its address");
    List<ExchangedAddress> addresses = new ArrayList<>();
    for (int i = 0; i < queuePairs; i++) {
      int at = i * ExchangedAddress.LENGTH;
      addresses.add(decode(Arrays.copyOfRange(all, at, at + ExchangedAddress.LENGTH), program, i));
    }
    return addresses;
  }

  private ExchangedAddress decode(byte[] message, String program, int index) {
    ExchangedAddress address =
        ExchangedAddress.decode(message)
            .orElseThrow(
                () ->
                    ToolFailure.atRunTime(
                        peer()
                            + " does not speak the pingpong protocol: it sent '"
                            + printable(message)
                            + "'"));
    if (index > 0 && address.qpn() == 0) {
      throw ToolFailure.atRunTime(
          peer()
              + " has fewer queue pairs than we: "
              + index
              + "; give both sides the same --qps ("
              + program
              + ": -q)");
    }
    if (address.gid().isZero()) {
      throw ToolFailure.atRunTime(
          peer()
              + " gave no GID: start its "
              + program
              + " with -g INDEX (see show_gids or ibv_devinfo -v)");
    }
    return address;
  }

  /** The client's last word. */
  void sayDone() {
    write(DONE);
  }

  /** Waits for the client's last word. */
  void awaitDone() {
    byte[] message = read(DONE.length, "'done'");
    if (!Arrays.equals(message, DONE)) {
      throw ToolFailure.atRunTime(
          peer()
              + " does not speak the pingpong protocol: it sent '"
              + printable(message)
              + "' where 'done' was due");
    }
  }

  private void write(byte[] message) {
    try {
      socket.getOutputStream().write(message);
      socket.getOutputStream().flush();
    } catch (IOException e) {
      throw ToolFailure.atRunTime(peer() + " hung up: " + e.getMessage(), e);
    }
  }

  private byte[] read(int length, String what) {
    try {
      byte[] message = socket.getInputStream().readNBytes(length);
      if (message.length < length) {
        throw new EOFException("after " + message.length + " of " + length + " bytes");
      }
      return message;
    } catch (SocketTimeoutException e) {
      throw ToolFailure.atRunTime(
          peer()
              + " is connected but did not send "
              + what
              + " within "
              + patience.toSeconds()
              + " s; a slower peer needs a larger --patience here",
          e);
    } catch (IOException e) {
      throw ToolFailure.atRunTime(
          peer()
              + " hung up before it sent "
              + what
              + " ("
              + e.getMessage()
              + "); its own output may say why",
          e);
    }
  }

  private static String printable(byte[] message) {
    return new String(message, StandardCharsets.ISO_8859_1).replaceAll("[^\\x20-\\x7e]", ".");
  }

  private static void closeQuietly(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception e) {
      // Nothing was read from it yet, so nothing is lost.
    }
  }

  /** Ends the connection: the game itself needs none. */
  void hangUp() {
    closeQuietly(socket);
  }

  @Override
  public void close() {
    hangUp();
  }
}
