package org.roce4j.port.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.roce4j.engine.time.Deadlines;

/**
 * Waits for any of a changing set of sockets, or for a wake-up. The sockets are passed to {@code
 * ppoll} each time. A socket in an epoll descriptor would always have a waiter, which a sender on
 * the same machine would have to notify. One thread waits; any thread may wake it, add and remove
 * sockets.
 */
final class SocketWaiter {
  private static final long SECOND = 1_000_000_000L;
  private static final int POLLFD = 8;
  private static final int POLL_EVENTS = 4;

  private final MemorySegment timespec;
  private final MemorySegment errno;
  private final MemorySegment drained;
  private final int wakeup;
  private final AtomicBoolean signalled = new AtomicBoolean();
  private final AtomicInteger inside = new AtomicInteger();
  private volatile boolean closed;

  /** An array of {@code struct pollfd}, the event descriptor's first; replaced as a whole. */
  private volatile MemorySegment watched;

  /** The array that the kernel is waiting with, or null. */
  private volatile MemorySegment polled;

  SocketWaiter(Arena arena) {
    timespec = arena.allocate(16, 8);
    errno = Libc.errnoOf(arena);
    drained = arena.allocate(8, 8);
    wakeup = Libc.eventfd(errno);
    if (wakeup < 0) {
      throw UdpSocket.failure(wakeup, "cannot create an event descriptor");
    }
    watched = array(new int[] {wakeup});
  }

  private static MemorySegment array(int[] descriptors) {
    // An automatic arena, because a thread may still wait with an array that was replaced.
    MemorySegment array = Arena.ofAuto().allocate((long) descriptors.length * POLLFD, POLLFD);
    for (int i = 0; i < descriptors.length; i++) {
      array.set(Abi.INT, (long) i * POLLFD, descriptors[i]);
      array.set(Abi.SHORT, (long) i * POLLFD + POLL_EVENTS, Abi.POLLIN);
    }
    return array;
  }

  private static IntStream descriptors(MemorySegment array) {
    return IntStream.range(0, count(array)).map(i -> array.get(Abi.INT, (long) i * POLLFD));
  }

  private static int count(MemorySegment array) {
    return (int) array.byteSize() / POLLFD;
  }

  synchronized void add(int fd) {
    watched = array(IntStream.concat(descriptors(watched), IntStream.of(fd)).toArray());
    wakeup(); // the waiting thread starts again with the new array
  }

  /**
   * Removes a socket. Returns when the kernel no longer waits for it, because a closed socket keeps
   * its address until then.
   */
  synchronized void remove(int fd) {
    watched = array(descriptors(watched).filter(each -> each != fd).toArray());
    wakeup();
    while (isPolled(fd)) { // with the replaced array or an older one
      Thread.onSpinWait();
    }
  }

  private boolean isPolled(int fd) {
    MemorySegment array = polled;
    return array != null && descriptors(array).anyMatch(each -> each == fd);
  }

  void await(long timeoutNs) {
    inside.incrementAndGet();
    try {
      boolean ended = !closed && timeoutNs > 0 && poll(timeoutNs) != 0;
      if (!closed && (ended || signalled.get())) {
        // In this order: a signal between the two is lost, but this wait has already ended. A
        // signal whose flag was cleared before its byte was written is read at the end of the next
        // wait.
        Libc.read(wakeup, drained, 8);
        signalled.set(false);
      }
    } finally {
      inside.decrementAndGet();
    }
  }

  private int poll(long timeoutNs) {
    MemorySegment array;
    do {
      array = watched;
      polled = array;
    } while (array != watched);
    try {
      return poll(array, timeoutNs);
    } finally {
      polled = null;
    }
  }

  private int poll(MemorySegment array, long timeoutNs) {
    if (!Deadlines.isSet(timeoutNs)) {
      return Libc.ppoll(array, count(array), MemorySegment.NULL);
    }
    timespec.set(Abi.LONG, 0, timeoutNs / SECOND);
    timespec.set(Abi.LONG, 8, timeoutNs % SECOND);
    return Libc.ppoll(array, count(array), timespec);
  }

  void wakeup() {
    if (signalled.compareAndSet(false, true)) {
      inside.incrementAndGet();
      try {
        if (!closed) {
          Libc.signal(wakeup);
        }
      } finally {
        inside.decrementAndGet();
      }
    }
  }

  /** Ends the current and all future waits, then closes the descriptors. */
  void close() {
    closed = true;
    Libc.signal(wakeup);
    while (inside.get() != 0) {
      Thread.onSpinWait();
    }
    Libc.close(errno, wakeup);
  }
}
