package org.roce4j.emulator;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * A platform thread as Linux reports it. {@link Thread#getState} reports a parked thread until it
 * runs again; the kernel knows from the moment of its wake-up that it will run.
 */
final class KernelThread implements AutoCloseable {
  /**
   * A link to the directory of the thread that reads it, such as {@code 17/task/23} ({@code man 5
   * proc}).
   */
  private static final Path SELF = Path.of("/proc/thread-self");

  private static final File ALL = new File("/proc/self/task");

  /** Room for the thread's number, its name of at most 15 bytes and its state. */
  private static final int BYTES = 64;

  private final String number;
  private final byte[] line = new byte[BYTES];
  private RandomAccessFile open;

  private KernelThread(String number) {
    this.number = number;
  }

  /** The calling thread; null for a virtual thread, or if the system does not tell. */
  static KernelThread current() {
    String number = Thread.currentThread().isVirtual() ? null : currentNumber();
    return number == null ? null : new KernelThread(number);
  }

  /** The number of the calling thread's carrier; null if the system does not tell it. */
  static String currentNumber() {
    try {
      return Files.readSymbolicLink(SELF).getFileName().toString();
    } catch (IOException | UnsupportedOperationException elsewhere) {
      return null;
    }
  }

  /** The numbers of all threads of this process; none if the system does not tell them. */
  static Set<String> numbers() {
    String[] numbers = ALL.list();
    return numbers == null ? Set.of() : new HashSet<>(Arrays.asList(numbers));
  }

  /** A thread of this process. */
  static KernelThread of(String number) {
    return new KernelThread(number);
  }

  String number() {
    return number;
  }

  /** Whether it sleeps and nothing has woken it. One thread at a time may call this. */
  boolean isAsleep() {
    String stat = stat();
    return stat.isEmpty() || stat.startsWith(") S", stat.lastIndexOf(')'));
  }

  /** The first 15 bytes of its name at the last {@link #isAsleep}; empty if it had ended. */
  String name() {
    String stat = new String(line, StandardCharsets.ISO_8859_1);
    int from = stat.indexOf('(') + 1;
    return stat.substring(from, Math.max(from, stat.lastIndexOf(')')));
  }

  /** Its processor time so far; the time of day if the system does not tell it. */
  long processorNs() {
    return turns().ranNs();
  }

  /** Its processor use so far; one endless turn if the system does not tell it. */
  Elsewhere.ProcessorUse turns() {
    try {
      String[] told =
          Files.readString(ALL.toPath().resolve(number).resolve("schedstat")).strip().split(" ");
      return new Elsewhere.ProcessorUse(Long.parseLong(told[0]), Long.parseLong(told[2]));
    } catch (IOException | RuntimeException untold) {
      return new Elsewhere.ProcessorUse(System.nanoTime(), 1);
    }
  }

  /** The kernel's line about the thread; empty if it has ended. */
  private String stat() {
    try {
      if (open == null) {
        open = new RandomAccessFile(new File(new File(ALL, number), "stat"), "r");
      }
      open.seek(0);
      int length = open.read(line);
      return new String(line, 0, Math.max(length, 0), StandardCharsets.ISO_8859_1);
    } catch (IOException ended) {
      return "";
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
