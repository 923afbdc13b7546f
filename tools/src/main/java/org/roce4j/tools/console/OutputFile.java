package org.roce4j.tools.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that the user named. */
public final class OutputFile {
  private OutputFile() {}

  /**
   * Writes the text; it replaces what the file held.
   *
   * @throws ToolFailure at run time, naming the file
   */
  public static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw ToolFailure.atRunTime("cannot write " + file + ": " + e.getMessage(), e);
    }
  }
}
