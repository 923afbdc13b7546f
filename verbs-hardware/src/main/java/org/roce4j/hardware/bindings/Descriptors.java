package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The functions of the C library for events: waiting for a file descriptor. Thread-safe. */
public final class Descriptors {
  private static final int F_GETFD = 1;
  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 0x800;
  private static final short POLLIN = 1;
  private static final int POLLFD = 8;
  private static final int POLLFD_EVENTS = 4;
  private static final int TIMESPEC = 16;
  private static final long SECOND = 1_000_000_000L;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle FCNTL =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("fcntl"),
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle PPOLL =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("ppoll"),
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));

  private static final int O_CLOEXEC = 0x80000;
  private static final MethodHandle OPEN =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("open"),
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
          Linker.Option.firstVariadicArg(2),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle CLOSE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("close"), FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private Descriptors() {}

  /**
   * Opens a file for reading.
   *
   * @throws VerbsException the errno of {@code open}
   */
  public static int openToRead(Frame frame, Path file) {
    try {
      int descriptor =
          (int) OPEN.invokeExact(frame.state(), frame.text(file.toString()), O_CLOEXEC, 0);
      if (descriptor < 0) {
        throw Refusal.of("open " + file, frame.errno());
      }
      return descriptor;
    } catch (VerbsException e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError("a downcall threw", t);
    }
  }

  /** Closes a descriptor. */
  public static void close(int descriptor) {
    try {
      int unused = (int) CLOSE.invokeExact(descriptor);
    } catch (Throwable t) {
      throw new AssertionError("a downcall threw", t);
    }
  }

  /** Whether a number is an open descriptor. */
  public static boolean isOpen(int descriptor) {
    return fcntl(descriptor, F_GETFD, 0) >= 0;
  }

  /**
   * Makes reads of a descriptor return at once.
   *
   * @throws VerbsException EBADF if it is none
   */
  public static void dontBlock(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL, 0);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) {
      throw new VerbsException(
          Errno.EBADF, "the event descriptor " + descriptor + " is not open: open the device anew");
    }
  }

  /**
   * Waits until a descriptor can be read, or a signal comes.
   *
   * @param timeoutNs nanoseconds, 0 or more
   * @return whether it can be read, or has failed
   */
  public static boolean awaitReadable(Frame frame, int descriptor, long timeoutNs) {
    MemorySegment pollfd = frame.structure(POLLFD);
    Memory.i32(pollfd, 0, descriptor);
    Memory.u16(pollfd, POLLFD_EVENTS, POLLIN);
    MemorySegment timespec = frame.structure(TIMESPEC);
    Memory.i64(timespec, 0, timeoutNs / SECOND);
    Memory.i64(timespec, 8, timeoutNs % SECOND);
    try {
      return (int) PPOLL.invokeExact(pollfd, 1L, timespec, MemorySegment.NULL) > 0;
    } catch (Throwable t) {
      throw new AssertionError("a downcall threw", t);
    }
  }

  private static int fcntl(int descriptor, int command, int argument) {
    try {
      return (int) FCNTL.invokeExact(descriptor, command, argument);
    } catch (Throwable t) {
      throw new AssertionError("a downcall threw", t);
    }
  }
}
