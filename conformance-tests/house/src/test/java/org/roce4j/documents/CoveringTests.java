package org.roce4j.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The calls that each test of the repository covers, read from the sources: {@code @Tag("ibv_...")}
 * of a JUnit test, {@code @Covers("ibv_...")} of a table of rows.
 */
final class CoveringTests {
  private static final Path TOP = Path.of("..", "..");
  private static final Pattern COVERS =
      Pattern.compile("@(?:Tag|Covers)\\(\\s*\\{?\\s*(\"(?:ibv_|rdma_|r[a-z]+|m[a-z]+_)[^)]*)\\)");
  private static final Pattern NAME = Pattern.compile("\"([a-z_]+)\"");

  /** The annotated element: a method or a type. */
  private static final Pattern ANNOTATED =
      Pattern.compile(
          "(?:(?:class|enum|interface|record)\\s+\\w+|\\b(\\w+)\\s*\\([^)]*\\)\\s*(?:throws [\\w.,"
              + " ]+)?\\{)");

  private final TreeMap<String, TreeSet<String>> emulator = new TreeMap<>();
  private final TreeMap<String, TreeSet<String>> played = new TreeMap<>();
  private final TreeMap<String, TreeSet<String>> ofBoth = new TreeMap<>();
  private final TreeSet<String> held = new TreeSet<>();

  private CoveringTests() {}

  static CoveringTests ofTheSources() {
    CoveringTests found = new CoveringTests();
    try (Stream<Path> files = Files.walk(TOP)) {
      List<Path> sources =
          files
              .filter(path -> path.toString().endsWith(".java"))
              .filter(path -> !path.toString().contains("/target/"))
              .toList();
      for (Path source : sources) {
        found.read(source, Files.readString(source));
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(Path source, String text) {
    Matcher covers = COVERS.matcher(text);
    while (covers.find()) {
      String test = name(source, text, covers.end());
      boolean rows = covers.group().startsWith("@Covers");
      String module = TOP.relativize(source).getName(0).toString();
      for (String call : names(covers.group(1))) {
        if (rows || !module.equals("verbs-hardware")) {
          put(emulator, call, rows ? "rows: " + test : test);
        }
        if (rows) {
          held.add(call);
        } else if (module.equals("verbs-hardware")) {
          put(played, call, test);
        } else if (module.equals("verbs-api")) {
          put(ofBoth, call, test);
        }
      }
    }
  }

  private static String name(Path source, String text, int from) {
    String type = source.getFileName().toString().replace(".java", "");
    Matcher annotated = ANNOTATED.matcher(text);
    String method = annotated.find(from) ? annotated.group(1) : null;
    return "`" + (method == null ? type : type + "." + method) + "`";
  }

  private static List<String> names(String quoted) {
    List<String> names = new ArrayList<>();
    Matcher name = NAME.matcher(quoted);
    while (name.find()) {
      names.add(name.group(1));
    }
    return names;
  }

  private static void put(TreeMap<String, TreeSet<String>> where, String call, String test) {
    where.computeIfAbsent(call, unused -> new TreeSet<>()).add(test);
  }

  /** Every call that a test covers. */
  Set<String> calls() {
    Set<String> calls = new TreeSet<>(emulator.keySet());
    calls.addAll(played.keySet());
    calls.addAll(ofBoth.keySet());
    return calls;
  }

  /** The tests that use a call on the emulator, as text; empty if there is none. */
  String onEmulator(String call) {
    return String.join(", ", emulator.getOrDefault(call, new TreeSet<>()));
  }

  /** Whether rows use a call: rows run on the library with soft-RoCE. */
  boolean inRows(String call) {
    return held.contains(call);
  }

  /** The tests that use a call on the hardware backend with a library that the test plays. */
  String withAPlayedLibrary(String call) {
    return String.join(", ", played.getOrDefault(call, new TreeSet<>()));
  }

  /** The tests of calls that need no backend. */
  String withoutBackend(String call) {
    return String.join(", ", ofBoth.getOrDefault(call, new TreeSet<>()));
  }
}
