package org.roce4j.port.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.port.BindFailure;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.GidAddress;

/**
 * A bound, unconnected UDP socket of one of the port's addresses or of a joined group. Unconnected
 * and with path MTU discovery set to PROBE the kernel gives IPv4 datagrams the identification 0,
 * and segment k of a train k; nothing is ever fragmented.
 */
final class UdpSocket {
  /** The hop limit of a socket, which an address vector has by default. */
  static final int HOP_LIMIT = 64;

  /** The type of the sockets of a port. */
  static final int TYPE = Abi.SOCK_DGRAM | Abi.SOCK_NONBLOCK | Abi.SOCK_CLOEXEC;

  /** Offset in BTH of the four bytes that end with DestQP. */
  private static final int DEST_QP_WORD = 4;

  private final int fd;
  private final long high;
  private final long low;
  private final int scope;
  private boolean trains;
  private boolean quiet;

  /** How the datagrams arrive. */
  private final LoneArrivals arrivals = new LoneArrivals();

  /** Whether the kernel was asked for trains unsplit. */
  private boolean offloaded = true;

  private int dropsSeen;

  /** The number of joins of the group; 0 for a socket of an address. */
  private int joins;

  /** For a group the address that has joined it. */
  private long heardHigh;

  private long heardLow;

  private UdpSocket(int fd, long high, long low, int scope) {
    this.fd = fd;
    this.high = high;
    this.low = low;
    heardHigh = high;
    heardLow = low;
    this.scope = scope;
  }

  /** How a socket shares its address with other sockets. */
  enum Sharing {
    /** It is the only one. */
    ALONE,
    /**
     * It is the first: binding fails if another program holds the address, as for {@link #ALONE}.
     */
    FIRST,
    /** It is bound to the address of the first. */
    JOINS
  }

  /** Opens the socket of one of the port's addresses. */
  static UdpSocket ofAddress(
      MemorySegment errno, PortOptions options, long high, long low, int scope, Sharing sharing) {
    UdpSocket socket = open(errno, high, low, scope);
    try {
      SocketOptions set = socket.options(errno);
      socket.configure(set);
      boolean ipv4 = socket.ipv4();
      if (ipv4) {
        set.set(Abi.SOL_IP, Abi.IP_MULTICAST_LOOP, 1);
        set.tryToSet(Abi.SOL_IP, Abi.IP_MULTICAST_IF, Integer.reverseBytes(GidAddress.ipv4(low)));
      } else {
        set.set(Abi.SOL_IPV6, Abi.IPV6_MULTICAST_LOOP, 1);
        if (scope != 0) {
          set.tryToSet(Abi.SOL_IPV6, Abi.IPV6_MULTICAST_IF, scope);
        }
      }
      if (sharing == Sharing.JOINS) {
        set.set(Abi.SOL_SOCKET, Abi.SO_REUSEPORT, 1);
      }
      socket.bind(errno, options.udpPort());
      if (sharing == Sharing.FIRST) {
        set.set(Abi.SOL_SOCKET, Abi.SO_REUSEPORT, 1);
      }
      return socket;
    } catch (RuntimeException | Error e) {
      socket.close(errno);
      throw e;
    }
  }

