package org.roce4j.options;

import java.nio.file.Path;
import java.util.List;

/**
 * A service that reads rules from a file, so that this package needs no library for file formats.
 */
public interface RuleFile {
  /**
   * The rules of a file, each as its words, with their places.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL, with file, line and column, if it is not a list
   *     of rules; ENOENT for a file that cannot be read
   */
  List<List<Word>> read(Path file);
}
