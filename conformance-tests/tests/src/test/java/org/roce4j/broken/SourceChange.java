package org.roce4j.broken;

import java.util.List;

/**
 * A change of one source file, as a diff shows it.
 *
 * @param module whose source it is
 * @param className fully qualified
 * @param before lines as they stand
 * @param after lines as they are changed
 */
record SourceChange(String module, String className, List<String> before, List<String> after) {
  /**
   * The changed source.
   *
   * @throws IllegalStateException if the lines to change do not stand there exactly once: the
   *     source has moved on, and the change must follow
   */
  String apply(String source) {
    String text = "\n" + source;
    String old = "\n" + String.join("\n", before) + "\n";
    int at = text.indexOf(old);
    if (at < 0 || text.indexOf(old, at + 1) >= 0) {
      throw new IllegalStateException(
          (at < 0 ? "these lines are no longer in " : "these lines stand more than once in ")
              + className
              + "; adapt the change:"
              + old);
    }
    String changed = after.isEmpty() ? "\n" : "\n" + String.join("\n", after) + "\n";
    return (text.substring(0, at) + changed + text.substring(at + old.length())).substring(1);
  }
}
