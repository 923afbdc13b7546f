package org.roce4j.emulator;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A platform thread as Linux sees it. {@link Thread#getState} says that a thread is parked until it
 * runs again; the kernel knows from the moment of its wake-up that it is about to.
 */
final class KernelThread implements AutoCloseable {
  /**
   * A link to the directory of whoever reads it, such as {@code 17/task/23} ({@code man 5 proc}).
   */
  private static final Path SELF = Path.of("/proc/thread-self");

  /** More than the thread's number, its name of 15 bytes at most, and its state take. */
  private static final int BYTES = 64;

  private final Path stat;
  private final byte[] line = new byte[BYTES];
  private RandomAccessFile open;

  private KernelThread(Path stat) {
    this.stat = stat;
  }

  /** The calling thread; null for a virtual one, and where the system does not tell. */
  static KernelThread current() {
    if (Thread.currentThread().isVirtual()) {
      return null;
    }
    try {
      return new KernelThread(SELF.resolveSibling(Files.readSymbolicLink(SELF)).resolve("stat"));
    } catch (IOException | UnsupportedOperationException elsewhere) {
      return null;
    }
  }

  /** Whether it sleeps, and nothing has woken it; one thread at a time may ask. */
  boolean isAsleep() {
    try {
      if (open == null) {
        open = new RandomAccessFile(stat.toFile(), "r");
      }
      open.seek(0);
      int length = open.read(line);
      String text = new String(line, 0, Math.max(length, 0), StandardCharsets.ISO_8859_1);
      return text.startsWith(") S", text.lastIndexOf(')'));
    } catch (IOException ended) {
      return true;
    }
  }

  @Override
  public void close() {
    try {
      if (open != null) {
        open.close();
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } finally {
      open = null;
    }
  }
}
