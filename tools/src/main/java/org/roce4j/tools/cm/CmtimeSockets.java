package org.roce4j.tools.cm;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.roce4j.tools.console.ToolFailure;

/** TCP connections, one after the other, to compare with the connections of RDMA. */
final class CmtimeSockets {
  private final int connections;
  private final Consumer<String> out;
  private final List<SocketChannel> sockets = new ArrayList<>();

  CmtimeSockets(int connections, Consumer<String> out) {
    this.connections = connections;
    this.out = out;
  }

  /** A step that may fail. */
  private interface Step {
    void run() throws IOException;
  }

  private static void run(Step step) {
    try {
      step.run();
    } catch (IOException e) {
      throw ToolFailure.atRunTime("TCP: " + e.getMessage(), e);
    }
  }

  /** Takes the connections, and waits until the client has closed each. */
  void serve(InetSocketAddress at) {
    run(
        () -> {
          try (ServerSocketChannel listener = ServerSocketChannel.open().bind(at, connections)) {
            out.accept(CmtimeRun.listening((InetSocketAddress) listener.getLocalAddress()));
            for (int i = 0; i < connections; i++) {
              sockets.add(listener.accept());
            }
            for (SocketChannel each : sockets) {
              each.socket().getInputStream().read();
            }
          } finally {
            close();
          }
        });
  }

  void measure(InetAddress from, InetSocketAddress to) {
    Steps steps = new Steps(connections, out);
    run(
        () -> {
          try {
            steps.time("create socket", () -> run(() -> create(from)));
            steps.time("connect", () -> run(() -> connect(to)));
            steps.time("close", () -> run(this::close));
          } finally {
            close();
          }
        });
  }

  private void create(InetAddress from) throws IOException {
    for (int i = 0; i < connections; i++) {
      SocketChannel socket = SocketChannel.open();
      sockets.add(socket);
      if (from != null) {
        socket.bind(new InetSocketAddress(from, 0));
      }
    }
  }

  private void connect(InetSocketAddress to) throws IOException {
    for (SocketChannel each : sockets) {
      each.connect(to);
    }
  }

  private void close() throws IOException {
    for (SocketChannel each : sockets) {
      each.close();
    }
  }
}
