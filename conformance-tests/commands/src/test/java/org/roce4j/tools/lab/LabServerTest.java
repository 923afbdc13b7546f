package org.roce4j.tools.lab;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.lab.LabSession;
import org.roce4j.lab.Scenario;

/** The lab answers only requests of the page that it has served. */
class LabServerTest {
  @AutoClose private final LabSession lab = LabSession.of(Scenario.of("asked"));
  @AutoClose private final LabServer server = new LabServer(lab, 0);

  private final URI page = URI.create(server.address());

  /**
   * After DNS rebinding, a page of another host name leads to 127.0.0.1 and has the same origin as
   * its own requests. Only the name in a request shows it.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          127.0.0.1:PORT        | -                       | 200
          localhost:PORT        | -                       | 200
          127.0.0.1:PORT        | http://127.0.0.1:PORT   | 200
          localhost:PORT        | http://localhost:PORT   | 200
          rebound.example:PORT  | -                       | 404
          rebound.example:PORT  | http://rebound.example:PORT | 404
          rebound.example       | -                       | 404
          127.0.0.1             | -                       | 404
          127.0.0.1:1           | -                       | 404
          127.0.0.1.nip.io:PORT | -                       | 404
          localhost.evil:PORT   | -                       | 404
          -                     | -                       | 404
          127.0.0.1:PORT        | http://evil.example     | 404
          127.0.0.1:PORT        | http://127.0.0.1:1      | 404
          127.0.0.1:PORT        | https://127.0.0.1:PORT  | 404
          127.0.0.1:PORT        | http://localhost:PORT   | 404
          127.0.0.1:PORT        | null                    | 404
          """)
  void onlyItsOwnPageIsAnswered(String host, String origin, int status) throws IOException {
    for (String request : new String[] {"GET state", "POST act"}) {
      assertEquals(status, status(request, page.getPath(), host, origin), request);
    }
    assertEquals(status == 200 ? 1 : 0, lab.scenario().actions().size());
  }

  @Test
  void withoutTheTokenThereIsNothing() throws IOException {
    String host = "127.0.0.1:PORT";
    for (String path : new String[] {"/", "/0123456789abcdef0123456789abcdef/", "//"}) {
      assertEquals(404, status("GET state", path, host, null), path);
    }
    String token = page.getPath();
    assertEquals(
        404, status("GET state", token.substring(0, token.length() - 2) + "/", host, null));
    assertEquals(404, status("GET ../state", token, host, null));
  }

  @Test
  void onlyThisMachineIsHeard() {
    assertEquals("127.0.0.1", page.getHost());
    assertTrue(page.getPath().matches("/[0-9a-f]{32}/"), page.getPath());
  }

  /** The beginning of a line that is too long is not played. */
  @Test
  void aLineIsPlayedWholeOrNotAtAll() throws Exception {
    lab.act("connect a b");
    assertTrue(act("write a1 text=" + "x".repeat(4000)).contains("\"problem\":\"\""));
    assertEquals(2, lab.scenario().actions().size());
    String told = act("write a1 text=" + "x".repeat(20_000));
    assertTrue(told.contains("an action has at most 10000 bytes"), told.substring(0, 200));
    assertEquals(2, lab.scenario().actions().size());
  }

  @Test
  void whoSendsHalfARequestKeepsNobodyWaiting() throws Exception {
    String head = "POST " + page.getPath() + "act HTTP/1.1\r\nHost: 127.0.0.1:" + page.getPort();
    for (String half : new String[] {"POST /", head + "\r\nContent-Length: 20\r\n\r\ncon"}) {
      try (Socket slow = new Socket(InetAddress.getLoopbackAddress(), page.getPort())) {
        slow.getOutputStream().write(half.getBytes(US_ASCII));
        assertTimeoutPreemptively(
            Duration.ofSeconds(20), () -> assertTrue(act("note heard").contains("problem")), half);
      }
    }
  }

  @Test
  void onlyGetAndPostAreAnswered() throws IOException {
    for (String method : new String[] {"HEAD", "DELETE", "OPTIONS"}) {
      assertEquals(405, status(method + " state", page.getPath(), "127.0.0.1:PORT", null), method);
    }
  }

  private String act(String line) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest asked =
          HttpRequest.newBuilder(page.resolve("act")).POST(BodyPublishers.ofString(line)).build();
      return http.send(asked, BodyHandlers.ofString()).body();
    }
  }

  /** Sends a request as a program that is no browser would, word for word. */
  private int status(String request, String path, String host, String origin) throws IOException {
    String[] words = request.split(" ");
    String line = words[0].equals("POST") ? "create a service=RC" : "";
    String head =
        "%s %s%s HTTP/1.1\r\n%s%sContent-Length: %d\r\nConnection: close\r\n\r\n%s"
            .formatted(
                words[0],
                path,
                words[1],
                host == null ? "" : "Host: " + host + "\r\n",
                origin == null ? "" : "Origin: " + origin + "\r\n",
                line.length(),
                line)
            .replace("PORT", String.valueOf(page.getPort()));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), page.getPort())) {
      socket.getOutputStream().write(head.getBytes(US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      return Integer.parseInt(answer.split(" ", 3)[1]);
    }
  }
}
