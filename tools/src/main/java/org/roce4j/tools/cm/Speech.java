package org.roce4j.tools.cm;

import java.io.PrintWriter;
import picocli.CommandLine;

/**
 * Prints the lines of a running command. Each line is flushed at once, because a script or a peer
 * waits for it. Thread-safe.
 */
final class Speech {
  private final String name;
  private final PrintWriter out;
  private final PrintWriter err;

  /**
   * @param name name of the C program
   * @param command command with the outputs
   */
  Speech(String name, CommandLine command) {
    this.name = name;
    out = command.getOut();
    err = command.getErr();
  }

  /** Prints a line on the output. */
  void say(String line) {
    print(out, line);
  }

  /** Prints the object of a long wait on the error output. */
  void note(String line) {
    print(err, name + ": " + line);
  }

  private static void print(PrintWriter to, String line) {
    synchronized (to) {
      to.println(line);
      to.flush();
    }
  }
}
