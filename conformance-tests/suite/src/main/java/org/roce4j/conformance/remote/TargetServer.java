package org.roce4j.conformance.remote;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HexFormat;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;

/**
 * The passive side: creates subjects on a device for its clients and executes their calls. For
 * tests only: any process that reaches the TCP port can use the device.
 */
public final class TargetServer implements AutoCloseable {
  private static final long PATIENCE_NS = 10_000_000_000L;
  private static final long PAUSE_NS = 100_000;

  private final RdmaDevice device;
  private final int gidIndex;
  private final String description;
  private final ServerSocket socket;

  /**
   * Listens for clients.
   *
   * @param port TCP port; 0 for a free one
   * @param description one line about the device, for the client
   */
  public TargetServer(
      RdmaDevice device, int gidIndex, String description, InetAddress address, int port)
      throws IOException {
    this.device = device;
    this.gidIndex = gidIndex;
    this.description = description;
    socket = new ServerSocket();
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(address, port));
  }

  /** The TCP port. */
  public int port() {
    return socket.getLocalPort();
  }

  /** Serves until {@link #close}, each connection in its own thread. */
  public void run() {
    while (!socket.isClosed()) {
      try {
        Socket connection = socket.accept();
        if (socket.isClosed()) { // a thread inside accept() keeps the port open after a close
          connection.close();
          return;
        }
        Thread.ofVirtual().name("target").start(() -> serve(connection));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket connection) {
    Subject subject = null;
    try (Agreement agreement = new Agreement(connection)) {
      String line;
      while ((line = agreement.read()) != null) {
        String answer;
        try {
          if (line.startsWith(Agreement.GREETING)) {
            answer = description;
          } else if (line.startsWith("setup ")) {
            if (subject != null) {
              subject.close();
              subject = null; // the next one may be refused
            }
            subject = subject(line.split(" ", 3));
            answer = "";
          } else {
            answer = text(Words.call(subject, Subject.class, Words.of(line), Words::plain));
          }
          answer = Agreement.OK + " " + answer;
        } catch (VerbsException | Subject.Refused | IllegalArgumentException e) {
          answer = Agreement.ERROR + " " + e.getMessage();
        } catch (IndexOutOfBoundsException | NullPointerException e) {
          answer = Agreement.ERROR + " not understood: " + line;
        }
        agreement.write(answer);
      }
    } catch (IOException broken) {
      // The client has gone; its objects go, too.
    } finally {
      if (subject != null) {
        subject.close();
      }
    }
  }

  private Subject subject(String[] words) {
    Gid peer = Gid.parse(words[1]);
    SubjectSetup setup = SubjectSetup.parse(words.length > 2 ? words[2] : "");
    Context own = device.open();
    boolean made = false;
    try {
      Subject subject = new LocalSubject(own, gidIndex, peer, setup, TargetServer::await);
      made = true;
      return subject;
    } finally {
      if (!made) {
        own.close();
      }
    }
  }

  private static boolean await(BooleanSupplier condition, boolean wait) {
    long deadline = System.nanoTime() + PATIENCE_NS;
    while (!condition.getAsBoolean()) {
      if (!wait || deadline - System.nanoTime() <= 0) {
        return false;
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
    return true;
  }

  private static String text(Object result) {
    return switch (result) {
      case null -> Agreement.NONE;
      case byte[] bytes -> HexFormat.of().formatHex(bytes);
      case Subject.Completed it ->
          Stream.of(
                  it.wrId(),
                  it.status().name(),
                  it.opcode().name(),
                  it.bytes(),
                  it.flags(),
                  it.immediate(),
                  it.invalidatedRkey(),
                  it.qpNum(),
                  it.sourceQp())
              .map(String::valueOf)
              .collect(Collectors.joining(" "));
      default -> result.toString();
    };
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
