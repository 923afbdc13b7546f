package org.roce4j.port.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.engine.datagram.Path;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.GidAddress;

/**
 * A UDP socket that only sends, to one peer on this machine. It is connected, so the kernel looks
 * up no route per datagram, which takes 0.45 us of the half round trip of 64 bytes. Its source port
 * is not that of the device, because the peer's datagrams to the device's port must not arrive
 * here.
 *
 * <p>The kernel numbers the IPv4 datagrams of a connected socket from a random identification on,
 * which the ICRC covers. The number is found by two probes, datagrams of one byte to a socket of
 * this class: the kernel returns a datagram with its headers if the time of its sending is asked
 * for (Linux, networking/timestamping, section 2.1). Not thread-safe: it belongs to the thread that
 * sends.
 */
final class ConnectedSocket {
  /**
   * The first of the source ports. They lie below {@link org.roce4j.wire.UdpSourcePort#MIN}, so
   * that a judge of ICRCs expects identifications of their own for each.
   */
  static final int FIRST_PORT = 0x8000;

  private static final int PORTS = 0x4000;

  /** The attempts to find a port that is free. */
  private static final int ATTEMPTS = 16;

  private static final int IPV4_HEADER = 20;
  private static final int IPV4_LENGTH = 2;
  private static final int IPV4_IDENTIFICATION = 4;
  private static final int IPV4_DESTINATION = 16;
  private static final int VERSION_4 = 0x45;

  /** IP and UDP header of a probe, and its byte. */
  private static final int PROBE = IPV4_HEADER + 8 + 1;

  /** Room for a probe with a link-layer header. */
  private static final int ROOM = 256;

  private final int fd;
  private final int port;

  /** The identification of the next datagram; over IPv6 without meaning. */
  private int identification;

  private ConnectedSocket(int fd, int port) {
    this.fd = fd;
    this.port = port;
  }

  /**
   * Opens a socket.
   *
   * @param udpPort UDP port of the peer
   * @param scope interface index for link-local addresses
   * @return null if the kernel refuses a step or does not tell the identification, or if memory
   *     runs out
   */
  static ConnectedSocket open(MemorySegment errno, Path path, int udpPort, int scope) {
    int fd = Libc.socket(errno, family(path), UdpSocket.TYPE);
    if (fd < 0) {
      return null;
    }
    ConnectedSocket socket = null;
    try {
      socket = connected(errno, fd, path, udpPort, scope);
    } catch (VerbsException | OutOfMemoryError e) {
      return null; // datagrams can be sent without it
    } finally {
      if (socket == null) {
        Libc.close(errno, fd);
      }
    }
    return socket;
  }

  private static int family(Path path) {
    return path.ipv4() ? Abi.AF_INET : Abi.AF_INET6;
  }

  private static ConnectedSocket connected(
      MemorySegment errno, int fd, Path path, int udpPort, int scope) {
    SocketOptions options = new SocketOptions(errno, fd, path.localHigh(), path.localLow());
    options.sendWhole(path.ipv4());
    options.tryToSet(Abi.SOL_SOCKET, Abi.SO_RCVBUF, 0);
    // No UDP checksum, as rxe sends: the ICRC is stronger. Trains would need one.
    options.tryToSet(Abi.SOL_SOCKET, Abi.SO_NO_CHECK, 1);
    int port = bind(errno, fd, path, scope);
    if (port < 0) {
      return null;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment peer = arena.allocate(SocketAddress.SIZE, 8);
      int length = SocketAddress.put(peer, 0, path.remoteHigh(), path.remoteLow(), udpPort, scope);
      if (Libc.connect(errno, fd, peer, length) < 0) {
        return null;
      }
    }
    ConnectedSocket socket = new ConnectedSocket(fd, port);
    return !path.ipv4() || socket.learnIdentification(errno, path, options) ? socket : null;
  }

