package org.roce4j.tools.console;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A file that the user named. */
public final class OutputFile {
  private OutputFile() {}

  /** Writes a file. */
  public interface Writing {
    /** Replaces what the file held. */
    void to(Path file) throws IOException;
  }

  /**
   * Writes the text; it replaces what the file held.
   *
   * @throws ToolFailure at run time, naming the file
   */
  public static void write(Path file, String text) {
    write(file, to -> Files.writeString(to, text));
  }

  /**
   * Lets something write the file.
   *
   * @throws ToolFailure at run time, naming the file and why
   */
  public static void write(Path file, Writing writing) {
    try {
      writing.to(file);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /** The message names the file once, and says in words what Java says by the exception's type. */
  public static ToolFailure failure(Path file, IOException e) {
    String why =
        switch (e) {
          case NoSuchFileException missing ->
              "there is no directory " + file.toAbsolutePath().getParent();
          case AccessDeniedException denied -> "permission denied";
          case FileSystemException refused when refused.getReason() != null -> refused.getReason();
          default -> String.valueOf(e.getMessage());
        };
    return ToolFailure.atRunTime("cannot write " + file + ": " + why, e);
  }
}
