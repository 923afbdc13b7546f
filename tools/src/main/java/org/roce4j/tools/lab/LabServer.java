package org.roce4j.tools.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.roce4j.lab.LabSession;
import org.roce4j.tools.console.LoopbackServer;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.view.View;

/**
 * The lab as a page for browsers of this machine: bound to loopback; its address holds a token that
 * other programs do not know; requests that another page makes, or that come by another name, are
 * refused. One thread plays the lab, request by request, when a request has arrived whole.
 */
final class LabServer implements AutoCloseable {
  private static final int MOST_LINE_BYTES = 10_000;
  private static final int TOKEN_BYTES = 16;
  private static final String UNSEEN =
      "another page has played this lab meanwhile, nothing was done: this is how it stands now";
  private static final String POLICY =
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src"
          + " 'self'; frame-src 'self'; frame-ancestors 'self'; img-src data:; base-uri 'none';"
          + " form-action 'none'";

  private final LabSession lab;
  private final HttpServer server;
  private final ExecutorService player =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("lab").factory());
  private final String token = token();

  /**
   * The number of actions and undos so far, so that a page knows whether it has seen everything.
   */
  private long turn;

  /**
   * @param lab is played by requests; closed by its owner
   * @param port of 127.0.0.1; 0 for a free one
   */
  LabServer(LabSession lab, int port) {
    this.lab = lab;
    server = LoopbackServer.start(port, this::answer);
  }

  private static String token() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Where the page is, with the token. */
  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/" + token + "/";
  }

  @Override
  public void close() {
    server.stop(0);
    player.shutdownNow();
  }

  /** What is answered. */
  private record Reply(int status, String type, String text, String fileName) {
    static Reply of(String type, String text) {
      return new Reply(200, type, text, "");
    }

    static Reply file(String name, String text) {
      return new Reply(200, "text/plain", text, name);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] line = exchange.getRequestBody().readNBytes(MOST_LINE_BYTES + 1);
      Reply answer = inTurn(() -> answered(exchange, line));
      byte[] text = answer.text.getBytes(UTF_8);
      Headers headers = exchange.getResponseHeaders();
      headers.set("Content-Type", answer.type + "; charset=utf-8");
      headers.set("Cache-Control", "no-store");
      headers.set("Referrer-Policy", "no-referrer");
      headers.set("X-Content-Type-Options", "nosniff");
      headers.set("Content-Security-Policy", POLICY);
      if (!answer.fileName.isEmpty()) {
        headers.set("Content-Disposition", "attachment; filename=\"" + answer.fileName + "\"");
      }
      exchange.sendResponseHeaders(answer.status, text.length == 0 ? -1 : text.length);
      exchange.getResponseBody().write(text);
    }
  }

  private Reply inTurn(Callable<Reply> what) throws IOException {
    try {
      return player.submit(what).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the lab is closed");
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
  }

  private Reply answered(HttpExchange exchange, byte[] line) {
    String[] path = exchange.getRequestURI().getPath().split("/", 3);
    if (!isOurs(exchange.getRequestHeaders()) || path.length < 3 || !isToken(path[1])) {
      return new Reply(404, "text/plain", "give the whole address that roce4j lab has printed", "");
    }
    boolean post = exchange.getRequestMethod().equals("POST");
    return switch ((post ? "POST " : "") + path[2]) {
      case "" -> Reply.of("text/html", page());
      case "view" -> Reply.of("text/html", lab.view().page());
      case "state" -> state("");
      case "scenario.yaml" -> Reply.file("scenario.yaml", ScenarioFile.of(lab.scenario()).text());
      case "test.java" -> test();
      case "turn" -> Reply.of("application/json", String.valueOf(turn));
      case "POST act", "POST back" -> play(path[2], exchange, line);
      default -> new Reply(404, "text/plain", "there is no such page", "");
    };
  }

  /** A request with another host name or origin comes from a foreign page. */
  private boolean isOurs(Headers headers) {
    String here = ":" + server.getAddress().getPort();
    String host = String.valueOf(headers.getFirst("Host"));
    String origin = headers.getFirst("Origin");
    return List.of("127.0.0.1" + here, "localhost" + here).contains(host)
        && (origin == null || origin.equals("http://" + host));
  }

  private boolean isToken(String given) {
    return MessageDigest.isEqual(given.getBytes(UTF_8), token.getBytes(UTF_8));
  }

  private Reply state(String problem) {
    return Reply.of("application/json", LabJson.of(lab, turn, problem));
  }

  /** A page that acts names the turn that it shows; a program need not. */
  private boolean hasSeenAll(HttpExchange exchange) {
    String query = exchange.getRequestURI().getQuery();
    return query == null || query.equals("seen=" + turn);
  }

  private Reply play(String what, HttpExchange exchange, byte[] line) {
    if (!hasSeenAll(exchange)) {
      return state(UNSEEN);
    }
    if (what.equals("act")) {
      return act(line);
    }
    lab.back();
    turn++;
    return state("");
  }

  private Reply act(byte[] line) {
    if (line.length > MOST_LINE_BYTES) {
      return state("an action has at most " + MOST_LINE_BYTES + " bytes");
    }
    try {
      lab.act(new String(line, UTF_8).strip());
      turn++;
      return state("");
    } catch (VerbsException e) {
      return state(e.remedy());
    } catch (IllegalArgumentException e) {
      return state(e.getMessage());
    }
  }

  private Reply test() {
    String name = SavedTest.className(lab.scenario().title());
    return Reply.file(name + ".java", SavedTest.of(lab, name));
  }

  private static String page() {
    Class<?> here = LabServer.class;
    return resource(here, "lab.html")
        .replace("/* style */", resource(here, "lab.css"))
        .replace("/* script */", resource(View.class, "controls.js") + resource(here, "lab.js"));
  }

  private static String resource(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
