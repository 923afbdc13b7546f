package org.roce4j.tools.view;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.function.Supplier;
import org.roce4j.tools.console.LoopbackServer;
import org.roce4j.tools.console.ToolFailure;

/** Serves one page to browsers of this machine. */
final class PageServer {
  private PageServer() {}

  /**
   * Serves until the process is ended.
   *
   * @param port port on 127.0.0.1; 0: any free one
   * @param page makes the page for each request
   */
  static void serve(int port, Supplier<String> page, PrintWriter out) {
    HttpServer server = start(port, page);
    out.println("http://127.0.0.1:" + server.getAddress().getPort() + "/ (Ctrl-C ends)");
    out.flush();
    try {
      LoopbackServer.untilInterrupted();
    } finally {
      server.stop(0);
    }
  }

  static HttpServer start(int port, Supplier<String> page) {
    return LoopbackServer.start(port, exchange -> answer(exchange, page));
  }

  private static void answer(HttpExchange exchange, Supplier<String> page) throws IOException {
    try (exchange) {
      // A request with another host name comes from a foreign page that tries to read this one.
      String host = String.valueOf(exchange.getRequestHeaders().getFirst("Host"));
      boolean there =
          exchange.getRequestURI().getPath().equals("/")
              && host.matches("(127\\.0\\.0\\.1|localhost)(:\\d+)?");
      byte[] text = (there ? text(page) : "there is only /").getBytes(UTF_8);
      String type = there ? "text/html; charset=utf-8" : "text/plain; charset=utf-8";
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.getResponseHeaders().set("Cache-Control", "no-store");
      exchange.sendResponseHeaders(there ? 200 : 404, text.length);
      exchange.getResponseBody().write(text);
    }
  }

  private static String text(Supplier<String> page) {
    try {
      return page.get();
    } catch (ToolFailure e) {
      return "<!DOCTYPE html><title>roce4j view</title><pre>"
          + e.getMessage().replace("&", "&amp;").replace("<", "&lt;")
          + "</pre>";
    }
  }
}
