package org.roce4j.tools.explore;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.roce4j.tools.console.ToolFailure;

/** The class path of a user's tests, and the additional entries for running them. */
final class TestClassPath {
  private static final Pattern ENGINE = Pattern.compile("junit-platform-engine-(.+)\\.jar");

  /** Given by name, because the class needs JUnit, which this process lacks. */
  static final String WORKER = "org.roce4j.tools.explore.worker.TestWorker";

  private static final String LAUNCHER = "junit-platform-launcher";

  private TestClassPath() {}

  /** The user's class path, and JUnit's launcher if that is not in it. */
  static String of(String classPath) {
    List<Path> entries = expanded(classPath);
    if (entries.stream().noneMatch(entry -> entry.toString().contains(LAUNCHER))) {
      entries.add(launcher(entries));
    }
    return String.join(File.pathSeparator, entries.stream().map(Path::toString).toList());
  }

  /** Replaces a directory followed by a star by its jars. */
  private static List<Path> expanded(String classPath) {
    List<Path> entries = new ArrayList<>();
    for (String word : classPath.split(File.pathSeparator)) {
      boolean star = word.endsWith("*");
      Path entry = Path.of(star ? word.substring(0, word.length() - 1) : word);
      if (!Files.exists(entry)) {
        throw ToolFailure.usage("--class-path: there is no " + entry);
      }
      if (star) {
        try (Stream<Path> jars = Files.list(entry)) {
          jars.filter(jar -> jar.toString().endsWith(".jar")).sorted().forEach(entries::add);
        } catch (IOException e) {
          throw ToolFailure.usage("--class-path: " + entry + " cannot be listed");
        }
      } else {
        entries.add(entry);
      }
    }
    return entries;
  }

  /**
   * The jar of JUnit's launcher, which Maven's Surefire stores in the local repository beside the
   * engine's.
   */
  private static Path launcher(List<Path> entries) {
    for (Path entry : entries) {
      Matcher engine = ENGINE.matcher(entry.getFileName().toString());
      if (engine.matches()) {
        String version = engine.group(1);
        String jar = LAUNCHER + "-" + version + ".jar";
        Path place =
            entry.toAbsolutePath().resolveSibling(Path.of("..", "..", LAUNCHER, version, jar));
        if (Files.exists(place)) {
          return place.normalize();
        }
        throw ToolFailure.usage(
            "--class-path lacks JUnit's launcher: add org.junit.platform:%s:%s", LAUNCHER, version);
      }
    }
    throw ToolFailure.usage(
        "--class-path has no JUnit: name the directories of the tests and of the program, and all"
            + " jars, as mvn dependency:build-classpath prints them");
  }

  /** Copies the worker's class into a directory, which becomes an entry of the class path. */
  static Path copyWorker(Path directory) {
    String name = WORKER.replace('.', '/') + ".class";
    Path file = directory.resolve(name);
    try (InputStream in = TestClassPath.class.getResourceAsStream("/" + name)) {
      Files.createDirectories(file.getParent());
      Files.copy(in, file);
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
