package org.roce4j.tools.view;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.CommandFixture;
import org.roce4j.tools.Roce4j;

class ViewCommandTest extends CommandFixture {
  private static final String SUMMARY =
      "rc_send.pcap: 12 packets, 12 icrc ok, 0 icrc bad, 0 malformed\n";

  @TempDir private Path directory;
  private Path capture;

  @BeforeEach
  void copyACaptureOfSoftRoce() throws IOException {
    capture = captureOfSoftRoce(directory);
  }

  @Test
  void writesAPageBesideTheCapture() throws IOException {
    assertEquals(0, run("view", capture.toString()));
    Path page = directory.resolve("rc_send.html");
    assertEquals(page + ": 12 packets\n" + SUMMARY, out.toString());
    assertTrue(Files.readString(page).startsWith("<!DOCTYPE html>"));
  }

  @Test
  void aRecordingWithoutRequestsSaysHowTheyAreRecorded() throws IOException {
    Path recording = directory.resolve("p.jfr");
    try (Recording empty = new Recording()) {
      empty.start();
      empty.stop();
      empty.dump(recording);
    }
    assertEquals(2, run("view", capture.toString(), recording.toString()));
    assertTrue(err.toString().contains("p.jfr holds no org.roce4j.WorkRequest"), err::toString);
    assertEquals(2, run("view", recording.toString()));
    assertTrue(err.toString().contains("give one capture, or one of each end"), err::toString);
    Files.writeString(recording, "no recording");
    assertEquals(2, run("view", capture.toString(), recording.toString()));
    assertTrue(err.toString().contains("cannot read the recording"), err::toString);
  }

  @Test
  void inspectLeavesTheSamePage() throws IOException {
    Path page = directory.resolve("inspected.html");
    assertEquals(0, run("inspect", capture.toString(), "--html", page.toString()));
    run("view", capture.toString());
    assertEquals(-1, Files.mismatch(page, directory.resolve("rc_send.html")));
  }

  @Test
  void theLogComesAloneUnlessAPageIsAskedFor() throws IOException {
    Path log = directory.resolve("events.json");
    assertEquals(0, run("view", capture.toString(), "--log", log.toString()));
    assertEquals(log + ": events of 12 packets\n" + SUMMARY, out.toString());
    assertFalse(Files.exists(directory.resolve("rc_send.html")));
    Path page = directory.resolve("p.html");
    run("view", capture.toString(), "--log", log.toString(), "--html", page.toString());
    assertTrue(Files.exists(page));
  }

  @Test
  void refusesWhatIsNoCapture() throws IOException {
    assertEquals(2, run("view", directory.resolve("none.pcap").toString()));
    assertTrue(err.toString().contains("there is no file"), err.toString());
    Path text = Files.writeString(directory.resolve("text.pcap"), "no capture");
    assertEquals(2, run("view", text.toString()));
    assertTrue(err.toString().contains("neither a pcap nor a pcapng file"), err.toString());
    assertEquals(2, run("view", "a", "b", "c"));
    assertEquals(2, run("view", "a", "--html", "p.html", "--serve"));
    assertEquals(2, run("view", capture.toString(), "--serve", "65536"));
    assertTrue(err.toString().contains("'65536' is not a TCP port: 0 to 65535"), err.toString());
  }

  @Test
  void whatIsMissingOrForeignIsToldWithTheTotals() throws IOException {
    byte[] whole = Files.readAllBytes(capture);
    Path cut = Files.write(directory.resolve("cut.pcap"), Arrays.copyOf(whole, whole.length - 5));
    assertEquals(0, run("view", cut.toString()));
    assertTrue(
        out.toString()
            .endsWith(
                "cut.pcap: 11 packets, 11 icrc ok, 0 icrc bad, 0 malformed; 0 other frames skipped,"
                    + " 0 truncated packets without ICRC to check; the file is damaged: the last"
                    + " record is cut short, at byte 1242\n"),
        out::toString);
    byte[] foreign = whole.clone();
    foreign[20] = 105; // IEEE 802.11
    Path other = Files.write(directory.resolve("other.pcap"), foreign);
    assertEquals(0, run("view", other.toString()));
    assertTrue(
        out.toString()
            .endsWith(
                "0 malformed; 12 other frames skipped, 0 truncated packets without ICRC to"
                    + " check; 12 frames of link type 105 (IEEE 802.11) are not read, only"
                    + " Ethernet, raw IP, loopback and Linux cooked captures\n"),
        out::toString);
  }

