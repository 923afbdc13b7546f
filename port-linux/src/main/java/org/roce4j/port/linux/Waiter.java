package org.roce4j.port.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Waits for any of a changing set of sockets, or for a wake-up. The sockets are members of an epoll
 * descriptor, which is itself polled, because {@code ppoll} alone takes nanoseconds on every kernel
 * and C library. One thread waits; any thread wakes, adds and removes.
 */
final class Waiter {
  private static final long SECOND = 1_000_000_000L;
  private static final int POLL_EVENTS = 4;

  private final MemorySegment event;
  private final MemorySegment pollfd;
  private final MemorySegment timespec;
  private final MemorySegment errno;
  private final MemorySegment drained;
  private final int epoll;
  private final int wakeup;
  private final AtomicBoolean signalled = new AtomicBoolean();
  private final AtomicInteger inside = new AtomicInteger();
  private volatile boolean closed;

  Waiter(Arena arena) {
    event = arena.allocate(16, 8);
    pollfd = arena.allocate(8, 8);
    timespec = arena.allocate(16, 8);
    errno = Libc.errnoOf(arena);
    drained = arena.allocate(8, 8);
    // The data of an event is never read, so its place, which differs by architecture, is moot.
    event.set(Abi.INT, 0, Abi.EPOLLIN);
    epoll = Libc.epollCreate(errno);
    if (epoll < 0) {
      throw UdpSocket.failure(epoll, "cannot create an epoll descriptor");
    }
    wakeup = Libc.eventfd(errno);
    if (wakeup < 0) {
      Libc.close(errno, epoll);
      throw UdpSocket.failure(wakeup, "cannot create an event descriptor");
    }
    pollfd.set(Abi.INT, 0, epoll);
    pollfd.set(Abi.SHORT, POLL_EVENTS, Abi.POLLIN);
    try {
      add(errno, wakeup);
    } catch (RuntimeException e) {
      release();
      throw e;
    }
  }

  void add(MemorySegment errno, int fd) {
    int result = Libc.epollCtl(errno, epoll, Abi.EPOLL_CTL_ADD, fd, event);
    if (result < 0) {
      throw UdpSocket.failure(result, "cannot watch a socket");
    }
  }

  void remove(MemorySegment errno, int fd) {
    Libc.epollCtl(errno, epoll, Abi.EPOLL_CTL_DEL, fd, event);
  }

  void await(long timeoutNs) {
    inside.incrementAndGet();
    try {
      boolean ended = !closed && timeoutNs > 0 && poll(timeoutNs) != 0;
      if (!closed && (ended || signalled.get())) {
        // In this order: a signal between the two is lost, but this wait has ended already. A
        // signal whose flag was cleared before its byte was written is taken at the next end.
        Libc.read(wakeup, drained, 8);
        signalled.set(false);
      }
    } finally {
      inside.decrementAndGet();
    }
  }

  private int poll(long timeoutNs) {
    if (timeoutNs == Long.MAX_VALUE) {
      return Libc.ppoll(pollfd, MemorySegment.NULL);
    }
    timespec.set(Abi.LONG, 0, timeoutNs / SECOND);
    timespec.set(Abi.LONG, 8, timeoutNs % SECOND);
    return Libc.ppoll(pollfd, timespec);
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

  /** Ends a wait in progress and those to come, then lets the descriptors go. */
  void close() {
    closed = true;
    Libc.signal(wakeup);
    while (inside.get() != 0) {
      Thread.onSpinWait();
    }
    release();
  }

  private void release() {
    Libc.close(errno, wakeup);
    Libc.close(errno, epoll);
  }
}
