package org.roce4j.tools.console;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;

/** A file that the user named. */
public final class OutputFile {
  private OutputFile() {}

  /** Writes the content of a file. */
  public interface Writing {
    /** Writes {@code file}, replacing its content. */
    void to(Path file) throws IOException;
  }

  /**
   * Writes the text, replacing the file's content.
   *
   * @throws ToolFailure at run time, naming the file
   */
  public static void write(Path file, String text) {
    write(file, to -> Files.writeString(to, text));
  }

  /**
   * Lets {@code writing} write the file.
   *
   * @throws ToolFailure at run time, naming the file and the reason
   */
  public static void write(Path file, Writing writing) {
    try {
      writing.to(file);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /**
   * Refuses to replace a file by a result of it, because a capture cannot be taken again.
   *
   * @throws ToolFailure of the command line, naming the file
   */
  public static void spare(Collection<Path> read, Path written) {
    for (Path file : read) {
      if (isSame(file, written)) {
        throw ToolFailure.usage(written + " is read, it would be replaced: name another file");
      }
    }
  }

  /** Whether both names are of one file, which exists. */
  public static boolean isSame(Path file, Path other) {
    try {
      return Files.exists(other) && Files.isSameFile(file, other);
    } catch (IOException e) {
      return false; // Then the file cannot be written either, which is reported when that is tried.
    }
  }

  /** A failure that names the file once, in words instead of the type of the exception. */
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
