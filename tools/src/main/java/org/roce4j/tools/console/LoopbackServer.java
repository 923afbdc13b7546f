package org.roce4j.tools.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/** Serves pages to browsers on this machine, on 127.0.0.1 alone. */
public final class LoopbackServer {
  private static final int MOST_PORT = 65_535;
  private static final int METHOD_NOT_ALLOWED = 405;

  private LoopbackServer() {}

  /**
   * Starts a server. Each request is read and answered by a thread of its own: a client that sends
   * half a request, or does not read, keeps nobody else waiting.
   *
   * @param port port of 127.0.0.1; 0 for a free one
   * @throws ToolFailure if another program has the port
   */
  public static HttpServer start(int port, HttpHandler answer) {
    if (port < 0 || port > MOST_PORT) {
      throw ToolFailure.usage("'" + port + "' is not a TCP port: 0 to " + MOST_PORT);
    }
    try {
      InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
      HttpServer server = HttpServer.create(new InetSocketAddress(loopback, port), 0);
      server.createContext("/", exchange -> answer(exchange, answer));
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.start();
      return server;
    } catch (IOException e) {
      throw ToolFailure.atRunTime("cannot serve on port " + port + ": " + e.getMessage(), e);
    }
  }

  private static void answer(HttpExchange exchange, HttpHandler answer) throws IOException {
    switch (exchange.getRequestMethod()) {
      case "GET", "POST" -> answer.handle(exchange);
      default -> {
        try (exchange) {
          exchange.sendResponseHeaders(METHOD_NOT_ALLOWED, -1);
        }
      }
    }
  }

  /** Waits until the process or the calling thread is asked to end. */
  public static void untilInterrupted() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