  /** The two ends of one capture would suggest that no packet is ever lost. */
  @Test
  void oneCaptureIsNotThatOfBothEnds() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("far.pcap"), capture);
    for (Path twice : List.of(capture, link)) {
      assertEquals(2, run("view", capture.toString(), twice.toString()));
      assertTrue(err.toString().contains(twice + " is given twice"), err::toString);
    }
  }

  /** The word after {@code --serve} is a port, or the capture. */
  @ParameterizedTest
  @CsvSource({"--serve FILE", "FILE --serve", "--serve 0 FILE", "--serve=0 FILE", "FILE --serve 0"})
  void theServedFileStandsAnywhere(String line) throws Exception {
    PipedReader said = new PipedReader();
    PrintWriter out = new PrintWriter(new PipedWriter(said), true);
    String[] words = ("view " + line.replace("FILE", capture.toString())).split(" ");
    Thread server = Thread.ofPlatform().start(() -> Roce4j.run(out, out, false, words));
    String told = new BufferedReader(said).readLine();
    assertTrue(told.startsWith("http://127.0.0.1:"), told);
    server.interrupt();
    server.join();
  }

  /** A mistyped command line destroys no capture. */
  @ParameterizedTest
  @ValueSource(strings = {"view %s --html %s", "view %s --log %s", "inspect %s --html %s"})
  void whatIsReadIsNotReplaced(String line) throws IOException {
    Path named = Files.copy(capture, directory.resolve("capture.html"));
    assertEquals(2, run(line.replace("%s", named.toString()).split(" ")));
    assertTrue(err.toString().contains(named + " is read, it would be replaced"), err.toString());
    assertEquals(-1, Files.mismatch(capture, named));
  }

  @Test
  void aPageThatCannotBeWrittenIsAFailure() {
    String place = directory.resolve("no/where.html").toString();
    assertEquals(1, run("view", capture.toString(), "--html", place));
    String parent = directory.resolve("no").toString();
    assertEquals(
        "roce4j view: cannot write " + place + ": there is no directory " + parent,
        err.toString().strip());
    run("inspect", capture.toString(), "--html", directory.toString());
    assertTrue(err.toString().endsWith(directory + ": Is a directory\n"), err.toString());
  }

  @Test
  void servesThePageToThisMachineAlone() throws Exception {
    HttpServer server = PageServer.start(0, () -> "the page");
    try (HttpClient http = HttpClient.newHttpClient()) {
      assertTrue(server.getAddress().getAddress().isLoopbackAddress());
      String address = "http://127.0.0.1:" + server.getAddress().getPort();
      HttpResponse<String> page = get(http, address + "/");
      assertEquals("the page", page.body());
      assertEquals("text/html; charset=utf-8", page.headers().firstValue("Content-Type").get());
      assertEquals(404, get(http, address + "/etc/passwd").statusCode());
    } finally {
      server.stop(0);
    }
  }

  /** A page of another origin whose name leads to this machine may not read captures. */
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, 200", "127.0.0.1:%d, 200", "localhost:%d, 200",
    "evil.example:%d, 404", "127.0.0.1.evil.example, 404", "'', 404",
  })
  void servesUnderTheNamesOfThisMachineAlone(String host, int status) throws Exception {
    HttpServer server = PageServer.start(0, () -> "the page");
    int port = server.getAddress().getPort();
    try (Socket socket = new Socket("127.0.0.1", port)) {
      String head =
          "GET / HTTP/1.1\r\nHost: " + host.formatted(port) + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
      assertEquals(status == 200, answer.contains("the page"));
    } finally {
      server.stop(0);
    }
  }

  @Test
  void whoIsInterruptedServesNoMore() throws Exception {
    StringWriter said = new StringWriter();
    Thread serving =
        Thread.ofPlatform()
            .start(() -> PageServer.serve(0, () -> "the page", new PrintWriter(said, true)));
    while (!said.toString().contains("/ (")) {
      Thread.onSpinWait();
    }
    int port = Integer.parseInt(said.toString().replaceFirst("(?s).*:(\\d+)/ .*", "$1"));
    new Socket("127.0.0.1", port).close();
    serving.interrupt();
    serving.join();
    assertThrows(ConnectException.class, () -> new Socket("127.0.0.1", port).close());
  }

  private static HttpResponse<String> get(HttpClient http, String address)
      throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());
  }
}