  /**
   * Makes the kernel choose the socket of a datagram by the low bits of its DestQP, the index of
   * the socket in the order of binding. This is a classic BPF program, which needs no privilege. A
   * datagram too short to have a DestQP goes to the first socket. A kernel that cannot do it
   * (gVisor) chooses by the source, and engines hand datagrams over to each other.
   *
   * @param sockets number of sockets, a power of two
   */
  void steer(MemorySegment errno, int sockets) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment filter = arena.allocate(3L * Abi.SOCK_FILTER, 8);
      instruction(filter, 0, Abi.BPF_LOAD_WORD, DEST_QP_WORD);
      instruction(filter, 1, Abi.BPF_AND, sockets - 1);
      instruction(filter, 2, Abi.BPF_RETURN, 0);
      MemorySegment program = arena.allocate(Abi.SOCK_FPROG, 8);
      program.set(Abi.SHORT, 0, (short) 3);
      program.set(Abi.LONG, Abi.FPROG_FILTER, filter.address());
      Libc.setsockopt(
          errno,
          fd,
          Abi.SOL_SOCKET,
          Abi.SO_ATTACH_REUSEPORT_CBPF,
          program,
          (int) program.byteSize());
    }
  }

  private static void instruction(MemorySegment filter, int index, short code, int operand) {
    filter.set(Abi.SHORT, (long) index * Abi.SOCK_FILTER, code);
    filter.set(Abi.INT, (long) index * Abi.SOCK_FILTER + Abi.FILTER_OPERAND, operand);
  }

  /** Opens a socket that receives the datagrams to a group, on the interface of one address. */
  static UdpSocket ofGroup(
      MemorySegment errno, PortOptions options, long high, long low, UdpSocket member) {
    UdpSocket socket = open(errno, high, low, member.scope);
    try {
      SocketOptions set = socket.options(errno);
      socket.configure(set);
      set.set(Abi.SOL_SOCKET, Abi.SO_REUSEADDR, 1);
      socket.bind(errno, options.udpPort());
      try (Arena arena = Arena.ofConfined()) {
        if (socket.ipv4()) {
          set.tryToSet(Abi.SOL_IP, Abi.IP_MULTICAST_ALL, 0);
          MemorySegment request = arena.allocate(8, 4);
          request.set(Abi.INT_BE, 0, GidAddress.ipv4(low));
          request.set(Abi.INT_BE, 4, GidAddress.ipv4(member.low));
          set.set(Abi.SOL_IP, Abi.IP_ADD_MEMBERSHIP, request);
        } else {
          set.tryToSet(Abi.SOL_IPV6, Abi.IPV6_MULTICAST_ALL, 0);
          MemorySegment request = arena.allocate(20, 4);
          request.set(Abi.LONG_BE, 0, high);
          request.set(Abi.LONG_BE, 8, low);
          request.set(Abi.INT, 16, member.scope);
          set.set(Abi.SOL_IPV6, Abi.IPV6_JOIN_GROUP, request);
        }
      }
      socket.joins = 1;
      socket.heardHigh = member.high;
      socket.heardLow = member.low;
      return socket;
    } catch (RuntimeException | Error e) {
      socket.close(errno);
      throw e;
    }
  }

  private static UdpSocket open(MemorySegment errno, long high, long low, int scope) {
    int family = GidAddress.isIpv4Mapped(high, low) ? Abi.AF_INET : Abi.AF_INET6;
    int fd = Libc.socket(errno, family, TYPE);
    if (fd < 0) {
      throw failure(fd, "cannot open a UDP socket for " + GidAddress.addressText(high, low));
    }
    return new UdpSocket(fd, high, low, scope);
  }

  private void configure(SocketOptions set) {
    size(set, Abi.SO_RCVBUFFORCE, Abi.SO_RCVBUF);
    size(set, Abi.SO_SNDBUFFORCE, Abi.SO_SNDBUF);
    set.tryToSet(Abi.SOL_SOCKET, Abi.SO_RXQ_OVFL, 1);
    set.sendWhole(ipv4());
    if (ipv4()) {
      set.set(Abi.SOL_IP, Abi.IP_RECVTOS, 1);
      set.set(Abi.SOL_IP, Abi.IP_RECVTTL, 1);
    } else {
      set.set(Abi.SOL_IPV6, Abi.IPV6_RECVTCLASS, 1);
      set.set(Abi.SOL_IPV6, Abi.IPV6_RECVHOPLIMIT, 1);
      // rxe and hardware send checksum 0, which IPv6 sockets refuse by default.
      set.tryToSet(Abi.SOL_UDP, Abi.UDP_NO_CHECK6_RX, 1);
    }
    set.tryToSet(Abi.SOL_UDP, Abi.UDP_GRO, 1);
    trains = set.tryToSet(Abi.SOL_UDP, Abi.UDP_SEGMENT, 0);
  }

  private static void size(SocketOptions set, int privileged, int ordinary) {
    if (!set.tryToSet(Abi.SOL_SOCKET, privileged, PortOptions.SOCKET_BUFFER_BYTES)) {
      set.tryToSet(Abi.SOL_SOCKET, ordinary, PortOptions.SOCKET_BUFFER_BYTES);
    }
  }

  private void bind(MemorySegment errno, int port) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(SocketAddress.SIZE, 8);
      int length = SocketAddress.put(address, 0, high, low, port, scope);
      int result = Libc.bind(errno, fd, address, length);
      if (result < 0) {
        throw BindFailure.explain(errnoOf(result), high, low, port);
      }
    }
  }

  private SocketOptions options(MemorySegment errno) {
    return new SocketOptions(errno, fd, high, low);
  }

  static VerbsException failure(int result, String what) {
    Errno errno = errnoOf(result);
    return new VerbsException(errno, what + " (" + errno.text() + ")");
  }

  private static Errno errnoOf(int result) {
    Errno errno = Errno.of(-result);
    return errno == null ? Errno.EIO : errno;
  }

  int fd() {
    return fd;
  }

  boolean ipv4() {
    return GidAddress.isIpv4Mapped(high, low);
  }

  boolean is(long high, long low) {
    return this.high == high && this.low == low;
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  /** First half of the port's address at which it receives. */
  long heardHigh() {
    return heardHigh;
  }

  long heardLow() {
    return heardLow;
  }

  boolean isHeardBy(Gid own) {
    return heardHigh == own.high() && heardLow == own.low();
  }

  int scope() {
    return scope;
  }

  /** Whether segmentation offload may be tried. */
  boolean trains() {
    return trains;
  }

  /** Whether the last read found no message, so that the next one probably finds at most one. */
  boolean quiet() {
    return quiet;
  }

  /** Whether datagrams come one at a time, as in a ping-pong. */
  boolean lone() {
    return arrivals.lone();
  }

  /** Whether the next read is to leave out control data, see {@link LoneArrivals}. */
  boolean plain() {
    return arrivals.plain();
  }

  /** A read has found no datagram. */
  void empty() {
    quiet = true;
    arrivals.empty();
  }

  /** A message was read with control data, see {@link LoneArrivals#arrived}. */
  void arrived(MemorySegment errno, int datagrams, int trafficClass) {
    quiet = false;
    arrivals.arrived(datagrams, trafficClass);
    switchOffload(errno);
  }

  /** A datagram was read without control data. */
  void arrivedPlainly(MemorySegment errno) {
    arrivals.arrivedPlainly();
    switchOffload(errno);
  }

  /** Reads TOS and TTL of every datagram from now on. */
  void readFully(MemorySegment errno) {
    arrivals.readFully();
    switchOffload(errno);
  }

  /** Switches receive offload if it is not as it is to be. */
  private void switchOffload(MemorySegment errno) {
    if (offloaded != arrivals.offload()) {
      offloaded = !offloaded;
      options(errno).tryToSet(Abi.SOL_UDP, Abi.UDP_GRO, offloaded ? 1 : 0);
    }
  }

  /** Notes that the kernel or the network device refuses trains. */
  void refuseTrains() {
    trains = false;
  }

  void join() {
    joins++;
  }

  /** Undoes one join; returns whether the group has no member left. */
  boolean leave() {
    return --joins == 0;
  }

  /** Stores the kernel's count of dropped datagrams and returns the increase. */
  int dropped(int total) {
    int more = total - dropsSeen;
    dropsSeen = total;
    return more;
  }

  void close(MemorySegment errno) {
    Libc.close(errno, fd);
  }
}
