package org.roce4j.port.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.port.BindFailure;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

/**
 * A connected UDP socket without RoCE, called as this port calls its own: the yardstick that
 * benchmarks hold beside a device. Datagrams leave and arrive in trains by the kernel's offloads.
 * Not thread-safe.
 */
public final class PlainUdp implements AutoCloseable {
  private static final int BUFFER_BYTES = 4 << 20;

  private final Arena arena = Arena.ofAuto();
  private final MemorySegment errno = Libc.errnoOf(arena);
  private final int fd;
  private final int flags;

  /**
   * Binds a socket and connects it.
   *
   * @param port UDP port, ours and the peer's
   * @param segmentBytes what a longer send is cut into, and trains are received; 0: neither
   * @param waitNs how long {@link #receive} waits; 0: not at all
   * @throws org.roce4j.verbs.VerbsException with the errno of the socket
   */
  public PlainUdp(Gid local, Gid peer, int port, int segmentBytes, long waitNs) {
    flags = waitNs == 0 ? Abi.MSG_DONTWAIT : 0;
    int family = local.isIpv4Mapped() ? Abi.AF_INET : Abi.AF_INET6;
    fd = checked(Libc.socket(errno, family, Abi.SOCK_DGRAM | Abi.SOCK_CLOEXEC), "socket");
    boolean complete = false;
    try {
      size(Abi.SO_RCVBUFFORCE, Abi.SO_RCVBUF);
      size(Abi.SO_SNDBUFFORCE, Abi.SO_SNDBUF);
      if (segmentBytes > 0) {
        checked(option(Abi.SOL_UDP, Abi.UDP_SEGMENT, segmentBytes), "UDP_SEGMENT");
        checked(option(Abi.SOL_UDP, Abi.UDP_GRO, 1), "UDP_GRO");
      }
      if (waitNs > 0) {
        MemorySegment timeval = arena.allocate(16, 8);
        timeval.set(Abi.LONG, 0, waitNs / 1_000_000_000L);
        timeval.set(Abi.LONG, 8, waitNs % 1_000_000_000L / 1000);
        checked(
            Libc.setsockopt(errno, fd, Abi.SOL_SOCKET, Abi.SO_RCVTIMEO, timeval, 16),
            "SO_RCVTIMEO");
      }
      MemorySegment address = arena.allocate(SocketAddress.SIZE, 8);
      int length = SocketAddress.put(address, 0, local.high(), local.low(), port, 0);
      int bound = Libc.bind(errno, fd, address, length);
      if (bound < 0) {
        throw BindFailure.explain(Errno.of(-bound), local.high(), local.low(), port);
      }
      length = SocketAddress.put(address, 0, peer.high(), peer.low(), port, 0);
      checked(Libc.connect(errno, fd, address, length), "connect");
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /** Sends bytes as one datagram or as a train; what was sent, or a negative errno. */
  public int send(MemorySegment bytes, long length) {
    return Libc.send(errno, fd, bytes, length, 0);
  }

  /** Receives a datagram or a train; its bytes, or a negative errno if there is none. */
  public int receive(MemorySegment into) {
    return Libc.recv(errno, fd, into, into.byteSize(), flags);
  }

  private void size(int privileged, int ordinary) {
    if (option(Abi.SOL_SOCKET, privileged, BUFFER_BYTES) < 0) {
      option(Abi.SOL_SOCKET, ordinary, BUFFER_BYTES);
    }
  }

  private int option(int level, int name, int value) {
    MemorySegment bytes = arena.allocate(4, 4);
    bytes.set(Abi.INT, 0, value);
    return Libc.setsockopt(errno, fd, level, name, bytes, 4);
  }

  private static int checked(int result, String what) {
    if (result < 0) {
      throw UdpSocket.failure(result, what + " of a plain UDP socket failed");
    }
    return result;
  }

  @Override
  public void close() {
    Libc.close(errno, fd);
  }
}
