package org.roce4j.device;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * A file that names an XRC domain by its inode and not by its path. It stays open while the domain
 * exists, so that no other file gets the inode.
 */
final class NamingFile implements AutoCloseable {
  private final FileChannel open;
  private final Object key;

  private NamingFile(FileChannel open, Object key) {
    this.open = open;
    this.key = key;
  }

  /**
   * @throws VerbsException EBADF if there is no such file; EACCES if it cannot be read
   */
  static NamingFile of(Path path) {
    try {
      return of(FileChannel.open(path, StandardOpenOption.READ), path);
    } catch (AccessDeniedException e) {
      throw new VerbsException(
          Errno.EACCES, Wording.of("the file %s of the XRC domain may not be read", path), e);
    } catch (IOException e) {
      throw new VerbsException(
          Errno.EBADF,
          Wording.of(
              "there is no file %s to name the XRC domain (%s): create it first",
              path, e.getMessage()),
          e);
    }
  }

  /**
   * Opens the channel's file. Closes the channel if that fails, because the file may have been
   * removed since the channel was opened.
   */
  static NamingFile of(FileChannel open, Path path) throws IOException {
    try {
      Object inode = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
      return new NamingFile(open, inode != null ? inode : path.toRealPath());
    } catch (IOException | RuntimeException | Error e) {
      open.close();
      throw e;
    }
  }

  /** The identity of the file: equal for the same file. */
  Object key() {
    return key;
  }

  @Override
  public void close() {
    try {
      open.close();
    } catch (IOException e) {
      // Nothing was written, so a failure to close loses nothing.
    }
  }
}
