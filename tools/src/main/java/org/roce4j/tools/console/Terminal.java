package org.roce4j.tools.console;

import java.io.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether output goes to a terminal: colours and lines drawn in place are for terminals only. */
public final class Terminal {
  private static final int PICOCLI_LEAST = 55;

  private Terminal() {}

  /** Whether standard output is a terminal. */
  public static boolean isStdout() {
    return isTerminal(1);
  }

  /** Whether standard error is a terminal. */
  public static boolean isStderr() {
    return isTerminal(2);
  }

  private static boolean isTerminal(int descriptor) {
    Path link = Path.of("/proc/self/fd/" + descriptor);
    if (Files.isSymbolicLink(link)) {
      try {
        String target = Files.readSymbolicLink(link).toString();
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
      } catch (IOException e) {
        return false;
      }
    }
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /**
   * The number of columns of the terminal if it has fewer than picocli supports; otherwise 0. Runs
   * another program, so only a help page calls it.
   */
  public static int fewColumns() {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(Path.of("/dev/tty").toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      int columns =
          size.matches("\\d+ \\d+\\s*") ? Integer.parseInt(size.strip().split(" ")[1]) : 0;
      return columns < PICOCLI_LEAST ? columns : 0;
    } catch (IOException e) {
      return 0;
    }
  }
}
