package org.roce4j.tools.explore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory and its contents. */
final class DirectoryTree {
  private DirectoryTree() {}

  /** The files with a name in a directory tree, sorted; none if the directory does not exist. */
  static List<Path> files(Path tree, String name) {
    try (Stream<Path> files = Files.walk(tree)) {
      return files.filter(file -> file.endsWith(name)).sorted().toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }

  /** Deletes a directory and its contents as far as possible. */
  static void delete(Path tree) {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | UncheckedIOException e) {
      // A process that was ended may still be writing.
    }
  }
}
