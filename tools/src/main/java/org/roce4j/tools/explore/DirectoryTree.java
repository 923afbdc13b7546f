package org.roce4j.tools.explore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory and all that is in it. */
final class DirectoryTree {
  private DirectoryTree() {}

  /** The files of that name in it, in their order; none if it does not exist. */
  static List<Path> files(Path tree, String name) {
    try (Stream<Path> files = Files.walk(tree)) {
      return files.filter(file -> file.endsWith(name)).sorted().toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }

  /** Deletes it with all that is in it, as far as that can be. */
  static void delete(Path tree) {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | UncheckedIOException e) {
      // A process that was ended may write still.
    }
  }
}
