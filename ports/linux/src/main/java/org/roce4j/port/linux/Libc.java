package org.roce4j.port.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The system calls of this port. A call with memory for errno, which its caller allocates once per
 * thread, returns the negative errno instead of -1. To capture errno the linker makes a slice of
 * that memory, which is garbage until the just-in-time compiler removes it. Therefore most calls of
 * the data path do not capture errno.
 *
 * <p>No call is linked as critical: on sockets that gains nothing, and a loop of critical calls
 * would delay safepoints of the virtual machine.
 */
final class Libc {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");

  private static final MethodHandle SOCKET = link("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle BIND = link("bind", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle CONNECT =
      link("connect", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle SETSOCKOPT =
      link("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle CLOSE = link("close", JAVA_INT, JAVA_INT);
  private static final MethodHandle SENDMSG =
      link("sendmsg", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle TRY_SENDMSG =
      linkWithoutErrno("sendmsg", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle TRY_SENDTO =
      linkWithoutErrno(
          "sendto", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle RECVMSG =
      linkWithoutErrno("recvmsg", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle RECVFROM =
      linkWithoutErrno(
          "recvfrom", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle RECVMMSG =
      linkWithoutErrno("recvmmsg", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
  private static final MethodHandle EVENTFD = link("eventfd", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle READ =
      linkWithoutErrno("read", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
  private static final MethodHandle EVENTFD_WRITE =
      linkWithoutErrno("eventfd_write", JAVA_INT, JAVA_INT, JAVA_LONG);
  private static final MethodHandle PPOLL =
      linkWithoutErrno("ppoll", JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);

  private static final MethodHandle PRCTL =
      LINKER.downcallHandle(
          find("prctl"),
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG),
          Linker.Option.firstVariadicArg(1));

  private Libc() {}

  /** Throws {@link UnsatisfiedLinkError} if a function is missing. */
  static void probe() {}

  private static MemorySegment find(String name) {
    return LINKER
        .defaultLookup()
        .find(name)
        .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no " + name));
  }

  private static MethodHandle link(String name, MemoryLayout result, MemoryLayout... arguments) {
    return LINKER.downcallHandle(find(name), FunctionDescriptor.of(result, arguments), ERRNO);
  }

  private static MethodHandle linkWithoutErrno(
      String name, MemoryLayout result, MemoryLayout... arguments) {
    return LINKER.downcallHandle(find(name), FunctionDescriptor.of(result, arguments));
  }

  /** Memory for the errno of one thread's calls. */
  static MemorySegment errnoOf(Arena arena) {
    return arena.allocate(Linker.Option.captureStateLayout());
  }

  private static int result(int value, MemorySegment errno) {
    return value >= 0 ? value : -errno.get(JAVA_INT, 0);
  }

  private static AssertionError impossible(Throwable thrown) {
    return new AssertionError("a downcall threw", thrown);
  }

  static int socket(MemorySegment errno, int domain, int type) {
    try {
      return result((int) SOCKET.invokeExact(errno, domain, type, 0), errno);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  static int bind(MemorySegment errno, int fd, MemorySegment address, int length) {
    try {
      return result((int) BIND.invokeExact(errno, fd, address, length), errno);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  static int connect(MemorySegment errno, int fd, MemorySegment address, int length) {
    try {
      return result((int) CONNECT.invokeExact(errno, fd, address, length), errno);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  static int setsockopt(
      MemorySegment errno, int fd, int level, int name, MemorySegment value, int length) {
    try {
      return result((int) SETSOCKOPT.invokeExact(errno, fd, level, name, value, length), errno);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  static int close(MemorySegment errno, int fd) {
    try {
      return result((int) CLOSE.invokeExact(errno, fd), errno);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  static int sendmsg(MemorySegment errno, int fd, MemorySegment message, int flags) {
    try {
      return result((int) (long) SENDMSG.invokeExact(errno, fd, message, flags), errno);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Sends; -1 if it fails. Then {@link #sendmsg} tries again and returns the errno. */
  static int trySendmsg(int fd, MemorySegment message, int flags) {
    try {
      return (int) (long) TRY_SENDMSG.invokeExact(fd, message, flags);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /**
   * Sends bytes without control data, faster than {@link #trySendmsg}; -1 if it fails.
   *
   * @param bytes address of the bytes
   * @param name address of the receiver; {@link MemorySegment#NULL} on a connected socket
   */
  static int trySendto(int fd, long bytes, long length, MemorySegment name, int nameLength) {
    try {
      return (int) (long) TRY_SENDTO.invokeExact(fd, bytes, length, 0, name, nameLength);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /**
   * Receives one message and returns its length, or -1 if there is none or an earlier send has
   * failed.
   */
  static int recvmsg(int fd, MemorySegment message, int flags) {
    try {
      return (int) (long) RECVMSG.invokeExact(fd, message, flags);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /**
   * Receives one datagram without control data, faster than {@link #recvmsg}; returns its length,
   * or -1 as there.
   *
   * @param bytes address of the memory for the datagram
   * @param name address of the memory for the sender's address
   * @param nameLength address of the length of that memory, which the kernel overwrites
   */
  static int recvfrom(int fd, long bytes, long length, int flags, long name, long nameLength) {
    try {
      return (int) (long) RECVFROM.invokeExact(fd, bytes, length, flags, name, nameLength);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /**
   * Receives messages and returns their number, or -1 if there is none or an earlier send has
   * failed.
   */
  static int recvmmsg(int fd, MemorySegment messages, int count, int flags) {
    try {
      return (int) RECVMMSG.invokeExact(fd, messages, count, flags, MemorySegment.NULL);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  static int eventfd(MemorySegment errno) {
    try {
      return result((int) EVENTFD.invokeExact(errno, 0, Abi.EFD_NONBLOCK | Abi.EFD_CLOEXEC), errno);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Reads bytes; -1 if there are none. */
  static int read(int fd, MemorySegment to, long length) {
    try {
      return (int) (long) READ.invokeExact(fd, to, length);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Adds one to an event descriptor. Allocates nothing and fails only on a closed descriptor. */
  static void signal(int eventfd) {
    try {
      int ignored = (int) EVENTFD_WRITE.invokeExact(eventfd, 1L);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /**
   * Sets the greatest delay of timed sleeps of the calling thread; has no effect if the kernel
   * refuses.
   */
  static void timerSlack(long ns) {
    try {
      int ignored = (int) PRCTL.invokeExact(Abi.PR_SET_TIMERSLACK, ns);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /**
   * Waits until a descriptor is ready.
   *
   * @param pollfds an array of {@code struct pollfd}
   * @param timespec {@link MemorySegment#NULL} for no limit
   * @return the number of ready descriptors; 0 after the time; -1 if a signal has ended the wait
   */
  static int ppoll(MemorySegment pollfds, int count, MemorySegment timespec) {
    try {
      return (int) PPOLL.invokeExact(pollfds, (long) count, timespec, MemorySegment.NULL);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }
}
