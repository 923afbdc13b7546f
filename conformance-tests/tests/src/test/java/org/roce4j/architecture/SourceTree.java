package org.roce4j.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The Java sources of every module. */
final class SourceTree {

  /** The repository: Maven runs the tests of a module in the module's directory. */
  static final Path TOP = Path.of("").toAbsolutePath().getParent().getParent();

  private SourceTree() {}

  /** All Java files, tests included, in the order of their paths. */
  static List<Path> javaFiles() {
    return modules().stream().map(m -> m.resolve("src")).flatMap(SourceTree::javaBelow).toList();
  }

  /** Every directory of a module's main sources that holds a Java file. */
  static List<Path> mainPackages() {
    return modules().stream()
        .map(m -> m.resolve("src/main/java"))
        .flatMap(SourceTree::javaBelow)
        .map(Path::getParent)
        .distinct()
        .toList();
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The directories with a pom.xml, at most two levels below {@link #TOP}. */
  private static List<Path> modules() {
    try (Stream<Path> poms = Files.find(TOP, 3, (f, a) -> f.endsWith("pom.xml"))) {
      return poms.map(Path::getParent).filter(d -> !d.equals(TOP)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> javaBelow(Path directory) {
    if (!Files.isDirectory(directory)) {
      return Stream.empty();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(f -> f.toString().endsWith(".java")).sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
