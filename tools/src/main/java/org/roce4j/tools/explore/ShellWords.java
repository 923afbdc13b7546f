package org.roce4j.tools.explore;

import java.util.List;
import java.util.stream.Collectors;

/** Words as a Unix shell reads them. */
final class ShellWords {
  private ShellWords() {}

  static String line(List<String> words) {
    return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
  }

  static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./:=,@%+#-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
