package org.roce4j.tools.proxy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.text.Wording;

/**
 * Forwards the TCP connections on which programs without a connection manager exchange their GIDs
 * and queue pair numbers, and changes the GIDs. Each connection has two virtual threads.
 */
final class Exchange implements AutoCloseable {
  private static final int CONNECT_MS = 5_000;

  /**
   * A pause after which a message is complete though it ends like the beginning of a GID: its
   * receiver may have to answer before more comes.
   */
  private static final int PAUSE_MS = 250;

  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger changed = new AtomicInteger();
  private final Ports ports;

  private volatile boolean closed;

  /** The last end that refused a connection; empty: none. */
  private volatile String silent = "";

  /**
   * TCP ports.
   *
   * @param own port on which the proxy listens
   * @param ends port on which the programs at the ends listen
   */
  record Ports(int own, int ends) {}

  /** Accepts connections from both ends. {@code toB} changes the messages of A. */
  Exchange(Ports ports, Readdressing toB, Readdressing toA) {
    this.ports = ports;
    try {
      listen(toB, toA);
      listen(toA, toB);
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private void listen(Readdressing forth, Readdressing back) {
    InetSocketAddress at = new InetSocketAddress(forth.to().toInetAddress(), ports.own);
    try {
      ServerSocket listener = new ServerSocket();
      open.add(listener);
      listener.bind(at);
      Thread.startVirtualThread(() -> accept(listener, forth, back));
    } catch (IOException e) {
      throw ToolFailure.atRunTime(
          Wording.of(
              "cannot listen on TCP %s port %d: %s",
              at.getAddress().getHostAddress(), ports.own, e.getMessage()),
          e);
    }
  }

  private void accept(ServerSocket listener, Readdressing forth, Readdressing back) {
    while (!closed) {
      Socket near = null;
      try {
        near = listener.accept();
        open.add(near);
        if (closed) { // close() may have looked at the open ones before
          close(near);
          return;
        }
        Socket far = called(forth);
        connections.incrementAndGet();
        near.setTcpNoDelay(true);
        pass(near, far, forth);
        pass(far, near, back);
      } catch (IOException e) {
        // No program listens at the other end; closing this connection informs the caller.
        close(near);
      }
    }
  }

  private Socket called(Readdressing names) throws IOException {
    try {
      return call(names);
    } catch (IOException e) {
      silent =
          Wording.of(
              "; %s port %d does not answer: %s",
              names.toThere().addressText(), ports.ends, e.getMessage());
      throw e;
    }
  }

  private Socket call(Readdressing names) throws IOException {
    Socket far = new Socket();
    open.add(far);
    try {
      far.bind(new InetSocketAddress(names.fromThere().toInetAddress(), 0));
      far.connect(new InetSocketAddress(names.toThere().toInetAddress(), ports.ends), CONNECT_MS);
      far.setTcpNoDelay(true);
      return far;
    } catch (IOException e) {
      close(far);
      throw e;
    }
  }

  private void pass(Socket from, Socket to, Readdressing names) {
    Thread.startVirtualThread(
        () -> {
          boolean over = true;
          try {
            copy(from, to, new GidStream(new GidSpellings(names)));
            to.shutdownOutput();
            over = from.isOutputShutdown();
          } catch (IOException e) {
            // One end has closed its connection; closing the other one informs the other end.
          }
          if (over) {
            close(from);
            close(to);
          }
        });
  }

  private void copy(Socket from, Socket to, GidStream stream) throws IOException {
    OutputStream out = to.getOutputStream();
    int count;
    do {
      count = read(from, stream);
      changed.addAndGet(stream.change());
      if (count > 0) {
        stream.sendTo(out);
      } else {
        stream.sendAllTo(out);
      }
    } while (count >= 0);
  }

  /** The number of bytes read; 0: none within the pause; -1: end of the stream. */
  private static int read(Socket from, GidStream stream) throws IOException {
    try {
      from.setSoTimeout(stream.waits() ? PAUSE_MS : 0);
      return stream.readFrom(from.getInputStream());
    } catch (SocketTimeoutException e) {
      return 0;
    }
  }

  /** The number of sockets that are open: both listeners, and two for each connection. */
  int sockets() {
    return open.size();
  }

  private void close(AutoCloseable socket) {
    if (socket == null) {
      return;
    }
    open.remove(socket);
    try {
      socket.close();
    } catch (Exception e) {
      // The connection is no longer used.
    }
  }

  @Override
  public String toString() {
    return Wording.of(
        "%d TCP connections, %d GIDs changed%s", connections.get(), changed.get(), silent);
  }

  @Override
  public void close() {
    closed = true; // set first, so that connections opened from now on close themselves
    open.forEach(this::close);
  }
}
