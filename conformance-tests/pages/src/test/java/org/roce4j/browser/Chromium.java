package org.roce4j.browser;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.roce4j.tools.console.Json;

/**
 * The distribution's Chromium without a window. It is driven by its own protocol over the JDK's
 * WebSocket: no driver has to fit its version, and nothing is downloaded.
 */
final class Chromium implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  private static final List<String> OPTIONS =
      List.of(
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--disable-dev-shm-usage",
          "--no-first-run",
          "--disable-background-networking",
          // A page goes on to draw, also behind another tab and on a busy machine.
          "--disable-background-timer-throttling",
          "--disable-backgrounding-occluded-windows",
          "--disable-renderer-backgrounding",
          "--disable-component-update",
          "--disable-sync",
          "--hide-scrollbars",
          "--remote-debugging-port=0");
  private static final Pattern ADDRESS = Pattern.compile("DevTools listening on ws://([^/]+)/.*");

  private final Path directory;
  private final Process process;
  private final String address;
  private final HttpClient http = HttpClient.newHttpClient();

  private Chromium(Path directory, Process process, String address) {
    this.directory = directory;
    this.process = process;
    this.address = address;
  }

  /** Starts Chromium, or skips the tests if there is none. */
  static Chromium open() throws IOException {
    Path program = program();
    if (program == null) {
      String reason = "no chromium on the path: the pages are not looked at (apt install chromium)";
      System.out.println("skipped: " + reason);
      Assumptions.abort(reason);
    }
    Path directory = Files.createTempDirectory("roce4j-chromium");
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(OPTIONS);
    command.add("--user-data-dir=" + directory);
    command.add("about:blank");
    Process process =
        new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    return new Chromium(directory, process, address(process));
  }

  private static Path program() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .flatMap(place -> NAMES.stream().map(name -> Path.of(place, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  /**
   * The address that Chromium prints on stderr. The rest of stderr is read so that it never blocks.
   */
  private static String address(Process process) throws IOException {
    BufferedReader err = process.errorReader(StandardCharsets.UTF_8);
    List<String> lines = new ArrayList<>();
    for (String line = err.readLine(); line != null; line = err.readLine()) {
      lines.add(line);
      Matcher found = ADDRESS.matcher(line);
      if (found.matches()) {
        Thread.ofVirtual().start(() -> readOn(err));
        return found.group(1);
      }
    }
    throw new IOException("chromium has ended: " + String.join("\n", lines));
  }

  private static void readOn(BufferedReader err) {
    try {
      err.transferTo(Writer.nullWriter());
    } catch (IOException e) {
      // The process has ended.
    }
  }

  /** A new tab. */
  BrowserTab tab() throws IOException, InterruptedException {
    HttpRequest wanted =
        HttpRequest.newBuilder(URI.create("http://" + address + "/json/new?about:blank"))
            .PUT(HttpRequest.BodyPublishers.noBody())
            .build();
    String answer = http.send(wanted, BodyHandlers.ofString()).body();
    Map<?, ?> target = (Map<?, ?>) Json.read(answer);
    return BrowserTab.open(http, URI.create((String) target.get("webSocketDebuggerUrl")));
  }

  @Override
  public void close() throws IOException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    } catch (UncheckedIOException e) {
      // The ending process has removed a file itself.
    }
  }
}
