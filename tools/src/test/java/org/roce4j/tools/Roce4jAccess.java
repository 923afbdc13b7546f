package org.roce4j.tools;

import java.io.PrintWriter;

/** Runs the command for tests of other packages. */
public final class Roce4jAccess {
  private Roce4jAccess() {}

  /** As {@link Roce4j#main} without the exit. */
  public static int run(PrintWriter out, PrintWriter err, String... args) {
    return Roce4j.run(out, err, false, args);
  }
}
