package org.roce4j.browser;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.stream.Stream;
import org.roce4j.tools.Roce4j;

/** A {@code roce4j lab} that serves its page. */
final class ServedLab implements AutoCloseable {
  private static final HttpClient http = HttpClient.newHttpClient();

  private final Thread command;
  private final String address;

  private ServedLab(Thread command, String address) {
    this.command = command;
    this.address = address;
  }

  /** Starts the command with further words. */
  static ServedLab open(String... words) throws IOException {
    PipedReader said = new PipedReader();
    PrintWriter out = new PrintWriter(new PipedWriter(said), true);
    String[] line = Stream.concat(Stream.of("lab"), Stream.of(words)).toArray(String[]::new);
    Thread command = Thread.ofPlatform().start(() -> Roce4j.run(out, out, false, line));
    return new ServedLab(
        command, new BufferedReader(said).readLine().replaceFirst(" \\(Ctrl.*", ""));
  }

  /** The address of its page, which ends with a slash. */
  String address() {
    return address;
  }

  /** A file next to the page, such as {@code test.java}. */
  String get(String name) throws IOException, InterruptedException {
    return http.send(
            HttpRequest.newBuilder(URI.create(address + name)).build(), BodyHandlers.ofString())
        .body();
  }

  @Override
  public void close() {
    command.interrupt();
  }
}
