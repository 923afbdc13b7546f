package org.roce4j.benchmarks.limit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.roce4j.port.BindFailure;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/**
 * A connected UDP socket of Linux without RoCE, called as {@code roce4j-port-linux} calls its own.
 * Datagrams leave and arrive in trains by the kernel's offloads. Not thread-safe.
 */
final class PlainUdp implements AutoCloseable {
  private static final int BUFFER_BYTES = 4 << 20;

  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int SOCK_DGRAM_CLOEXEC = 0x80002;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int SOL_SOCKET = 1;
  private static final int SO_SNDBUF = 7;
  private static final int SO_RCVBUF = 8;
  private static final int SO_RCVTIMEO = 20;
  private static final int SO_SNDBUFFORCE = 32;
  private static final int SO_RCVBUFFORCE = 33;
  private static final int SOL_UDP = 17;
  private static final int UDP_SEGMENT = 103;
  private static final int UDP_GRO = 104;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle SOCKET = link("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle BIND = link("bind", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle CONNECT =
      link("connect", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle SETSOCKOPT =
      link("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle CLOSE = link("close", JAVA_INT, JAVA_INT);
  private static final MethodHandle SEND =
      link("send", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
  private static final MethodHandle RECV =
      link("recv", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);

  private final Arena arena = Arena.ofAuto();
  private final MemorySegment errno = arena.allocate(Linker.Option.captureStateLayout());
  private final int fd;
  private final int flags;

  /**
   * Binds a socket and connects it.
   *
   * @param port UDP port, ours and the peer's
   * @param segmentBytes the size of the datagrams that a longer send is cut into, and whether
   *     trains are received; 0: neither
   * @param waitNs how long {@link #receive} waits; 0: not at all
   * @throws VerbsException with the errno of the socket
   */
  PlainUdp(Gid local, Gid peer, int port, int segmentBytes, long waitNs) {
    flags = waitNs == 0 ? MSG_DONTWAIT : 0;
    int family = local.isIpv4Mapped() ? AF_INET : AF_INET6;
    fd = checked(call(SOCKET, family, SOCK_DGRAM_CLOEXEC, 0), "socket");
    boolean complete = false;
    try {
      size(SO_RCVBUFFORCE, SO_RCVBUF);
      size(SO_SNDBUFFORCE, SO_SNDBUF);
      if (segmentBytes > 0) {
        checked(option(SOL_UDP, UDP_SEGMENT, segmentBytes), "UDP_SEGMENT");
        checked(option(SOL_UDP, UDP_GRO, 1), "UDP_GRO");
      }
      if (waitNs > 0) {
        MemorySegment timeval =
            arena.allocateFrom(JAVA_LONG, waitNs / 1_000_000_000L, waitNs % 1_000_000_000L / 1000);
        checked(call(SETSOCKOPT, fd, SOL_SOCKET, SO_RCVTIMEO, timeval, 16), "SO_RCVTIMEO");
      }
      MemorySegment own = address(local, port);
      int bound = call(BIND, fd, own, (int) own.byteSize());
      if (bound < 0) {
        throw BindFailure.explain(Errno.of(-bound), local.high(), local.low(), port);
      }
      MemorySegment other = address(peer, port);
      checked(call(CONNECT, fd, other, (int) other.byteSize()), "connect");
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /** {@code struct sockaddr_in} or {@code sockaddr_in6}. */
  private MemorySegment address(Gid gid, int port) {
    boolean ipv4 = gid.isIpv4Mapped();
    ByteBuffer bytes = arena.allocate(ipv4 ? 16 : 28, 8).asByteBuffer();
    bytes.order(ByteOrder.nativeOrder()).putShort((short) (ipv4 ? AF_INET : AF_INET6));
    bytes.order(ByteOrder.BIG_ENDIAN).putShort((short) port);
    if (ipv4) {
      bytes.putInt(gid.ipv4());
    } else {
      bytes.putInt(0).putLong(gid.high()).putLong(gid.low());
    }
    return MemorySegment.ofBuffer(bytes.rewind());
  }

  /** Sends bytes as one datagram or as a train; the bytes sent, or a negative errno. */
  int send(MemorySegment bytes, long length) {
    try {
      return result((long) SEND.invokeExact(errno, fd, bytes, length, 0));
    } catch (Throwable t) {
      throw new AssertionError("a downcall threw", t);
    }
  }

  /** Receives a datagram or a train. Returns its length, or a negative errno if there is none. */
  int receive(MemorySegment into) {
    try {
      return result((long) RECV.invokeExact(errno, fd, into, into.byteSize(), flags));
    } catch (Throwable t) {
      throw new AssertionError("a downcall threw", t);
    }
  }

  private static MethodHandle link(String name, MemoryLayout result, MemoryLayout... arguments) {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(result, arguments),
        Linker.Option.captureCallState("errno"));
  }

  /** A call that is not measured. */
  private int call(MethodHandle function, Object... arguments) {
    try {
      return result((int) function.bindTo(errno).invokeWithArguments(arguments));
    } catch (Throwable t) {
      throw new AssertionError("a downcall threw", t);
    }
  }

  private int result(long value) {
    return value >= 0 ? (int) value : -errno.get(JAVA_INT, 0);
  }

  private void size(int privileged, int ordinary) {
    if (option(SOL_SOCKET, privileged, BUFFER_BYTES) < 0) {
      option(SOL_SOCKET, ordinary, BUFFER_BYTES);
    }
  }

  private int option(int level, int name, int value) {
    return call(SETSOCKOPT, fd, level, name, arena.allocateFrom(JAVA_INT, value), 4);
  }

  private static int checked(int result, String what) {
    if (result < 0) {
      throw new VerbsException(Errno.of(-result), what + " of a plain UDP socket failed");
    }
    return result;
  }

  @Override
  public void close() {
    call(CLOSE, fd);
  }
}
