package org.roce4j.tools.cm;

import java.io.PrintWriter;
import picocli.CommandLine;

/**
 * What a command prints while it runs. A line leaves at once, because a script or a peer waits for
 * it. Any thread may speak.
 */
final class Speech {
  private final String name;
  private final PrintWriter out;
  private final PrintWriter err;

  /**
   * @param name what the C program calls itself
   * @param command with the outputs
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

  /** Prints on the error output what a long wait waits for. */
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
