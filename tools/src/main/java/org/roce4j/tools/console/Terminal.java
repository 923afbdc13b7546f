package org.roce4j.tools.console;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether output goes to a terminal: colours and lines drawn in place are for terminals only. */
public final class Terminal {
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
}