  /** Binds to a port that is free and returns it; -1: none was found. */
  private static int bind(MemorySegment errno, int fd, Path path, int scope) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment own = arena.allocate(SocketAddress.SIZE, 8);
      int first = (int) System.nanoTime();
      for (int i = 0; i < ATTEMPTS; i++) {
        int port = FIRST_PORT + Math.floorMod(first + i, PORTS);
        int length = SocketAddress.put(own, 0, path.localHigh(), path.localLow(), port, scope);
        if (Libc.bind(errno, fd, own, length) >= 0) {
          return port;
        }
      }
      return -1;
    }
  }

  /** Returns whether the next identification is known. */
  private boolean learnIdentification(MemorySegment errno, Path path, SocketOptions options) {
    int sink = Libc.socket(errno, Abi.AF_INET, UdpSocket.TYPE);
    if (sink < 0) {
      return false;
    }
    try {
      int sinkPort = bind(errno, sink, path, 0);
      boolean told =
          sinkPort >= 0
              && options.tryToSet(
                  Abi.SOL_SOCKET, Abi.SO_TIMESTAMPING, Abi.TIMESTAMPING_TX_SOFTWARE);
      int first = told ? probe(path, sinkPort) : -1;
      int second = first >= 0 ? probe(path, sinkPort) : -1;
      identification = second + 1 & 0xFFFF;
      return second >= 0
          && second == (first + 1 & 0xFFFF)
          && options.tryToSet(Abi.SOL_SOCKET, Abi.SO_TIMESTAMPING, 0);
    } finally {
      Libc.close(errno, sink);
    }
  }

  /** Sends a probe to a port of the own address; returns its identification, or -1. */
  private int probe(Path path, int to) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(SocketAddress.SIZE, 8);
      int nameLength = SocketAddress.put(name, 0, path.localHigh(), path.localLow(), to, 0);
      MemorySegment bytes = arena.allocate(ROOM, 8);
      if (Libc.trySendto(fd, bytes.address(), 1, name, nameLength) < 0) {
        return -1;
      }
      return identification(bytes, returned(bytes), GidAddress.ipv4(path.localLow()));
    }
  }

  /**
   * Reads a datagram that the kernel has returned, with its headers; returns its length, or -1 if
   * there is none.
   */
  int returned(MemorySegment bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment iovec = arena.allocate(Abi.IOVEC, 8);
      iovec.set(Abi.LONG, 0, bytes.address());
      iovec.set(Abi.LONG, Abi.IOV_LEN, bytes.byteSize());
      MemorySegment header = arena.allocate(Abi.MSGHDR, 8);
      header.set(Abi.LONG, Abi.MSG_IOV, iovec.address());
      header.set(Abi.LONG, Abi.MSG_IOVLEN, 1L);
      return Libc.recvmsg(fd, header, Abi.MSG_ERRQUEUE | Abi.MSG_DONTWAIT);
    }
  }

  /** The identification of a probe that the kernel has returned; -1: this is none. */
  private static int identification(MemorySegment bytes, int length, int destination) {
    int ip = length - PROBE;
    boolean probe =
        ip >= 0
            && bytes.get(Abi.BYTE, ip) == VERSION_4
            && bytes.get(Abi.SHORT_BE, ip + (long) IPV4_LENGTH) == PROBE
            && bytes.get(Abi.INT_BE, ip + (long) IPV4_DESTINATION) == destination;
    return probe
        ? Short.toUnsignedInt(bytes.get(Abi.SHORT_BE, ip + (long) IPV4_IDENTIFICATION))
        : -1;
  }

  int fd() {
    return fd;
  }

  /** The UDP source port of its datagrams. */
  int port() {
    return port;
  }

  /** The identification of the next datagram, if it is sent over IPv4. */
  int identification() {
    return identification;
  }

  /**
   * Sends a datagram; returns whether it was sent. If not, the identification is no longer known.
   *
   * @param address address of its bytes
   */
  boolean send(long address, int length) {
    identification = identification + 1 & 0xFFFF;
    return Libc.trySendto(fd, address, length, MemorySegment.NULL, 0) >= 0;
  }

  void close(MemorySegment errno) {
    Libc.close(errno, fd);
  }
}
