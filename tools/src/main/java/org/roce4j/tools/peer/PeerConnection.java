package org.roce4j.tools.peer;

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
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.text.Wording;

/**
 * A TCP connection for short messages before RDMA begins. The C programs at the other end read each
 * message with one {@code read()}, so {@link #write} hands a message to the kernel in one call. For
 * use by one thread.
 */
public final class PeerConnection implements AutoCloseable {
  private static final int NOTHING = -2;

  private final Socket socket;
  private final Duration patience;

  /**
   * The byte that {@link #watch} has read ahead; -1 at the end of the stream; NOTHING until then.
   */
  private volatile int ahead = NOTHING;

  private Thread watcher;

  private PeerConnection(Socket socket, Duration patience) throws IOException {
    this.socket = socket;
    this.patience = patience;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(milliseconds(patience));
  }

  /** The milliseconds for a socket timeout: at most 24 days. */
  private static int milliseconds(Duration patience) {
    return (int) Math.min(Integer.MAX_VALUE, patience.toMillis());
  }

  /**
   * Connects to a server, trying every address of its name.
   *
   * @param patience how long to wait for a connection to each address, and then for each message
   */
  public static PeerConnection connect(String host, int port, Duration patience) {
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
        return new PeerConnection(socket, patience);
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
              Wording.of(
                  "%s did not answer within %d s: is the host up and the port open in its"
                      + " firewall?",
                  peer, patience.toSeconds()),
              timeout);
      case NoRouteToHostException none ->
          ToolFailure.atRunTime("there is no route to " + peer, none);
      case ConnectException refused ->
          ToolFailure.atRunTime(
              Wording.of(
                  "%s refuses the connection (%s): start the server first, with the same --port",
                  peer, refused.getMessage()),
              refused);
      default -> ToolFailure.atRunTime("cannot connect to " + peer + ": " + e.getMessage(), e);
    };
  }

  /** The listening socket of a server. */
  public static final class PeerListener implements AutoCloseable {
    private final ServerSocket socket;
    private final Duration patience;
    private final Duration acceptTimeout;
    private int expected;

    /**
     * As {@link #PeerListener(int, Duration, int, Duration)}, for one client that may come at any
     * time.
     */
    public PeerListener(int port, Duration patience) {
      this(port, patience, 1, Duration.ZERO);
    }

    /**
     * Listens on every local address.
     *
     * @param port TCP port; 0 for a free one
     * @param patience how long to wait for each message of a connected client
     * @param clients number of clients to accept, 1 or more
     * @param acceptTimeout how long to wait for each client; zero: for ever
     */
    public PeerListener(int port, Duration patience, int clients, Duration acceptTimeout) {
      this.patience = patience;
      this.acceptTimeout = acceptTimeout;
      this.expected = clients;
      try {
        socket = new ServerSocket(port, clients);
      } catch (IOException e) {
        throw ToolFailure.atRunTime(
            Wording.of(
                "cannot listen on TCP port %d: %s; choose another with --port%s",
                port, e.getMessage(), freePort()),
            e);
      }
    }

    /** The TCP port. */
    public int port() {
      return socket.getLocalPort();
    }

    /** Accepts a client. Stops listening after the last one, as the C programs do. */
    public PeerConnection accept() {
      try {
        socket.setSoTimeout(milliseconds(acceptTimeout));
        return new PeerConnection(socket.accept(), patience);
      } catch (SocketTimeoutException e) {
        throw noClient("TCP port " + port(), acceptTimeout);
      } catch (IOException e) {
        throw ToolFailure.atRunTime("no peer came: " + e.getMessage(), e);
      } finally {
        if (--expected <= 0) {
          close();
        }
      }
    }

    /**
     * The failure of a server that no client came to in time.
     *
     * @param where the address that the server listens on
     */
    public static ToolFailure noClient(String where, Duration acceptTimeout) {
      return ToolFailure.atRunTime(
          "no client came to %s within %d s (--accept-timeout)", where, acceptTimeout.toSeconds());
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
  public InetAddress localAddress() {
    return socket.getLocalAddress();
  }

  /** The other end of the connection. */
  public InetAddress peerAddress() {
    return socket.getInetAddress();
  }

  /**
   * The local address for a device that reaches the peer. If both are on one host, the peer's
   * device has the peer's address, so this device gets another loopback address.
   */
  public InetAddress addressForDevice() {
    InetAddress local = localAddress();
    if (!peerAddress().equals(local)) {
      return local;
    }
    InetAddress second = InetAddress.ofLiteral("127.0.0.2");
    return local.equals(second) ? InetAddress.ofLiteral("127.0.0.1") : second;
  }

  /** The peer's address in messages. */
  public String peer() {
    return peerAddress().getHostAddress();
  }

  /** Sends a message. */
  public void write(byte[] message) {
    try {
      socket.getOutputStream().write(message);
      socket.getOutputStream().flush();
    } catch (IOException e) {
      throw ToolFailure.atRunTime(peer() + " hung up: " + e.getMessage(), e);
    }
  }

  /**
   * Receives a message of {@code length} bytes.
   *
   * @param what name of the message, for the failure
   */
  public byte[] read(int length, String what) {
    try {
      byte[] message = new byte[length];
      int got = takeAhead(message);
      got += socket.getInputStream().readNBytes(message, got, length - got);
      if (got < length) {
        throw new EOFException("after " + got + " of " + length + " bytes");
      }
      return message;
    } catch (SocketTimeoutException e) {
      throw ToolFailure.atRunTime(
          Wording.of(
              "%s is connected but did not send %s within %d s; a slower peer needs a larger"
                  + " --patience here",
              peer(), what, patience.toSeconds()),
          e);
    } catch (IOException e) {
      throw ToolFailure.atRunTime(
          Wording.of(
              "%s hung up before it sent %s (%s); its own output may say why",
              peer(), what, e.getMessage()),
          e);
    }
  }

  /** Starts to watch for the next message; {@link #spoke} then returns whether it has begun. */
  public void watch() {
    if (watcher != null) {
      return;
    }
    ahead = NOTHING;
    watcher = Thread.ofPlatform().daemon().name("peer-watch").start(this::readAhead);
  }

  /** Whether the peer has begun a message or hung up since {@link #watch}. */
  public boolean spoke() {
    return ahead != NOTHING;
  }

  private void readAhead() {
    int read = -1;
    try {
      socket.setSoTimeout(0);
      read = socket.getInputStream().read();
      socket.setSoTimeout(milliseconds(patience));
    } catch (IOException e) {
      // Counts as the end: the next read reports the failure.
    }
    ahead = read;
  }

  private int takeAhead(byte[] message) throws SocketTimeoutException {
    if (watcher == null) {
      return 0;
    }
    try {
      watcher.join(milliseconds(patience));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (watcher.isAlive()) {
      throw new SocketTimeoutException();
    }
    watcher = null;
    if (ahead < 0) {
      return 0;
    }
    message[0] = (byte) ahead;
    return 1;
  }

  /** A message as text; bytes that are not printable become dots. */
  public static String printable(byte[] message) {
    return new String(message, StandardCharsets.ISO_8859_1).replaceAll("[^\\x20-\\x7e]", ".");
  }

  private static void closeQuietly(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception e) {
      // Nothing was read from it, so nothing is lost.
    }
  }

  @Override
  public void close() {
    closeQuietly(socket);
  }
}
