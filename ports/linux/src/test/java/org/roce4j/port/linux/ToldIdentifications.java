package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Whether this kernel returns a datagram that it has sent, with its headers. It is asked without
 * the class under test: a {@link ConnectedSocket} that finds no identification must not look like a
 * kernel that tells none.
 */
final class ToldIdentifications {
  private static final int LOOPBACK = 0x0100_007F; // 127.0.0.1 in network order
  private static final int HEADERS = 20 + 8;

  private ToldIdentifications() {}

  /** Skips the test on another kernel. */
  static void assumed() {
    assumeTrue(areTold(), "the kernel does not tell identifications");
  }

  private static boolean areTold() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = Libc.errnoOf(arena);
      int fd = Libc.socket(errno, Abi.AF_INET, Abi.SOCK_DGRAM);
      MemorySegment discard = arena.allocate(16, 8);
      discard.set(Abi.SHORT, 0, (short) Abi.AF_INET);
      discard.set(Abi.SHORT_BE, 2, (short) 9);
      discard.set(Abi.INT, 4, LOOPBACK);
      MemorySegment software = arena.allocateFrom(Abi.INT, Abi.TIMESTAMPING_TX_SOFTWARE);
      Libc.setsockopt(errno, fd, Abi.SOL_SOCKET, Abi.SO_TIMESTAMPING, software, 4);
      MemorySegment bytes = arena.allocate(256, 8);
      Libc.trySendto(fd, bytes.address(), 1, discard, 16);
      MemorySegment iovec = arena.allocate(Abi.IOVEC, 8);
      iovec.set(Abi.LONG, 0, bytes.address());
      iovec.set(Abi.LONG, Abi.IOV_LEN, bytes.byteSize());
      MemorySegment header = arena.allocate(Abi.MSGHDR, 8);
      header.set(Abi.LONG, Abi.MSG_IOV, iovec.address());
      header.set(Abi.LONG, Abi.MSG_IOVLEN, 1L);
      int length = Libc.recvmsg(fd, header, Abi.MSG_ERRQUEUE | Abi.MSG_DONTWAIT);
      Libc.close(errno, fd);
      return length > HEADERS;
    }
  }
}
