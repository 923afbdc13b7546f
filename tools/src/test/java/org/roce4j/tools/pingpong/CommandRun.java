package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.roce4j.tools.Roce4jAccess;

/** One run of the command in this process, and what it left. */
record CommandRun(int status, String out, String err) {
  /** Runs a command line, split at spaces. */
  static CommandRun of(String line) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        Roce4jAccess.run(new PrintWriter(out, true), new PrintWriter(err, true), line.split(" "));
    return new CommandRun(status, out.toString(), err.toString());
  }

  String lastLine() {
    return out.lines().reduce("", (first, second) -> second);
  }

  void assertPrinted(String part) {
    assertTrue(out.contains(part), () -> "'" + part + "' is not in:\n" + out + err);
  }
}
