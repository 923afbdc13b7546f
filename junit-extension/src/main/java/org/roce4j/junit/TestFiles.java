package org.roce4j.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.view.View;

/** The files that a test leaves: packets, and counters beside them. */
final class TestFiles {
  /**
   * The system property that names the directory for all tests; default {@code target/roce4j} or
   * {@code build/roce4j}.
   */
  static final String DIRECTORY_PROPERTY = "roce4j.junit.directory";

  private static final int LONGEST_NAME = 200;

  /** The unique id of the test that has a directory. */
  private static final Map<Path, String> OWNERS = new ConcurrentHashMap<>();

  private static final Pattern INVOCATION = Pattern.compile("#(\\d+)\\]$");

  private TestFiles() {}

  /**
   * The directory of a test, with the simple name of its class. If another test of this process has
   * that name, in another package or with other parameters, the directory has the test's full name.
   */
  static Path directoryOf(ExtensionContext test) {
    Path directory = root().resolve(nameOf(test)).toAbsolutePath();
    if (isOf(directory, test)) {
      return directory;
    }
    String whole = test.getUniqueId().replaceAll("\\W+", ".").replaceFirst("\\.$", "");
    return directory.resolveSibling(whole.substring(Math.max(0, whole.length() - LONGEST_NAME)));
  }

  private static boolean isOf(Path directory, ExtensionContext test) {
    return test.getUniqueId()
        .equals(OWNERS.computeIfAbsent(directory, unused -> test.getUniqueId()));
  }

  /** Creates or empties a directory. */
  static void prepare(Path directory) {
    try {
      Files.createDirectories(directory);
      empty(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot prepare " + directory, e);
    }
  }

  private static Path root() {
    String chosen = System.getProperty(DIRECTORY_PROPERTY);
    if (chosen != null) {
      return Path.of(chosen);
    }
    boolean gradle =
        Files.exists(Path.of("build.gradle")) || Files.exists(Path.of("build.gradle.kts"));
    return Path.of(gradle ? "build" : "target", "roce4j");
  }

  /** {@code Class.method}, and {@code -n} for the n-th invocation of a template. */
  static String nameOf(ExtensionContext test) {
    Class<?> type = test.getRequiredTestClass();
    String name =
        type.getName().substring(type.getPackageName().length()).replaceFirst("^\\.", "")
            + "."
            + test.getRequiredTestMethod().getName();
    Matcher invocation = INVOCATION.matcher(test.getUniqueId());
    String number = invocation.find() ? "-" + invocation.group(1) : "";
    return name.replaceAll("[^\\p{L}\\p{N}._-]", ".") + number;
  }

  /** The first lines of the files. */
  static List<String> head(OpenedNetwork network, String test, Throwable failure) {
    List<String> lines = new ArrayList<>();
    lines.add("test      " + test);
    lines.add(
        "failure   "
            + (failure == null ? "none" : failure.toString().lines().findFirst().orElse("")));
    network.failedRequests().sentences().forEach(line -> lines.add("request   " + line));
    lines.add("transport " + network.transport());
    lines.add("seed      " + network.seed());
    String links = network.request().faults().links().changes();
    if (!links.isEmpty()) {
      lines.add("links     " + links);
    }
    network.request().faults().packets().forEach(rule -> lines.add("fault     " + rule));
    for (VerbsRule rule : network.request().faults().verbs()) {
      lines.add("fault     " + rule + fired(network.verbsFaults().chosenBy(rule)));
    }
    lines.addAll(network.summary());
    return lines;
  }

  /** Packets bear the faults that they met; those at the verbs are told nowhere else. */
  private static String fired(long times) {
    return times == 0
        ? ", never fired"
        : times == 1 ? ", fired once" : Wording.of(", fired %,d times", times);
  }

  /** Writes the counters of a failed test's devices. */
  static void writeCounters(OpenedNetwork network, List<String> head) {
    List<String> lines = new ArrayList<>(head);
    for (int i = 0; i < network.devices().size(); i++) {
      lines.add("");
      lines.add("device " + network.devices().get(i).name());
      for (Map.Entry<String, Long> counter : network.counters(i).entrySet()) {
        if (counter.getValue() != 0) {
          lines.add(Wording.of("  %-24s %d", counter.getKey(), counter.getValue()));
        }
      }
    }
    try {
      Files.write(network.directory().resolve("counters.txt"), lines);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write counters to " + network.directory(), e);
    }
  }

  /**
   * Draws the packets of one device, or of two devices joined. If the page cannot be written, it
   * only reports that, because the packets are kept.
   *
   * @param head lines above the drawing
   */
  static void drawPackets(Path directory, List<String> head) {
    try {
      List<Path> captures;
      try (Stream<Path> files = Files.list(directory)) {
        captures = files.filter(f -> f.toString().endsWith(".pcapng")).sorted().toList();
      }
      if (captures.size() == 2) {
        View.read(captures, head).writePage(directory.resolve("packets.html"));
        return;
      }
      for (Path capture : captures) {
        String page = capture.getFileName().toString().replaceFirst("pcapng$", "html");
        View.read(List.of(capture), head).writePage(directory.resolve(page));
      }
    } catch (IOException e) {
      System.err.println("roce4j: no page in " + directory + ": " + e);
    }
  }

  /**
   * Tells {@code ./roce4j explore} which test failed and how: by a line in the directory that
   * {@code roce4j.plan-log} or {@code ROCE4J_PLAN_LOG} names, if it exists.
   */
  static void tellSearch(ExtensionContext test, Throwable failure) {
    String log = System.getProperty("roce4j.plan-log", System.getenv("ROCE4J_PLAN_LOG"));
    if (log == null || !Files.isDirectory(Path.of(log))) {
      return;
    }
    Path file = Path.of(log, ProcessHandle.current().pid() + ".failures");
    String line = Wording.of("%s in %s%n", failure.getClass().getName(), nameOf(test));
    try {
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      System.err.println("roce4j: the log of ROCE4J_PLAN cannot be written: " + e);
    }
  }

  /** Deletes the files of a test that has passed. */
  static void discard(Path directory) {
    try {
      empty(directory);
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + directory, e);
    }
  }

  private static void empty(Path directory) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
  }
}
